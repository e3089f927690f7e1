//! How observed traces compare with modelled ones: their scale and their polarity.

use super::Misfit;
use ndarray::Array2;
use serde::{Deserialize, Serialize};
use std::{fmt, iter::Sum};

/// The sums of the products of modelled and observed samples.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Likeness {
    /// Of modelled samples with themselves.
    pub(super) modelled: f64,
    /// Of observed samples with themselves.
    pub(super) observed: f64,
    /// Of both.
    pub(super) both: f64,
}

/// A ratio beyond this, or below its inverse, is another scale.
const LARGEST_RATIO: f64 = 3.0;

impl Likeness {
    /// Of traces `[receiver][sample]`, as far as both were recorded; each sample counts by the square of its weight.
    pub fn of(
        modelled: &Array2<f32>,
        observed: &Array2<f32>,
        weights: Option<&Array2<f32>>,
    ) -> Self {
        let mut sums = Likeness::default();
        let mut add = |weight: f64, p: f32, d: f32| {
            let [p, d] = [p, d].map(|value| weight * f64::from(value));
            sums.modelled += p * p;
            sums.observed += d * d;
            sums.both += p * d;
        };
        let rows = modelled.outer_iter().zip(observed.outer_iter());
        for (trace, (modelled, observed)) in rows.enumerate() {
            let both = modelled.into_iter().zip(observed);
            match weights {
                None => both.for_each(|(p, d)| add(1.0, *p, *d)),
                Some(weights) => both.zip(weights.row(trace)).for_each(|((p, d), weight)| {
                    add(f64::from(*weight), *p, *d);
                }),
            }
        }
        sums
    }

    /// The factor that brings modelled traces nearest to the observed ones; `None` if either is silent.
    pub(crate) fn factor(&self) -> Option<f64> {
        self.is_heard().then(|| self.both / self.modelled)
    }

    /// The normalised correlation, from -1 to 1; `None` if either is silent.
    pub(crate) fn correlation(&self) -> Option<f64> {
        self.is_heard().then(|| self.both / (self.modelled.sqrt() * self.observed.sqrt()))
    }

    fn is_heard(&self) -> bool {
        self.modelled > 0.0 && self.observed > 0.0
    }

    /// How many times as strong as modelled traces the observed ones are, by their root mean squares: in contrast to the
    /// factor, whatever their correlation; `None` if either is silent.
    pub(crate) fn ratio(&self) -> Option<f64> {
        self.is_heard().then(|| self.observed.sqrt() / self.modelled.sqrt())
    }

    /// Warns if traces are of another scale or polarity and a misfit is not indifferent to that; `what` names them.
    pub fn warn(self, what: &str, misfit: Misfit) {
        self.warnings(what, misfit).iter().for_each(|warning| tracing::warn!("{warning}"));
    }

    fn warnings(self, what: &str, misfit: Misfit) -> Vec<String> {
        let (Some(ratio), Some(correlation)) = (self.ratio(), self.correlation()) else {
            return Vec::new();
        };
        let mut warnings = Vec::new();
        let is_near = (1.0 / LARGEST_RATIO..=LARGEST_RATIO).contains(&ratio);
        if !is_near && !matches!(misfit, Misfit::Correlation | Misfit::Adaptive) {
            warnings.push(format!(
                "the traces of {what} have another scale than the modelled ones: they are {} times as strong (RMS; expected: from 1/3 \
                 to 3); check their unit and the wavelet's amplitude",
                Rounded(ratio)
            ));
        }
        if correlation < 0.0 && !matches!(misfit, Misfit::Envelope | Misfit::Adaptive) {
            warnings.push(format!(
                "the traces of {what} have another polarity than the modelled ones: their correlation is {correlation:.3}; check their \
                 polarity and the wavelet's; if it is near 0, the model and the times too"
            ));
        }
        warnings
    }
}

impl Sum for Likeness {
    fn sum<I: Iterator<Item = Self>>(all: I) -> Self {
        all.fold(Likeness::default(), |sum, one| Likeness {
            modelled: sum.modelled + one.modelled,
            observed: sum.observed + one.observed,
            both: sum.both + one.both,
        })
    }
}

