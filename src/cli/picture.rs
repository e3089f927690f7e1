//! How large pictures are, and what they say of themselves.

use super::failure::Failure;
use huygens::{io::png::About, render::FigureSize};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::str::FromStr;

/// Centimetres to the inch.
const INCH: f64 = 2.54;

#[derive(clap::Args, Clone, Debug, Default)]
pub struct FigureArguments {
    /// Width and height of every picture, pixels or cm, such as 1600x900 or 16x9cm [default: 10.67 inches wide, and
    /// as high as what it shows]
    #[arg(long, value_name = "WIDTHxHEIGHT")]
    figure_size: Option<Sides>,
    /// Pixels to the inch, with which text and lines grow [default: 150]
    #[arg(long, value_name = "NUMBER", allow_negative_numbers = true)]
    dpi: Option<f64>,
}

/// Width and height of a picture.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize, Serialize)]
#[serde(try_from = "String", into = "String")]
pub enum Sides {
    Pixels(u32, u32),
    Centimetres(f64, f64),
}

impl FromStr for Sides {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let sides = |text: &str| {
            text.split_once('x')
                .map(|(width, height)| (width.trim().to_owned(), height.trim().to_owned()))
        };
        let found = match text.trim().strip_suffix("cm") {
            Some(text) => sides(text).and_then(|(width, height)| {
                let (width, height): (f64, f64) = (width.parse().ok()?, height.parse().ok()?);
                let real = |side: f64| side.is_finite() && side > 0.0;
                (real(width) && real(height)).then_some(Sides::Centimetres(width, height))
            }),
            None => sides(text).and_then(|(width, height)| {
                Some(Sides::Pixels(width.parse().ok()?, height.parse().ok()?))
            }),
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

/// The size of figures, as a job says it.
#[derive(Clone, Copy, Debug, Default, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Figures {
    /// Such as "1600x900" or "16x9cm".
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<String>")]
    pub size: Option<Sides>,
    /// Pixels to the inch.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dpi: Option<f64>,
}

impl Figures {
    /// Whether nothing is said.
    pub fn is_plain(&self) -> bool {
        self.size.is_none() && self.dpi.is_none()
    }
}

impl FigureArguments {
    /// The size of figures with at least so many dots of 1/150 inch across and down.
    pub fn size(&self, least: (u32, u32)) -> Result<FigureSize, Failure> {
        self.over(Figures::default(), least)
    }

    /// The same where a job says what the command line does not.
    pub fn over(&self, job: Figures, least: (u32, u32)) -> Result<FigureSize, Failure> {
        let dpi = self.dpi.or(job.dpi);
        let paper = dpi.unwrap_or(FigureSize::default().dpi());
        let pixels = self.figure_size.or(job.size).map(|sides| match sides {
            Sides::Pixels(width, height) => (width, height),
            Sides::Centimetres(width, height) => {
                let pixels = |side: f64| (side / INCH * paper).round() as u32;
                (pixels(width), pixels(height))
            }
        });
        let size = FigureSize::new(pixels, paper).map_err(Failure::input)?;
        match (self.figure_size.or(job.size), size.check(least)) {
            (_, Ok(())) => Ok(size),
            // On paper the resolution changes nothing.
            (Some(sides @ Sides::Centimetres(..)), Err(_)) => {
                let paper = |dots: u32| {
                    (10.0 * INCH * f64::from(dots) / FigureSize::default().dpi()).ceil() / 10.0
                };
                Err(Failure::input(format!(
                    "a figure of {} is too small for its text; give at least {}x{}cm, or pixels with fewer dpi",
                    String::from(sides),
                    paper(least.0),
                    paper(least.1)
                )))
            }
            (_, Err(error)) => Err(Failure::input(error)),
        }
    }
}

/// What a picture of this command says of itself.
pub fn about(title: &str, size: FigureSize) -> About {
    let quoted = |word: String| match word.contains([' ', '\'', '"']) || word.is_empty() {
        true => format!("'{}'", word.replace('\'', "'\\''")),
        false => word,
    };
    let words = std::env::args_os().skip(1).map(|word| quoted(word.to_string_lossy().into_owned()));
    let command: Vec<String> = ["huygens".to_owned()].into_iter().chain(words).collect();
    About { title: title.to_owned(), command: command.join(" "), job: None, dpi: size.dpi() }
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
        let size = |text: &str, dpi| {
            let figure_size = Some(text.parse().expect("a size"));
            FigureArguments { figure_size, dpi }.size((100, 100)).ok()
        };
        assert_eq!(size("25.4x12.7cm", None), FigureSize::new(Some((1500, 750)), 150.0).ok());
        assert_eq!(
            size("25.4x12.7cm", Some(300.0)),
            FigureSize::new(Some((3000, 1500)), 300.0).ok()
        );
        assert_eq!(size("99x500", None), None, "too small");
    }

    #[test]
    fn the_command_line_goes_before_the_job() {
        let job = Figures { size: Some(Sides::Pixels(1000, 800)), dpi: Some(100.0) };
        let over = |arguments: FigureArguments| arguments.over(job, (100, 100)).ok();
        assert_eq!(
            over(FigureArguments::default()),
            FigureSize::new(Some((1000, 800)), 100.0).ok()
        );
        let finer = FigureArguments { figure_size: None, dpi: Some(200.0) };
        assert_eq!(over(finer), FigureSize::new(Some((1000, 800)), 200.0).ok());
    }
}
