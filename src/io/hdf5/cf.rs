//! Packed and missing values, as the CF conventions describe them in attributes: an array holds
//! (value - `add_offset`) / `scale_factor`, or a number that says that there is no value.
//!
//! *Eaton et al., NetCDF Climate and Forecast (CF) Metadata Conventions 1.11, sections 2.5.1 and 8.1.*

use super::{
    arrays::Value,
    description::{Attributes, numbers},
};

/// What netCDF has in place of floats that were never written.
const NEVER_WRITTEN: f64 = 9.969_209_968_386_869e36;
/// The name of that number.
const NEVER: &str = "never written";
/// A range that every number is in.
const ANY: (f64, f64) = (f64::NEG_INFINITY, f64::INFINITY);

/// How the values of an array are stored.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Packing {
    scale: f64,
    offset: f64,
    /// Numbers that stand for no value, packed, and the attributes that say so.
    missing: Vec<(&'static str, f64)>,
    /// The smallest and the largest packed number of a value.
    valid: (f64, f64),
}

impl Packing {
    /// By an array's attributes.
    pub(crate) fn of(attributes: &Attributes) -> Self {
        let all = |name: &str| attributes.get(name).and_then(numbers).unwrap_or_default();
        let one = |name: &str| all(name).first().copied();
        let named = |name: &'static str| all(name).into_iter().map(move |number| (name, number));
        let mut missing: Vec<_> = named("_FillValue").chain(named("missing_value")).collect();
        missing.push((NEVER, NEVER_WRITTEN));
        let range = all("valid_range");
        let range = (range.first().copied(), range.get(1).copied());
        Packing {
            scale: one("scale_factor").unwrap_or(1.0),
            offset: one("add_offset").unwrap_or(0.0),
            missing,
            valid: (
                range.0.or(one("valid_min")).unwrap_or(ANY.0),
                range.1.or(one("valid_max")).unwrap_or(ANY.1),
            ),
        }
    }

    /// True if the stored numbers are not the values.
    pub(crate) fn is_scaled(&self) -> bool {
        (self.scale, self.offset) != (1.0, 0.0)
    }

    /// Puts values in place of the numbers that stand for them; not a number, where there is none.
    pub(crate) fn unpack<T: Value>(&self, packed: &mut [T]) {
        let missing: Vec<_> = self.missing.iter().map(|(_, of)| T::narrow(*of).wide()).collect();
        // The limits as an array of these values has them.
        let (least, most) = (T::narrow(self.valid.0).wide(), T::narrow(self.valid.1).wide());
        for value in packed {
            let of = value.wide();
            if of < least || of > most || missing.contains(&of) {
                *value = T::narrow(f64::NAN);
            } else if self.is_scaled() {
                *value = T::narrow(of * self.scale + self.offset);
            }
        }
    }

    /// The attributes that mark missing values, for a message.
    pub(crate) fn shown(&self) -> String {
        let own = self.missing.iter().filter(|(name, _)| *name != NEVER);
        let mut shown: Vec<_> = own.map(|(name, of)| format!("{name} {of}")).take(4).collect();
        if self.valid != ANY {
            shown.push(format!("a valid range of {} to {}", self.valid.0, self.valid.1));
        }
        if shown.is_empty() { "NaN".into() } else { shown.join(", ") }
    }
}

/// Missing values of an array.
#[derive(Debug, PartialEq)]
pub(super) struct Missing {
    /// How many there are.
    pub(crate) count: usize,
    /// The first and the last index along each axis that has one.
    pub(crate) from_to: Vec<(usize, usize)>,
}

impl Missing {
    /// Counts the NaNs; `None` if there are none.
    pub(crate) fn in_values(values: &ndarray::ArrayD<f32>) -> Option<Self> {
        let mut found = Missing { count: 0, from_to: vec![(usize::MAX, 0); values.ndim()] };
        if !values.iter().any(|value| value.is_nan()) {
            return None;
        }
        for (at, _) in values.indexed_iter().filter(|(_, value)| value.is_nan()) {
            found.count += 1;
            for (axis, (from, to)) in found.from_to.iter_mut().enumerate() {
                (*from, *to) = ((*from).min(at[axis]), (*to).max(at[axis]));
            }
        }
        Some(found)
    }

    /// Where they are, by the names of the axes: `z 3 to 7, x 4`.
    pub(crate) fn place(&self, axes: &[crate::file_axis::FileAxis]) -> String {
        let axis = |(index, (from, to)): (usize, &(usize, usize))| {
            let label = axes.get(index).and_then(|axis| axis.label.clone());
            let label = label.unwrap_or_else(|| format!("axis {index}"));
            if from == to { format!("{label} {from}") } else { format!("{label} {from} to {to}") }
        };
        self.from_to.iter().enumerate().map(axis).collect::<Vec<_>>().join(", ")
    }
}
