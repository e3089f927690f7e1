//! An RGB picture in memory.

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
    pub fn pixel_mut(&mut self, x: u32, y: u32) -> Option<&mut [u8; 3]> {
        let index = y as usize * self.width as usize + x as usize;
        if x < self.width { self.pixels.get_mut(index) } else { None }
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
