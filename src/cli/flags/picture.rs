//! The size of pictures.

use super::named::named;
use crate::{
    job::{Figures, Sides},
    picture::{AxisUnit, Colours},
    render::{FigureSize, LeastSize, RenderError},
    results::{gain, look},
    run::RunError,
};

#[derive(clap::Args, Clone, Debug, Default)]
pub(crate) struct FigureArguments {
    /// Width and height of every picture, in pixels or cm: 1600x900 or 16x9cm [default: 10.67 inches wide, height by the
    /// content]
    #[arg(long, value_name = "WIDTHxHEIGHT")]
    figure_size: Option<Sides>,
    /// Pixels per inch; text and lines grow with it [default: 150]
    #[arg(long, value_name = "NUMBER", allow_negative_numbers = true)]
    dpi: Option<f64>,
}

impl FigureArguments {
    /// The size of figures, not below the least.
    pub(crate) fn size(&self, least: LeastSize) -> Result<FigureSize, RunError> {
        self.over(&Figures::default(), least)
    }

    /// The same, with the job's settings as defaults for the command line's.
    pub(crate) fn over(&self, job: &Figures, least: LeastSize) -> Result<FigureSize, RunError> {
        let dpi = self.dpi.or(job.dpi);
        let paper = dpi.unwrap_or(FigureSize::default().dpi());
        let sides = self.figure_size.or(job.size);
        let pixels = sides.map(|sides| sides.pixels(paper));
        let refused = |error: RenderError| RunError::input(error.to_string());
        gain(job).check().map_err(refused)?;
        if let Some(largest) = job.largest().filter(|of| !(of.is_finite() && *of > 0.0)) {
            return Err(RunError::input(format!(
                "colours cannot end at {largest}; give output.figures.largest above 0, or leave \
                 it out"
            )));
        }
        if job.formats().is_empty() {
            return Err(RunError::input(
                "output.figures.formats is empty; name png, svg or pdf in it, or set output.pictures = false",
            ));
        }
        let is_on_paper = matches!(sides, Some(Sides::Centimetres(..)));
        let size = FigureSize::new(pixels, paper).map_err(refused)?.looking(look(job));
        let size = if is_on_paper { size.on_paper() } else { size };
        let size = match job.font_size {
            Some(points) => size.with_letters(points).map_err(refused)?,
            // On paper letters shrink before a figure is refused.
            None if is_on_paper => size.fitted(least.roomy()),
            None => size,
        };
        size.check(least).map_err(refused)?;
        Ok(size)
    }
}

/// How a picture looks.
#[derive(clap::Args, Clone, Debug, Default)]
pub(crate) struct LookArguments {
    /// Size of the numbers along axes, 5 to 20 points; lines and marks scale with it [default: 12.5, less in a small figure
    /// whose size is in cm]
    #[arg(long, value_name = "POINTS", allow_negative_numbers = true)]
    font_size: Option<f64>,
    /// Colours of fields, gathers and models, in place of the usual ones; a field then hides the model.
    #[arg(long, value_enum, value_name = "MAP")]
    colours: Option<Colours>,
    /// Unit of lengths along axes [default: km]
    #[arg(long, value_enum, value_name = "UNIT")]
    units: Option<AxisUnit>,
    /// Whether sources, receivers and results are drawn over the picture [default: on]
    #[arg(long, value_name = "ON", value_parser = named(&[("on", true), ("off", false)]))]
    overlays: Option<bool>,
}

impl LookArguments {
    /// The settings of a job with those of the command line in their place.
    pub(crate) fn over(&self, job: Figures) -> Figures {
        Figures {
            font_size: self.font_size.or(job.font_size),
            colours: self.colours.or(job.colours),
            units: self.units.or(job.units),
            overlays: self.overlays.or(job.overlays),
            ..job
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LEAST: LeastSize = LeastSize { width: 100, height: 100 };

    #[test]
    fn a_size_in_centimetres_grows_with_the_resolution() {
        let size = |text: &str, dpi| {
            let figure_size = Some(text.parse().expect("a size"));
            FigureArguments { figure_size, dpi }.size(LEAST).ok()
        };
        let paper = |pixels, dpi| FigureSize::new(Some(pixels), dpi).ok().map(FigureSize::on_paper);
        assert_eq!(size("25.4x12.7cm", None), paper((1500, 750), 150.0));
        assert_eq!(size("25.4x12.7cm", Some(300.0)), paper((3000, 1500), 300.0));
        assert_eq!(size("99x500", None), None, "too small");
    }

    #[test]
    fn the_command_line_goes_before_the_job() {
        let job = Figures {
            size: Some(Sides::Pixels(1000, 800)),
            dpi: Some(100.0),
            ..Figures::default()
        };
        let over = |arguments: FigureArguments| arguments.over(&job, LEAST).ok();
        assert_eq!(
            over(FigureArguments::default()),
            FigureSize::new(Some((1000, 800)), 100.0).ok()
        );
        let finer = FigureArguments { figure_size: None, dpi: Some(200.0) };
        assert_eq!(over(finer), FigureSize::new(Some((1000, 800)), 200.0).ok());
    }
}
