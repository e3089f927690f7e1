//! The size of pictures.

use crate::{
    job::{Figures, Sides},
    render::{FigureSize, LeastSize, RenderError},
    results::gain,
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
        self.over(Figures::default(), least)
    }

    /// The same, with the job's settings as defaults for the command line's.
    pub(crate) fn over(&self, job: Figures, least: LeastSize) -> Result<FigureSize, RunError> {
        let dpi = self.dpi.or(job.dpi);
        let paper = dpi.unwrap_or(FigureSize::default().dpi());
        let sides = self.figure_size.or(job.size);
        let pixels = sides.map(|sides| sides.pixels(paper));
        let refused = |error: RenderError| RunError::input(error.to_string());
        gain(&job).check().map_err(refused)?;
        if let Some(largest) = job.largest().filter(|of| !(of.is_finite() && *of > 0.0)) {
            return Err(RunError::input(format!(
                "colours cannot end at {largest}; give output.figures.largest above 0, or leave \
                 it out"
            )));
        }
        let size = FigureSize::new(pixels, paper).map_err(refused)?;
        match (sides, size.check(least)) {
            (_, Ok(())) => Ok(size),
            (Some(sides @ Sides::Centimetres(..)), Err(_)) => {
                let (width, height) = FigureSize::least_centimetres(least);
                Err(RunError::input(format!(
                    "a figure of {} is too small for its text; give at least {width}x{height}cm, \
                     or pixels with fewer dpi",
                    String::from(sides)
                )))
            }
            (_, Err(error)) => Err(refused(error)),
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
        assert_eq!(size("25.4x12.7cm", None), FigureSize::new(Some((1500, 750)), 150.0).ok());
        assert_eq!(
            size("25.4x12.7cm", Some(300.0)),
            FigureSize::new(Some((3000, 1500)), 300.0).ok()
        );
        assert_eq!(size("99x500", None), None, "too small");
    }

    #[test]
    fn the_command_line_goes_before_the_job() {
        let job = Figures {
            size: Some(Sides::Pixels(1000, 800)),
            dpi: Some(100.0),
            ..Figures::default()
        };
        let over = |arguments: FigureArguments| arguments.over(job, LEAST).ok();
        assert_eq!(
            over(FigureArguments::default()),
            FigureSize::new(Some((1000, 800)), 100.0).ok()
        );
        let finer = FigureArguments { figure_size: None, dpi: Some(200.0) };
        assert_eq!(over(finer), FigureSize::new(Some((1000, 800)), 200.0).ok());
    }
}
