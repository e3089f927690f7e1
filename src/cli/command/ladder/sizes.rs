//! Sizes, wings and orders on the command line.

use crate::stencil::MAX_RADIUS;
use std::fmt;

/// Nodes along z, x and, of a volume, y; or one number for every axis.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Size(Vec<usize>);

/// Grid sizes: `4096` (the same along each axis), `310x775` (z x x), `512x512x400` (z x x x y),
/// `128..8192` (each, doubling), or a comma-separated list of these.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Sizes(Vec<Size>);

/// Wings or orders: `8`, or a comma-separated list; of wings also `2..16`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Lengths(pub Vec<usize>);

impl Sizes {
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        let one = |text: &str| {
            if text.contains('x') {
                let sides = text.split('x').map(number).collect::<Result<_, _>>()?;
                return Ok(vec![Size(sides)]);
            }
            let (first, last) = range(text)?;
            let doubled = std::iter::successors(Some(first), |n| n.checked_mul(2));
            Ok(doubled.take_while(|n| *n <= last).map(|n| Size(vec![n])).collect())
        };
        each(text, one).map(Sizes)
    }

    /// `[nz, nx]` of each size.
    pub(crate) fn planes(&self) -> Result<Vec<[usize; 2]>, String> {
        self.by_axes("no plane; give ZxX, or N for a square")
    }

    /// `[nz, nx, ny]` of each size.
    pub(crate) fn volumes(&self) -> Result<Vec<[usize; 3]>, String> {
        let volumes: Vec<[usize; 3]> = self.by_axes("no volume; give ZxXxY, or N for a cube")?;
        match volumes.iter().zip(&self.0).find(|([.., ny], _)| *ny == 1) {
            Some((_, size)) => Err(format!(
                "--size {size} has a single plane; give at least 2 nodes along y, or climb `ladder 2d`"
            )),
            None => Ok(volumes),
        }
    }

    fn by_axes<const N: usize>(&self, wrong: &str) -> Result<Vec<[usize; N]>, String> {
        let sides = |size: &Size| match size.0[..] {
            [n] => Ok([n; N]),
            ref sides => sides.try_into().map_err(|_| format!("--size {size} is {wrong}")),
        };
        self.0.iter().map(sides).collect()
    }
}

impl fmt::Display for Size {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sides: Vec<_> = self.0.iter().map(usize::to_string).collect();
        f.write_str(&sides.join("x"))
    }
}

pub(crate) fn wings(text: &str) -> Result<Lengths, String> {
    let one = |text: &str| match range(text)? {
        (_, last) if last > MAX_RADIUS => {
            Err(format!("a wing of {last} cells is not available; choose 1 to {MAX_RADIUS}"))
        }
        (first, last) => Ok((first..=last).collect()),
    };
    each(text, one).map(Lengths)
}

pub(crate) fn orders(text: &str) -> Result<Lengths, String> {
    each(text, |text| Ok(vec![number(text)?])).map(Lengths)
}

/// Parses a comma-separated list.
fn each<T>(text: &str, one: impl Fn(&str) -> Result<Vec<T>, String>) -> Result<Vec<T>, String> {
    let all: Result<Vec<_>, _> = text.split(',').map(one).collect();
    Ok(all?.into_iter().flatten().collect())
}

/// The ends of `first..last`, or a single number twice.
fn range(text: &str) -> Result<(usize, usize), String> {
    let (first, last) = text.split_once("..").unwrap_or((text, text));
    match (number(first)?, number(last)?) {
        (first, last) if first > last => {
            Err(format!("{first} is above {last}; give the smaller one first"))
        }
        ends => Ok(ends),
    }
}

fn number(text: &str) -> Result<usize, String> {
    match text.trim().parse() {
        Ok(0) => Err("0 is too few; give at least 1".into()),
        Ok(number) => Ok(number),
        Err(_) => Err(format!("\"{text}\" is not a whole number of nodes or cells")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn planes_are_rectangles_squares_ranges_and_lists() {
        let sizes = |text| Sizes::parse(text).and_then(|sizes| sizes.planes());
        assert_eq!(sizes("64,310x775"), Ok(vec![[64, 64], [310, 775]]));
        assert_eq!(sizes("128..1000"), Ok(vec![[128; 2], [256; 2], [512; 2]]));
        let wrong = "|x|0|3x0|-4|8..4|4x4x4|8,|4x|1.5|..|99999999999999999999";
        assert_eq!(wrong.split('|').find(|wrong| sizes(wrong).is_ok()), None);
    }

    #[test]
    fn volumes_are_boxes_cubes_ranges_and_lists() {
        let sizes = |text| Sizes::parse(text).and_then(|sizes| sizes.volumes());
        assert_eq!(sizes("487x391x533"), Ok(vec![[487, 391, 533]]));
        assert_eq!(sizes("64,8..16"), Ok(vec![[64; 3], [8; 3], [16; 3]]));
        let wrong = "4x4|4x4x4x4|4x4x0|4x4x1|1|x|4x4x4x|64,4x4";
        assert_eq!(wrong.split('|').find(|wrong| sizes(wrong).is_ok()), None);
    }

    #[test]
    fn wings_and_orders_are_numbers_and_lists_and_wings_are_ranges() {
        let wings = |text| wings(text).map(|wings| wings.0);
        let orders = |text| orders(text).map(|orders| orders.0);
        assert_eq!((wings("8"), orders("6, 8,12")), (Ok(vec![8]), Ok(vec![6, 8, 12])));
        assert_eq!(wings("2..4,6"), Ok(vec![2, 3, 4, 6]));
        assert_eq!("0|17|2..17|5..2|two".split('|').find(|wrong| wings(wrong).is_ok()), None);
        assert_eq!("|8,,10|0|-2|2..4|six".split('|').find(|wrong| orders(wrong).is_ok()), None);
    }
}
