//! The Kaiser window and the Bessel function that it is made of.

/// `I0(beta sqrt(1 - x^2))` for |x| <= 1, 0 beyond: the Kaiser window (Kaiser 1974) but for its scale.
pub(super) fn window(beta: f64, x: f64) -> f64 {
    let inside = 1.0 - x * x;
    if inside < 0.0 { 0.0 } else { i0(beta * inside.sqrt()) }
}

/// The modified Bessel function I0(x) by its power series (Abramowitz and Stegun 1972, 9.6.12).
fn i0(x: f64) -> f64 {
    let quarter = 0.25 * x * x;
    let (mut sum, mut term, mut k) = (1.0, 1.0, 1.0);
    while term > 1e-17 * sum {
        term *= quarter / (k * k);
        sum += term;
        k += 1.0;
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn i0_has_its_tabulated_values() {
        // Abramowitz and Stegun 1972, table 9.8: I0(1), I0(5), I0(20).
        for (x, value) in [
            (0.0, 1.0),
            (1.0, 1.266_065_877_752_008_4),
            (5.0, 27.239_871_823_604_44),
            (20.0, 43_558_282.559_553_53),
        ] {
            assert!((i0(x) / value - 1.0).abs() < 1e-14, "I0({x}) = {}", i0(x));
        }
        assert_eq!((window(9.0, 1.1), window(9.0, 1.0)), (0.0, 1.0));
    }
}
