//! How observed traces compare with modelled ones: their scale and their polarity.

use ndarray::Array2;
use std::{fmt, iter::Sum};

/// The sums of the products of modelled and observed samples.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Likeness {
    /// Of modelled samples with themselves.
    modelled: f64,
    /// Of observed samples with themselves.
    observed: f64,
    /// Of both.
    both: f64,
}

/// Observed traces of another scale or polarity than modelled ones; `what` names them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct OtherScale<'a> {
    what: &'a str,
    likeness: Likeness,
}

/// A factor beyond this, or below its inverse, is another scale.
const LARGEST_FACTOR: f64 = 3.0;

impl Likeness {
    /// Of traces `[receiver][sample]`, as far as both were recorded; each sample counts by the square of its weight.
    pub fn of(
        modelled: &Array2<f32>,
        observed: &Array2<f32>,
        weights: Option<&Array2<f32>>,
    ) -> Self {
        let mut sums = Likeness::default();
        for (trace, (modelled, observed)) in
            modelled.outer_iter().zip(observed.outer_iter()).enumerate()
        {
            for (sample, (p, d)) in modelled.iter().zip(observed).enumerate() {
                let weight = weights.map_or(1.0, |weights| f64::from(weights[[trace, sample]]));
                let [p, d] = [p, d].map(|value| weight * f64::from(*value));
                sums.modelled += p * p;
                sums.observed += d * d;
                sums.both += p * d;
            }
        }
        sums
    }

    /// The factor that brings modelled traces nearest to the observed ones; `None` if either is silent.
    pub fn factor(&self) -> Option<f64> {
        self.is_heard().then(|| self.both / self.modelled)
    }

    /// The normalised correlation, from -1 to 1; `None` if either is silent.
    pub fn correlation(&self) -> Option<f64> {
        self.is_heard().then(|| self.both / (self.modelled.sqrt() * self.observed.sqrt()))
    }

    fn is_heard(&self) -> bool {
        self.modelled > 0.0 && self.observed > 0.0
    }

    /// A warning, if the traces are of another scale or polarity.
    pub fn check(self, what: &str) -> Option<OtherScale<'_>> {
        let factor = self.factor()?;
        let is_near = (1.0 / LARGEST_FACTOR..=LARGEST_FACTOR).contains(&factor);
        (!is_near).then_some(OtherScale { what, likeness: self })
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

impl fmt::Display for OtherScale<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let OtherScale { what, likeness } = self;
        let factor = likeness.factor().unwrap_or(0.0);
        let wrong = if factor < 0.0 { "polarity" } else { "scale" };
        write!(
            f,
            "the traces of {what} have another {wrong} than the modelled ones: {likeness} (expected: a factor from 1/3 to 3); check their \
             unit and polarity, and the wavelet's amplitude; with a low correlation, the model and the times too"
        )
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
    fn a_factor_and_a_polarity_are_found() {
        for (factor, warns) in [
            (1.0, false),
            (2.9, false),
            (0.34, false),
            (3.1, true),
            (0.33, true),
            (-1.0, true),
            (-156.0, true),
        ] {
            let likeness = Likeness::of(&traces(1.0), &traces(factor), None);
            let found = likeness.factor().expect("both are heard");
            assert!((found / f64::from(factor) - 1.0).abs() < 1e-6, "{found}");
            let correlation = likeness.correlation().expect("both are heard");
            assert!((correlation - f64::from(factor.signum())).abs() < 1e-6);
            assert_eq!(likeness.check("here").is_some(), warns, "{factor}");
        }
        let likeness = Likeness::of(&traces(1.0), &traces(-156.0), None);
        assert_eq!(likeness.to_string(), "least-squares factor -156, correlation -1.000");
        let warning = likeness.check("gradient.observed").expect("it warns").to_string();
        assert!(warning.contains("another polarity than"), "{warning}");
        assert_eq!(Likeness::of(&traces(0.0), &traces(1.0), None).check("here"), None);
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
