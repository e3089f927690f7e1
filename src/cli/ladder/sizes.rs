//! Sizes and wings as the command line takes them.

/// Nodes of a grid.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Size {
    pub nz: usize,
    pub nx: usize,
}

/// `310x775` (z x x), `4096` (square), or `128..8192` (doubling).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sizes(pub Vec<Size>);

/// `8`, or `2..16`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wings(pub Vec<usize>);

fn number(text: &str) -> Result<usize, String> {
    let n: usize = text.trim().parse().map_err(|_| format!("\"{text}\" is not a whole number"))?;
    if n == 0 { Err("0 is too few; give at least 1".into()) } else { Ok(n) }
}

impl Sizes {
    pub fn parse(text: &str) -> Result<Self, String> {
        let square = |n| Size { nz: n, nx: n };
        if let Some((first, last)) = text.split_once("..") {
            let (first, last) = (number(first)?, number(last)?);
            if first > last {
                return Err(format!("{first} is above {last}; give the smaller size first"));
            }
            let sizes = std::iter::successors(Some(first), |n| n.checked_mul(2));
            return Ok(Sizes(sizes.take_while(|n| *n <= last).map(square).collect()));
        }
        match text.split_once('x') {
            Some((nz, nx)) => Ok(Sizes(vec![Size { nz: number(nz)?, nx: number(nx)? }])),
            None => Ok(Sizes(vec![square(number(text)?)])),
        }
    }
}

impl Wings {
    pub fn parse(text: &str) -> Result<Self, String> {
        let (first, last) = match text.split_once("..") {
            Some((first, last)) => (number(first)?, number(last)?),
            None => (number(text)?, number(text)?),
        };
        if last < first {
            return Err(format!("{first} is above {last}; give the shorter wing first"));
        }
        if last > 16 {
            return Err(format!("a wing of {last} cells is not available; choose 1 to 16"));
        }
        Ok(Wings((first..=last).collect()))
    }
}
