//! The order of an array's axes.

use crate::grid::Axes;
use serde::{Deserialize, Serialize};

/// The order of a file's axes, slowest first: letters such as `xz` or `yxz`.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(try_from = "String", into = "String")]
pub struct AxisOrder(String);

/// The order of the axes in memory, slowest first.
const OURS: [char; 3] = ['y', 'x', 'z'];

impl AxisOrder {
    /// The order in memory: `xz` for a plane, `yxz` for a volume.
    pub fn ours_of(volume: bool) -> Self {
        AxisOrder(if volume { "yxz" } else { "xz" }.into())
    }

    /// True for a volume.
    pub fn is_volume(&self) -> bool {
        self.0.len() == 3
    }

    /// For each of our axes that a file has, slowest first, its index in the file.
    pub fn ours(&self) -> Vec<usize> {
        OURS.iter().filter_map(|axis| self.0.find(*axis)).collect()
    }

    /// Values of the axes in the order of the file.
    pub fn in_order<T: Copy>(&self, of: Axes<T>) -> Vec<T> {
        let pick = |letter| match letter {
            'z' => of.z,
            'x' => of.x,
            _ => of.y,
        };
        self.0.chars().map(pick).collect()
    }

    /// Values in the order of the file by their axes; `absent` along y in 2-D.
    pub fn by_axis<T: Copy>(&self, values: &[T], absent: T) -> Axes<T> {
        let of = |letter| self.0.find(letter).and_then(|at| values.get(at)).copied();
        let or = |letter| of(letter).unwrap_or(absent);
        Axes { z: or('z'), x: or('x'), y: or('y') }
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

    #[test]
    fn values_go_to_the_order_of_a_file_and_back() {
        let order: AxisOrder = "zyx".parse().expect("an order");
        let axes = Axes { z: 1, x: 2, y: 3 };
        assert_eq!(order.in_order(axes), [1, 3, 2]);
        assert_eq!(order.by_axis(&[1, 3, 2], 0), axes);
        let order: AxisOrder = "zx".parse().expect("an order");
        assert_eq!(order.by_axis(&[1, 2], 9), Axes { z: 1, x: 2, y: 9 });
    }
}
