//! Powers of two by which waves are divided before they are multiplied: f32 then holds the products of
//! sources and traces of any size, with the same digits.

use crate::{
    plan::{Plan, PointShot, over},
    single::power_of_two,
};

/// Waves and products within this factor of 1 are taken as they are, so that not even the smallest of
/// their values change.
const ORDINARY_WAVE: f64 = (1u64 << 32) as f64;
const ORDINARY_PRODUCT: f64 = ORDINARY_WAVE * ORDINARY_WAVE;

/// The powers of two by which arrays of a migration are divided: 1, or another where f32 would not hold
/// the products. 0 stands for arrays of zeros.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Units {
    /// Of the image and the offset gathers.
    pub image: f64,
    /// Of the illumination.
    pub illumination: f64,
}

impl Default for Units {
    fn default() -> Self {
        Units { image: 1.0, illumination: 1.0 }
    }
}

/// The power of two by which the sources of each shot are divided; 0 of silent ones.
pub(super) fn of_sources(plan: &Plan) -> Vec<f64> {
    let of_shot = |shot: &PointShot| match plan.injected(shot) {
        // An initial field is no source.
        _ if plan.initial.is_some() => 1.0,
        0.0 => 0.0,
        largest if is_within(largest, ORDINARY_WAVE) => 1.0,
        largest => power_of_two(largest),
    };
    plan.shots.iter().map(of_shot).collect()
}

/// The factor that is applied to products of waves in these units, and the unit that the result keeps.
pub(super) fn applied([source, traces]: [f64; 2]) -> (f32, f64) {
    let unit = source * traces;
    if is_within(unit, ORDINARY_PRODUCT) { (unit as f32, 1.0) } else { (1.0, unit) }
}

fn is_within(value: f64, factor: f64) -> bool {
    (1.0 / factor..=factor).contains(&value)
}

impl Units {
    /// Of the arrays of a shot whose waves have these units.
    pub(super) fn of_shot([source, traces]: [f64; 2]) -> Self {
        Units { image: applied([source, traces]).1, illumination: source * source }
    }

    /// Of the array at an index in a [`super::Partial`].
    pub(super) fn of_array(self, index: usize) -> f64 {
        if index == 1 { self.illumination } else { self.image }
    }

    /// The units of a sum.
    pub(super) fn with(self, other: Self) -> Self {
        let larger = |of: fn(&Units) -> f64| of(&self).max(of(&other));
        Units { image: larger(|of| of.image), illumination: larger(|of| of.illumination) }
    }

    /// The factor that brings an array to the units of a sum.
    pub(super) fn factor(self, sum: Self, index: usize) -> f32 {
        over(self.of_array(index), sum.of_array(index))
    }

    /// The exponents of 2, for a file.
    pub(crate) fn exponents(self) -> [f32; 2] {
        [self.image, self.illumination].map(|unit| unit.log2() as f32)
    }

    /// From exponents of 2; `None` if they are of no unit.
    pub(crate) fn of_exponents(exponents: [f32; 2]) -> Option<Self> {
        let is_one = |e: f32| e == f32::NEG_INFINITY || e.abs() <= 1000.0 && e.fract() == 0.0;
        let [image, illumination] = exponents.map(|exponent| f64::from(exponent).exp2());
        exponents.into_iter().all(is_one).then_some(Units { image, illumination })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_come_back_from_a_file() {
        for (image, illumination) in [(1.0, 1.0), (0.0, 2f64.powi(-200)), (2f64.powi(254), 4.0)] {
            let units = Units { image, illumination };
            assert_eq!(Units::of_exponents(units.exponents()), Some(units));
        }
        for wrong in [f32::NAN, f32::INFINITY, 0.5, 2000.0] {
            assert_eq!(Units::of_exponents([wrong, 0.0]), None);
        }
    }

    #[test]
    fn ordinary_products_are_taken_as_they_are() {
        assert_eq!(applied([1.0, 0.25]), (0.25, 1.0));
        let large = 2f64.powi(100);
        assert_eq!(applied([large, large]), (1.0, 2f64.powi(200)));
        // Silence does not lift the unit of the other shots.
        let silent = Units::of_shot([large, 0.0]);
        let loud = Units::of_shot([1.0 / large, 1.0]);
        assert_eq!(silent.with(loud), Units { image: 1.0 / large, illumination: large * large });
    }
}
