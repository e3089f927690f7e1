//! Numbers as people read them.

/// Up to four significant digits, without trailing zeros.
pub(crate) fn short(value: f64) -> String {
    let rounded: f64 = format!("{value:.3e}").parse().unwrap_or(value);
    rounded.to_string()
}

/// Three digits, never in powers of ten.
pub fn digits(value: f64) -> String {
    let places = match value.abs() {
        v if v >= 100.0 => 0,
        v if v >= 10.0 => 1,
        v if v >= 0.1 || v == 0.0 => 2,
        _ => 3,
    };
    format!("{value:.places$}")
}

#[cfg(test)]
mod tests {
    use super::short;

    #[test]
    fn numbers_are_short() {
        for (value, text) in [(0.002, "0.002"), (3.99996, "4"), (19.1872, "19.19"), (8.0, "8")] {
            assert_eq!(short(value), text);
        }
    }
}
