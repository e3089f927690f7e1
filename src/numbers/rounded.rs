//! Numbers as messages show them.

/// To three decimals or, if smaller than 1, to four digits.
pub fn rounded(value: f64) -> f64 {
    let digits = match value.abs() < 1.0 {
        true => format!("{value:.3e}"),
        false => format!("{value:.3}"),
    };
    digits.parse().unwrap_or(value)
}

/// Two numbers that contradict each other, to as few decimals, three or more, as tell them apart.
pub fn rounded_apart(one: f64, other: f64) -> [f64; 2] {
    let to = |decimals: usize| {
        [one, other].map(|value| format!("{value:.decimals$}").parse().unwrap_or(value))
    };
    (3..=15).map(to).find(|[one, other]| one != other).unwrap_or([one, other])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_the_digits_that_a_reader_uses() {
        let said = [99.997_799_967_711_24, 34.999_9, 12.500_107, 500_000.25, 0.004_000_1, -0.0];
        assert_eq!(said.map(rounded), [99.998, 35.0, 12.5, 500_000.25, 0.004, 0.0]);
        assert!(rounded(f64::NAN).is_nan());
    }

    #[test]
    fn a_contradiction_is_seen() {
        assert_eq!(rounded_apart(12.500_107, 12.5), [12.500_1, 12.5]);
        assert_eq!(rounded_apart(12.567_89, 25.0), [12.568, 25.0]);
        assert_eq!(rounded_apart(1.0, 1.0), [1.0, 1.0]);
    }
}