impl fmt::Display for Likeness {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.factor(), self.correlation()) {
            (Some(factor), Some(correlation)) => {
                write!(f, "least-squares factor {}, correlation {correlation:.3}", Rounded(factor))
            }
            _ => f.write_str("no factor and no correlation, as one of them is silent"),
        }
    }
}

/// A number of three digits.
struct Rounded(f64);

impl fmt::Display for Rounded {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Rounded(value) = *self;
        // 9.999 is 10.0, which has another number of decimals.
        let value = format!("{value:.2e}").parse().unwrap_or(value);
        let decimals = 2.0 - value.abs().log10().floor();
        match (-3.0..=8.0).contains(&decimals) {
            true => write!(f, "{value:.*}", decimals.max(0.0) as usize),
            false => write!(f, "{value:.2e}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn traces(factor: f32) -> Array2<f32> {
        Array2::from_shape_fn((3, 40), |(r, k)| factor * (0.3 * k as f32 + r as f32).sin())
    }

    #[test]
    fn a_scale_and_a_polarity_are_found() {
        for (factor, warnings) in [
            (1.0, [false, false]),
            (2.9, [false, false]),
            (0.34, [false, false]),
            (3.1, [true, false]),
            (0.33, [true, false]),
            (-1.0, [false, true]),
            (-156.0, [true, true]),
        ] {
            let likeness = Likeness::of(&traces(1.0), &traces(factor), None);
            let found = likeness.factor().expect("both are heard");
            assert!((found / f64::from(factor) - 1.0).abs() < 1e-6, "{found}");
            let correlation = likeness.correlation().expect("both are heard");
            assert!((correlation - f64::from(factor.signum())).abs() < 1e-6);
            let told = likeness.warnings("here", Misfit::L2);
            let is_told = |word| told.iter().any(|warning| warning.contains(word));
            assert_eq!(["scale", "polarity"].map(is_told), warnings, "{factor}: {told:?}");
            // What a misfit does not see.
            let count = |misfit| likeness.warnings("here", misfit).len();
            assert_eq!(count(Misfit::Correlation), usize::from(warnings[1]), "{factor}");
            assert_eq!(count(Misfit::Envelope), usize::from(warnings[0]), "{factor}");
            assert_eq!(count(Misfit::Adaptive), 0, "{factor}");
        }
        let likeness = Likeness::of(&traces(1.0), &traces(-156.0), None);
        assert_eq!(likeness.to_string(), "least-squares factor -156, correlation -1.000");
        let told = likeness.warnings("gradient.observed", Misfit::L2);
        let begins = "the traces of gradient.observed have another scale than the modelled ones: \
                      they are 156 times as strong";
        assert!(told[0].starts_with(begins), "{told:?}");
        assert!(Likeness::of(&traces(0.0), &traces(1.0), None).warnings("", Misfit::L2).is_empty());
    }

    /// Traces of one scale that hardly correlate have a small factor, and need no other scale.
    #[test]
    fn a_low_correlation_is_no_other_scale() {
        let late = Array2::from_shape_fn((3, 40), |(r, k)| (0.3 * k as f32 + r as f32 + 1.4).sin());
        let likeness = Likeness::of(&traces(1.0), &late, None);
        let (factor, ratio) = (likeness.factor().expect("heard"), likeness.ratio().expect("heard"));
        assert!((0.05..0.3).contains(&factor) && (0.9..1.1).contains(&ratio), "{factor} {ratio}");
        assert_eq!(likeness.warnings("here", Misfit::L2), Vec::<String>::new());
    }

    #[test]
    fn samples_count_by_their_weights() {
        let mut observed = traces(2.0);
        observed.row_mut(1).fill(1e6);
        let mut weights = Array2::ones((3, 40));
        weights.row_mut(1).fill(0.0);
        let likeness = Likeness::of(&traces(1.0), &observed, Some(&weights));
        assert!((likeness.factor().expect("heard") - 2.0).abs() < 1e-6);
        // Shots are summed; each part has the factor of the whole.
        let twice: Likeness = [likeness; 2].into_iter().sum();
        assert!((twice.factor().expect("heard") - 2.0).abs() < 1e-6);
    }
}
