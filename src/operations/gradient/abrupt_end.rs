//! Traces that end amid waves.
//!
//! Both waves are multiplied every few steps, as the band of the source allows. A residual that ends abruptly has a wider band:
//! its products are then sampled too coarsely. On small surveys the gradient was off by 2 to 17 % where the last period was
//! 0.38 to 0.59 as strong as the whole record, and by less than 1 % with a taper of a period.

use ndarray::Array2;

/// Last periods that are stronger than this part of the record are warned of.
const STRONG: f64 = 0.25;

/// The root mean square of the last samples of traces `[receiver][sample]` of all shots, over that of all samples.
fn strength_of_end(gathers: &[Array2<f32>], last: usize) -> f64 {
    let mean = |of: &mut dyn Iterator<Item = &f32>| {
        let (sum, count) =
            of.fold((0.0, 0u64), |(sum, count), v| (sum + f64::from(*v).powi(2), count + 1));
        if count > 0 { sum / count as f64 } else { 0.0 }
    };
    let rows = || gathers.iter().flat_map(|gather| gather.outer_iter());
    let whole = mean(&mut rows().flatten());
    let end = mean(&mut rows().flat_map(|row| row.into_iter().rev().take(last)));
    if whole > 0.0 { (end / whole).sqrt() } else { 0.0 }
}

/// A warning if traces with samples `interval` s apart end amid waves of a period, s.
pub(super) fn warning(gathers: &[Array2<f32>], interval: f64, period: f64) -> Option<String> {
    let strength = strength_of_end(gathers, (period / interval).ceil() as usize);
    (strength > STRONG && period.is_finite()).then(|| {
        format!(
            "the observed traces end amid waves: their last {period:.3} s are {strength:.2} as strong as the whole record (more than {STRONG}), and \
             the gradient may be off by some percent; give gradient.taper = {period:.3}, or a longer record"
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ends_amid_waves_are_warned_of() {
        // Waves of a period of 0.2 s: one continues to the end of the traces, the other fades.
        let wave = |n: usize| (0.1 * std::f32::consts::PI * n as f32).sin();
        let traces = |fade: f32| {
            Array2::from_shape_fn((3, 200), |(_, n)| wave(n) * (-(n as f32) / fade).exp())
        };
        let warned = warning(&[traces(1e9)], 0.01, 0.2).expect("a warning");
        assert!(
            warned.contains("are 1.00 as strong") && warned.contains("taper = 0.200"),
            "{warned}"
        );
        assert_eq!(warning(&[traces(20.0)], 0.01, 0.2), None);
        assert_eq!(warning(&[Array2::zeros((3, 200))], 0.01, 0.2), None);
        assert_eq!(warning(&[], 0.01, 0.2), None);
        assert_eq!(warning(&[traces(1e9)], 0.01, f64::INFINITY), None, "without a source");
    }
}
