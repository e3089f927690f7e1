//! What a job says for each axis, and whether it fits a model of two or of three dimensions.

use super::JobFile;
use crate::cli::failure::Failure;
use huygens::grid::{Axes, Position};
use serde::{Deserialize, Serialize};

/// A value for each axis; y in 3-D only.
#[derive(Clone, Copy, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct PerAxis<T> {
    pub z: T,
    pub x: T,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub y: Option<T>,
}

/// A value for all axes or one for each.
#[derive(Clone, Copy, Debug, Deserialize, Serialize)]
#[serde(untagged, expecting = "a number, or { z = number, x = number } and y = number in 3-D")]
pub enum OneOrEach<T> {
    One(T),
    Each(PerAxis<T>),
}

impl<T: Copy> OneOrEach<T> {
    /// Whether it names the third axis.
    pub fn has_y(&self) -> bool {
        matches!(self, OneOrEach::Each(PerAxis { y: Some(_), .. }))
    }
}

/// Metres from the model's first node.
#[derive(Clone, Copy, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Point {
    pub x: f64,
    pub z: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub y: Option<f64>,
}

/// Dimensions of a job's model, which all that the job says of y must fit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dimensions {
    Two,
    Three,
}

/// The order of a file's axes, slowest first: letters such as `xz` or `yxz`.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(try_from = "String", into = "String")]
pub struct AxisOrder(String);

/// The order of the axes in memory here, slowest first.
const OURS: [char; 3] = ['y', 'x', 'z'];

impl AxisOrder {
    pub fn dimensions(&self) -> Dimensions {
        if self.0.len() == 2 { Dimensions::Two } else { Dimensions::Three }
    }

    /// For each of our axes that a file has, slowest first, which of the file's it is.
    pub fn ours(&self) -> Vec<usize> {
        OURS.iter().filter_map(|axis| self.0.find(*axis)).collect()
    }
}

impl std::str::FromStr for AxisOrder {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let mut letters: Vec<char> = text.chars().collect();
        letters.sort_unstable();
        match letters.as_slice() {
            ['x', 'z'] | ['x', 'y', 'z'] => Ok(AxisOrder(text.into())),
            _ => Err(format!(
                "the axes \"{text}\" are none; give each letter once, slowest first: \"xz\" (z fastest) or \
                 \"zx\" in 2-D, \"yxz\" or any other order of the three in 3-D"
            )),
        }
    }
}

impl TryFrom<String> for AxisOrder {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        text.parse()
    }
}

impl From<AxisOrder> for String {
    fn from(order: AxisOrder) -> String {
        order.0
    }
}

impl std::fmt::Display for AxisOrder {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl JobFile {
    /// The y that stands at a key beside its x and z: one in 3-D, none in 2-D, where `absent` takes its
    /// place.
    pub(super) fn y<T>(
        &self,
        key: &str,
        y: Option<T>,
        dimensions: Dimensions,
        absent: T,
    ) -> Result<T, Failure> {
        match (y, dimensions) {
            (Some(y), Dimensions::Three) => Ok(y),
            (None, Dimensions::Two) => Ok(absent),
            (None, Dimensions::Three) => {
                Err(self
                    .mistake(key, "the model is 3-D, and y is missing here; give y beside x and z"))
            }
            (Some(_), Dimensions::Two) => Err(self.mistake(&format!("{key}.y"), NO_Y)),
        }
    }

    pub(super) fn position(
        &self,
        key: &str,
        at: Point,
        dimensions: Dimensions,
    ) -> Result<Position, Failure> {
        Ok(Axes { z: at.z, x: at.x, y: self.y(key, at.y, dimensions, 0.0)? })
    }

    /// A value for each axis; in 2-D that of x stands for y, which nothing reads.
    pub(super) fn each<T: Copy>(
        &self,
        key: &str,
        value: OneOrEach<T>,
        dimensions: Dimensions,
    ) -> Result<Axes<T>, Failure> {
        match value {
            OneOrEach::One(value) => Ok(Axes { z: value, x: value, y: value }),
            OneOrEach::Each(PerAxis { z, x, y }) => {
                Ok(Axes { z, x, y: self.y(key, y, dimensions, x)? })
            }
        }
    }
}

/// What is said of a y that a plane has no room for.
const NO_Y: &str = "the model is 2-D, and has no y; leave y out, or make the model 3-D: a built-in by a y among \
                    its nodes or spacing, a file by its third axis";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn axes_are_put_into_our_order() {
        for (text, ours) in [
            ("xz", vec![0, 1]),
            ("zx", vec![1, 0]),
            ("yxz", vec![0, 1, 2]),
            ("zxy", vec![2, 1, 0]),
            ("xzy", vec![2, 0, 1]),
            ("zyx", vec![1, 2, 0]),
        ] {
            assert_eq!(text.parse::<AxisOrder>().map(|order| order.ours()), Ok(ours), "{text}");
        }
        for wrong in ["", "x", "yz", "xy", "xx", "xxz", "xyzz", "ZX", "xyw"] {
            let refused = wrong.parse::<AxisOrder>().expect_err(wrong);
            assert!(refused.contains("yxz"), "{refused}");
        }
    }
}
