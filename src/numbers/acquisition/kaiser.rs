//! The Kaiser window and its Bessel functions.

/// `I0(beta sqrt(1 - x^2))` for |x| <= 1, 0 beyond: the Kaiser window (Kaiser 1974) up to scale.
pub(super) fn window(beta: f64, x: f64) -> f64 {
    let inside = 1.0 - x * x;
    if inside < 0.0 { 0.0 } else { bessel(beta * inside.sqrt(), 0) }
}

/// The modified Bessel functions I0(x) and, of order 1, I1(x) / x, by their series (Abramowitz and
/// Stegun 1972, 9.6.10).
pub(super) fn bessel(x: f64, order: u32) -> f64 {
    let order = f64::from(order);
    let quarter = 0.25 * x * x;
    let first = 1.0 / (1.0 + order);
    let (mut sum, mut term, mut k) = (first, first, 1.0);
    while term > 1e-17 * sum {
        term *= quarter / (k * (k + order));
        sum += term;
        k += 1.0;
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bessel_functions_have_their_tabulated_values() {
        // Abramowitz and Stegun 1972, table 9.8: I0(1), I0(5), I0(20).
        for (x, value) in [
            (0.0, 1.0),
            (1.0, 1.266_065_877_752_008_4),
            (5.0, 27.239_871_823_604_44),
            (20.0, 43_558_282.559_553_53),
        ] {
            let ours = bessel(x, 0);
            assert!((ours / value - 1.0).abs() < 1e-14, "I0({x}) = {ours}");
        }
        // And I1(1), I1(5); I1(x) / x at 0 is a half.
        for (x, value) in [(1.0, 0.565_159_103_992_485), (5.0, 24.335_642_142_450_53)] {
            assert!((x * bessel(x, 1) / value - 1.0).abs() < 1e-14, "I1({x})");
        }
        assert_eq!(bessel(0.0, 1), 0.5);
        assert_eq!((window(9.0, 1.1), window(9.0, 1.0)), (0.0, 1.0));
    }
}
