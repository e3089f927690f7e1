//! f64 values as f32, whose range is smaller.

use ndarray::{Array, Dimension};
use rayon::prelude::*;

/// Values in f32. Where f32 would not hold them they are divided by a power of two, which changes no
/// digit.
#[derive(Clone, Debug, PartialEq)]
pub struct Single<D: Dimension> {
    /// The values, over the unit.
    pub values: Array<f32, D>,
    /// The power of two; 1 of values that f32 holds.
    pub unit: f64,
}

/// The power of two that is at most as large as a positive value.
pub fn power_of_two(value: f64) -> f64 {
    value.log2().floor().exp2()
}

/// The least peak of values that are taken as they are: f32 then has 14 decades for smaller ones.
const LEAST_PEAK: f64 = 1e-24;

/// The unit of values up to a peak.
pub fn unit_of(peak: f64) -> f64 {
    let holds = peak == 0.0 || (LEAST_PEAK..=f64::from(f32::MAX)).contains(&peak);
    if holds { 1.0 } else { power_of_two(peak) }
}

impl<D: Dimension> From<Array<f32, D>> for Single<D> {
    fn from(values: Array<f32, D>) -> Self {
        Single { values, unit: 1.0 }
    }
}

impl<D: Dimension> Single<D> {
    /// From values in f64; those that are not finite have the unit of the others.
    pub fn of(values: &Array<f64, D>) -> Self {
        let values = values.as_standard_layout();
        let slice = values.as_slice().expect("it is in standard layout");
        let finite = |value: &f64| if value.is_finite() { value.abs() } else { 0.0 };
        let unit = unit_of(slice.par_iter().map(finite).reduce(|| 0.0, f64::max));
        let single = slice.par_iter().map(|value| (value / unit) as f32).collect();
        let values = Array::from_shape_vec(values.raw_dim(), single).expect("a value each");
        Single { values, unit }
    }

    /// The values in f64, with the digits of f32.
    pub fn whole(&self) -> Array<f64, D> {
        self.values.mapv(|value| f64::from(value) * self.unit)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::{Array1, array};

    #[test]
    fn values_of_any_size_keep_their_digits() {
        let values: Array1<f64> = array![1.5, -0.75, 0.0, 1.0e-3];
        let same = Single::of(&values);
        assert_eq!((same.unit, same.values[0], same.whole()[1]), (1.0, 1.5, -0.75));
        for power in [-900, -120, 128, 200, 900] {
            let scale = 2f64.powi(power);
            let scaled = Single::of(&values.mapv(|v| v * scale));
            assert_eq!(scaled.unit, scale, "{power}");
            assert_eq!(scaled.values, same.values);
        }
        assert_eq!(Single::of(&Array1::zeros(2)).unit, 1.0);
        assert_eq!(Single::of(&array![f64::NAN, 2.0]).unit, 1.0);
    }
}
