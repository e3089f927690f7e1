//! Times in readable units.

use std::fmt;

/// A time in seconds, formatted in s, ms, µs or ns, with up to seven digits.
pub struct Seconds(pub f64);

/// Units, each with the smallest time that uses it, s.
const UNITS: [(&str, f64, f64); 4] =
    [("s", 1.0, 0.1), ("ms", 1e3, 1e-4), ("µs", 1e6, 1e-7), ("ns", 1e9, 1e-12)];
/// From here on, and below the smallest unit, in scientific notation.
const LARGEST: f64 = 1e7;

impl fmt::Display for Seconds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Seconds(seconds) = *self;
        // Through text, so that 4.0 becomes 4 and a product gets no extra digits.
        let rounded = |value: f64| format!("{value:.6e}").parse().unwrap_or(value);
        let unit = UNITS.iter().find(|(_, _, least)| seconds.abs() >= *least);
        match unit.filter(|_| seconds.abs() < LARGEST) {
            Some((unit, factor, _)) => write!(f, "{} {unit}", rounded(seconds * factor)),
            None if seconds == 0.0 => f.write_str("0 s"),
            None => write!(f, "{:e} s", rounded(seconds)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Seconds;

    #[test]
    fn times_have_readable_units() {
        for (seconds, said) in [
            (4.0, "4 s"),
            (0.4, "0.4 s"),
            (0.1, "0.1 s"),
            (0.07, "70 ms"),
            (5e-4, "0.5 ms"),
            (2.133_202_12e-3, "2.133202 ms"),
            (1e-7, "0.1 µs"),
            (3e-9, "3 ns"),
            (-1.0, "-1 s"),
            (0.0, "0 s"),
            (1e30, "1e30 s"),
            (1e-30, "1e-30 s"),
            (f64::NAN, "NaN s"),
            (f64::INFINITY, "inf s"),
        ] {
            assert_eq!(Seconds(seconds).to_string(), said);
        }
    }
}
