//! The figures of a job.

use crate::picture::{AxisUnit, Colours};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_with_macros::skip_serializing_none;
use std::{path::Path, str::FromStr};

/// Width and height of a picture.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize, Serialize)]
#[serde(try_from = "String", into = "String")]
pub(crate) enum Sides {
    Pixels(u32, u32),
    Centimetres(f64, f64),
}

/// Centimetres per inch.
const INCH: f64 = 2.54;

impl Sides {
    /// Width and height in pixels, at so many pixels per inch.
    pub(crate) fn pixels(self, dpi: f64) -> (u32, u32) {
        let pixels = |side: f64| (side / INCH * dpi).round() as u32;
        match self {
            Sides::Pixels(width, height) => (width, height),
            Sides::Centimetres(width, height) => (pixels(width), pixels(height)),
        }
    }
}

impl FromStr for Sides {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        fn sides<T: FromStr>(text: &str) -> Option<(T, T)> {
            let (width, height) = text.split_once('x')?;
            Some((width.trim().parse().ok()?, height.trim().parse().ok()?))
        }
        let is_length = |side: f64| side.is_finite() && side > 0.0;
        let found = match text.trim().strip_suffix("cm") {
            Some(text) => sides(text)
                .filter(|(width, height)| is_length(*width) && is_length(*height))
                .map(|(width, height)| Sides::Centimetres(width, height)),
            None => sides(text).map(|(width, height)| Sides::Pixels(width, height)),
        };
        found.ok_or_else(|| {
            format!(
                "\"{text}\" is no size; give pixels such as 1600x900 or centimetres such as 16x9cm"
            )
        })
    }
}

impl TryFrom<String> for Sides {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        text.parse()
    }
}

impl From<Sides> for String {
    fn from(sides: Sides) -> String {
        match sides {
            Sides::Pixels(width, height) => format!("{width}x{height}"),
            Sides::Centimetres(width, height) => format!("{width}x{height}cm"),
        }
    }
}

/// A format of pictures.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum PictureFormat {
    Png,
    Svg,
    Pdf,
}

impl PictureFormat {
    const ALL: [Self; 3] = [Self::Png, Self::Svg, Self::Pdf];

    /// The ending of its files.
    pub(crate) fn ending(self) -> &'static str {
        match self {
            Self::Png => "png",
            Self::Svg => "svg",
            Self::Pdf => "pdf",
        }
    }

    /// That of a file, by its ending.
    pub(crate) fn of(path: &Path) -> Option<Self> {
        let ending = path.extension()?.to_str()?.to_ascii_lowercase();
        Self::ALL.into_iter().find(|format| format.ending() == ending)
    }
}

/// How pictures are drawn.
#[skip_serializing_none]
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Figures {
    /// Such as "1600x900" or "16x9cm".
    #[schemars(with = "Option<String>")]
    pub(crate) size: Option<Sides>,
    /// Pixels to the inch.
    pub(crate) dpi: Option<f64>,
    /// Power of time, 0 to 10, by which samples of gathers are multiplied.
    pub(crate) gain: Option<f64>,
    /// Automatic gain control of gathers: samples are divided by the root mean square of a window of this many seconds.
    pub(crate) agc: Option<f64>,
    /// Percentile of amplitudes, above 0 to 100, beyond which gathers are clipped.
    pub(crate) clip: Option<f64>,
    /// Value at the ends of the colours of wavefields, images and gradients, so that pictures of several runs can be
    /// compared; by default each picture has its own.
    pub(crate) largest: Option<f64>,
    /// Size of the numbers at axes, points, from 5 to 20; lines and marks are as much smaller or larger.
    pub(crate) font_size: Option<f64>,
    /// Colours of fields, gathers and models, in place of those of each kind of picture; fields then hide the model.
    pub(crate) colours: Option<Colours>,
    /// Unit of lengths along axes, km by default.
    pub(crate) units: Option<AxisUnit>,
    /// False draws no sources, receivers and results over pictures.
    pub(crate) overlays: Option<bool>,
    /// The title of each picture, in place of its own.
    pub(crate) title: Option<String>,
    /// The formats of pictures, `["png"]` by default; SVG and PDF have axes and letters that can be enlarged.
    pub(crate) formats: Option<Vec<PictureFormat>>,
}

impl Figures {
    /// The value at the ends of the colours, if it is given.
    pub(crate) fn largest(&self) -> Option<f32> {
        self.largest.map(|largest| largest as f32)
    }

    /// The formats of pictures.
    pub(crate) fn formats(&self) -> &[PictureFormat] {
        self.formats.as_deref().unwrap_or(&[PictureFormat::Png])
    }

    /// True if nothing is set.
    pub(crate) fn is_plain(&self) -> bool {
        *self == Self::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_pixels_or_centimetres() {
        assert_eq!("1600x900".parse(), Ok(Sides::Pixels(1600, 900)));
        assert_eq!("16 x 9.5 cm".parse(), Ok(Sides::Centimetres(16.0, 9.5)));
        for bad in
            ["", "1600", "16.5x9", "-3x4", "ax4cm", "0x4cm", "nanx4cm", "infx4cm", "3x4x5", "3x4in"]
        {
            let said = bad.parse::<Sides>().expect_err(bad);
            assert!(said.contains(bad) && said.contains("16x9cm"), "{said}");
        }
    }
}
