//! Pictures in memory: of pixels, and of shapes; and the choices of how they are drawn.

use serde::{Deserialize, Serialize};

/// A picture of 8-bit red, green and blue, row by row from the top left corner.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Picture {
    width: u32,
    height: u32,
    pixels: Vec<[u8; 3]>,
}

impl Picture {
    /// A picture of one colour.
    pub fn filled(width: u32, height: u32, colour: [u8; 3]) -> Self {
        Picture { width, height, pixels: vec![colour; width as usize * height as usize] }
    }

    /// Its width, pixels.
    pub fn width(&self) -> u32 {
        self.width
    }

    /// Its height, pixels.
    pub fn height(&self) -> u32 {
        self.height
    }

    /// Its width and height, pixels.
    pub fn size(&self) -> (u32, u32) {
        (self.width, self.height)
    }

    /// All pixels, row by row.
    pub fn pixels(&self) -> &[[u8; 3]] {
        &self.pixels
    }

    /// Three bytes for each pixel.
    pub fn bytes(&self) -> &[u8] {
        self.pixels.as_flattened()
    }

    /// The pixel in column `x` of row `y`, if it lies inside.
    #[inline]
    pub fn pixel_mut(&mut self, x: u32, y: u32) -> Option<&mut [u8; 3]> {
        let index = y as usize * self.width as usize + x as usize;
        if x < self.width { self.pixels.get_mut(index) } else { None }
    }

    /// The pixels of row `y`, if it lies inside.
    pub fn row_mut(&mut self, y: u32) -> Option<&mut [[u8; 3]]> {
        self.pixels.chunks_exact_mut(self.width as usize).nth(y as usize)
    }

    /// The pixel in column `x` of row `y`.
    pub fn pixel(&self, x: u32, y: u32) -> [u8; 3] {
        self.rows().nth(y as usize).expect("a row inside")[x as usize]
    }

    /// The rows, from the top.
    pub fn rows(&self) -> impl Iterator<Item = &[[u8; 3]]> {
        self.pixels.chunks_exact(self.width as usize)
    }

    /// Each pixel with its column and row.
    pub fn places(&self) -> impl Iterator<Item = (u32, u32, [u8; 3])> {
        let width = self.width;
        (0..).zip(&self.pixels).map(move |(i, pixel): (u32, _)| (i % width, i / width, *pixel))
    }
}

/// A picture of shapes, for files that can be enlarged. Lengths are in points, 72 to the inch, from
/// the top left corner.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct VectorPicture {
    /// Its width.
    pub width: f64,
    /// Its height.
    pub height: f64,
    /// From the first drawn to the last, which lies on top.
    pub shapes: Vec<Shape>,
}

/// A part of a [`VectorPicture`].
#[derive(Clone, Debug, PartialEq)]
pub enum Shape {
    /// An image in a box.
    Image {
        /// Left, top, width and height.
        place: [f64; 4],
        /// What it shows.
        picture: Picture,
    },
    /// A filled outline; parts of the opposite orientation are holes.
    Outline {
        /// Of all of it.
        colour: [u8; 3],
        /// Its lines and curves.
        path: Vec<Step>,
    },
}

/// A step of an outline, to points (across, down).
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Step {
    /// Begins a part.
    Move([f64; 2]),
    /// A straight line.
    Line([f64; 2]),
    /// A quadratic curve by its control point.
    Quadratic([[f64; 2]; 2]),
    /// A cubic curve by its control points.
    Cubic([[f64; 2]; 3]),
    /// Ends a part at its beginning.
    Close,
}

impl Step {
    /// The same step with its points moved.
    pub fn map(self, at: impl Fn([f64; 2]) -> [f64; 2]) -> Self {
        match self {
            Step::Move(to) => Step::Move(at(to)),
            Step::Line(to) => Step::Line(at(to)),
            Step::Quadratic(to) => Step::Quadratic(to.map(at)),
            Step::Cubic(to) => Step::Cubic(to.map(at)),
            Step::Close => Step::Close,
        }
    }
}

/// The colours of fields and models, in place of those of each kind of picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "flags", derive(clap::ValueEnum))]
#[serde(rename_all = "kebab-case")]
pub enum Colours {
    /// White to black.
    Grey,
    /// Blue over white to red.
    BlueRed,
    /// Brown over white to blue-green.
    BrownTeal,
    /// Purple over white to orange.
    PurpleOrange,
    /// Violet to yellow.
    Viridis,
    /// Blue to yellow, alike with any colour blindness.
    Cividis,
    /// Black over red to pale yellow.
    Magma,
    /// Black over orange to pale yellow.
    Inferno,
    /// Blue over green to red.
    Turbo,
}

/// The unit of lengths along the axes of pictures.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "flags", derive(clap::ValueEnum))]
#[serde(rename_all = "lowercase")]
pub enum AxisUnit {
    /// Kilometres.
    #[default]
    Km,
    /// Metres.
    M,
}
