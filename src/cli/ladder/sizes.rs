//! Sizes and wings as the command line takes them.

use huygens::stencil::MAX_RADIUS;

/// Grids to climb on, z x x: `310x775`, `4096` (square), or `128..8192` (squares, doubling).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sizes(pub Vec<(usize, usize)>);

/// Wings to climb with, cells: `8`, or `2..16`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wings(pub Vec<usize>);

fn number(text: &str) -> Result<usize, String> {
    match text.trim().parse() {
        Ok(0) => Err("0 is too few; give at least 1".into()),
        Ok(number) => Ok(number),
        Err(_) => Err(format!("\"{text}\" is not a whole number of nodes or cells")),
    }
}

/// The ends of `first..last`, or the one number twice.
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

impl Sizes {
    pub fn parse(text: &str) -> Result<Self, String> {
        if let Some((nz, nx)) = text.split_once('x') {
            return Ok(Sizes(vec![(number(nz)?, number(nx)?)]));
        }
        let (first, last) = range(text)?;
        let doubled = std::iter::successors(Some(first), |n| n.checked_mul(2));
        Ok(Sizes(doubled.take_while(|n| *n <= last).map(|n| (n, n)).collect()))
    }
}

impl Wings {
    pub fn parse(text: &str) -> Result<Self, String> {
        let (first, last) = range(text)?;
        if last > MAX_RADIUS {
            return Err(format!(
                "a wing of {last} cells is not available; choose 1 to {MAX_RADIUS}"
            ));
        }
        Ok(Wings((first..=last).collect()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_rectangles_squares_and_ranges() {
        let sizes = |text| Sizes::parse(text).map(|sizes| sizes.0);
        assert_eq!(sizes("310x775"), Ok(vec![(310, 775)]));
        assert_eq!(sizes("64"), Ok(vec![(64, 64)]));
        assert_eq!(sizes("128..1000"), Ok(vec![(128, 128), (256, 256), (512, 512)]));
        for wrong in
            ["", "x", "0", "3x0", "-4", "8..4", "4x4x4", "1.5", "..", "99999999999999999999"]
        {
            assert!(sizes(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn wings_are_numbers_and_ranges() {
        let wings = |text| Wings::parse(text).map(|wings| wings.0);
        assert_eq!(wings("8"), Ok(vec![8]));
        assert_eq!(wings("2..4"), Ok(vec![2, 3, 4]));
        for wrong in ["0", "17", "2..17", "5..2", "two"] {
            assert!(wings(wrong).is_err(), "{wrong}");
        }
    }
}
