//! Sizes, wings and orders on the command line.

use huygens::stencil::MAX_RADIUS;

/// A grid size: nodes along each axis, or along named axes.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Size {
    Each(usize),
    Sides(Vec<usize>),
}

/// Grid sizes: `4096` (the same along each axis), `310x775` (z x x), `512x512x400` (z x x x y),
/// `128..8192` (each, doubling), or a comma-separated list of these.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sizes(Vec<Size>);

/// Wings, cells: `8`, `2..16`, or a comma-separated list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wings(pub Vec<usize>);

/// Orders: `8`, or a comma-separated list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Orders(pub Vec<usize>);

fn number(text: &str) -> Result<usize, String> {
    match text.trim().parse() {
        Ok(0) => Err("0 is too few; give at least 1".into()),
        Ok(number) => Ok(number),
        Err(_) => Err(format!("\"{text}\" is not a whole number of nodes or cells")),
    }
}

/// The ends of `first..last`, or a single number twice.
fn range(text: &str) -> Result<(usize, usize), String> {
    let (first, last) = match text.split_once("..") {
        Some((first, last)) => (number(first)?, number(last)?),
        None => (number(text)?, number(text)?),
    };
    if first > last {
        return Err(format!("{first} is above {last}; give the smaller one first"));
    }
    Ok((first, last))
}

/// Parses a comma-separated list.
fn each<T>(text: &str, one: impl Fn(&str) -> Result<Vec<T>, String>) -> Result<Vec<T>, String> {
    let all: Result<Vec<_>, _> = text.split(',').map(one).collect();
    Ok(all?.into_iter().flatten().collect())
}

impl Sizes {
    pub fn parse(text: &str) -> Result<Self, String> {
        let one = |text: &str| {
            if text.contains('x') {
                let sides = text.split('x').map(number).collect::<Result<Vec<_>, _>>()?;
                return Ok(vec![Size::Sides(sides)]);
            }
            let (first, last) = range(text)?;
            let doubled = std::iter::successors(Some(first), |n| n.checked_mul(2));
            Ok(doubled.take_while(|n| *n <= last).map(Size::Each).collect())
        };
        each(text, one).map(Sizes)
    }

    /// `(nz, nx)` of each size.
    pub fn planes(&self) -> Result<Vec<(usize, usize)>, String> {
        let plane = |size: &Size| match size {
            Size::Each(n) => Ok((*n, *n)),
            Size::Sides(sides) => match sides[..] {
                [nz, nx] => Ok((nz, nx)),
                _ => Err(format!("--size {size} is no plane; give ZxX, or N for a square")),
            },
        };
        self.0.iter().map(plane).collect()
    }

    /// `[nz, nx, ny]` of each size.
    pub fn volumes(&self) -> Result<Vec<[usize; 3]>, String> {
        let volume = |size: &Size| {
            let n = match size {
                Size::Each(n) => [*n; 3],
                Size::Sides(sides) => sides[..].try_into().map_err(|_| {
                    format!("--size {size} is no volume; give ZxXxY, or N for a cube")
                })?,
            };
            match n {
                [_, _, 1] => Err(format!(
                    "--size {size} has a single plane; give at least 2 nodes along y, or climb `ladder 2d`"
                )),
                n => Ok(n),
            }
        };
        self.0.iter().map(volume).collect()
    }
}

impl std::fmt::Display for Size {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Size::Each(n) => write!(f, "{n}"),
            Size::Sides(sides) => {
                let sides: Vec<_> = sides.iter().map(usize::to_string).collect();
                f.write_str(&sides.join("x"))
            }
        }
    }
}

impl Wings {
    pub fn parse(text: &str) -> Result<Self, String> {
        let one = |text: &str| {
            let (first, last) = range(text)?;
            if last > MAX_RADIUS {
                return Err(format!(
                    "a wing of {last} cells is not available; choose 1 to {MAX_RADIUS}"
                ));
            }
            Ok((first..=last).collect())
        };
        each(text, one).map(Wings)
    }
}

impl Orders {
    pub fn parse(text: &str) -> Result<Self, String> {
        each(text, |text| number(text).map(|order| vec![order])).map(Orders)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn planes_are_rectangles_squares_ranges_and_lists() {
        let sizes = |text| Sizes::parse(text).and_then(|sizes| sizes.planes());
        assert_eq!(sizes("310x775"), Ok(vec![(310, 775)]));
        assert_eq!(sizes("64"), Ok(vec![(64, 64)]));
        assert_eq!(sizes("128..1000"), Ok(vec![(128, 128), (256, 256), (512, 512)]));
        assert_eq!(sizes("64,310x775"), Ok(vec![(64, 64), (310, 775)]));
        for wrong in [
            "",
            "x",
            "0",
            "3x0",
            "-4",
            "8..4",
            "4x4x4",
            "8,",
            "4x",
            "1.5",
            "..",
            "99999999999999999999",
        ] {
            assert!(sizes(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn volumes_are_boxes_cubes_ranges_and_lists() {
        let sizes = |text| Sizes::parse(text).and_then(|sizes| sizes.volumes());
        assert_eq!(sizes("487x391x533"), Ok(vec![[487, 391, 533]]));
        assert_eq!(sizes("64,8..16"), Ok(vec![[64; 3], [8; 3], [16; 3]]));
        for wrong in ["4x4", "4x4x4x4", "4x4x0", "4x4x1", "1", "x", "4x4x4x", "64,4x4"] {
            assert!(sizes(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn orders_are_numbers_and_lists() {
        let orders = |text| Orders::parse(text).map(|orders| orders.0);
        assert_eq!(orders("6, 8,12"), Ok(vec![6, 8, 12]));
        for wrong in ["", "8,,10", "0", "-2", "six"] {
            assert!(orders(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn wings_are_numbers_and_ranges() {
        let wings = |text| Wings::parse(text).map(|wings| wings.0);
        assert_eq!(wings("8"), Ok(vec![8]));
        assert_eq!(wings("2..4"), Ok(vec![2, 3, 4]));
        assert_eq!(wings("3,5..6"), Ok(vec![3, 5, 6]));
        for wrong in ["0", "17", "2..17", "5..2", "two"] {
            assert!(wings(wrong).is_err(), "{wrong}");
        }
    }
}
