//! The files of a least-squares migration: the image, the residual, and the image of each iteration.

use super::{LeastSquares, Solved, fitted::Fitted};
use crate::{
    io::journal::Piece,
    job::{GatherFormat, Inputs},
    operations::{rtm::files, shot::files::SurveyTraces},
    render::{Across, Curve, CurveFigure, Line, Quantity},
    results::{Results, ResultsError, written},
};
use ndarray::{Array2, Array3};

/// What the headers of images say.
const HEADING: &str = "LEAST-SQUARES MIGRATION";

/// The destination, and the migration.
pub(crate) struct Output<'a> {
    /// The folder.
    pub(crate) results: &'a Results<'a>,
    /// The least-squares migration.
    pub(crate) of: &'a LeastSquares,
}

impl Output<'_> {
    fn images(&self) -> files::Output<'_> {
        let (migrated, scale) = (&self.of.migrated, Array3::default((0, 0, 0)));
        let (results, quantity) = (self.results, Quantity::VELOCITY_CHANGE);
        files::Output { results, migrated, heading: HEADING, quantity, scale }
    }

    /// Writes the image after an iteration, if it is wanted, of a sweep with this number, and the
    /// residual so far; returns its file.
    pub(crate) fn iteration(
        &self,
        done: &Solved,
        number: usize,
    ) -> Result<Vec<Piece>, ResultsError> {
        self.residuals(&done.residuals())?;
        let iterations = done.iterations();
        if !self.of.keys.images || iterations == 0 {
            return Ok(Vec::new());
        }
        let (name, output) = (format!("images/{iterations:03}"), self.images());
        let image = self.results.single(&name, &done.image(self.of)).values;
        files::finite(&name, &image)?;
        let piece = self.results.piece(number, &format!("{name}.npy"), written(&image))?;
        output.picture(&name, &title(iterations), output.shown(&image), output.middle())?;
        Ok(vec![piece])
    }

    /// Writes the last image and the residuals.
    pub(crate) fn last(&self, done: &Solved) -> Result<(), ResultsError> {
        let _writing = (self.results.show)("writing images", 0);
        let image = done.image(self.of);
        if image.iter().all(|value| *value == 0.0) {
            tracing::warn!(
                "the image is 0 everywhere: the traces are, as they were given or once rtm.mute, taper and band were applied"
            );
        }
        self.images().map("image", &title(done.iterations()), &image)?;
        self.residuals(&done.residuals())
    }

    /// Writes the traces that the image explains and those that it leaves, weighed as they are compared.
    pub(crate) fn traces(&self, inputs: &Inputs, fitted: &Fitted) -> Result<(), ResultsError> {
        let all = [
            ("modelled", "TRACES THAT THE IMAGE SCATTERS", &fitted.modelled),
            ("residual", "TRACES THAT THE IMAGE LEAVES", &fitted.residual),
        ];
        for (name, heading, gathers) in all {
            let samples = gathers.first().map_or(0, Array2::ncols);
            let interval = fitted.interval;
            let survey = SurveyTraces { format: GatherFormat::Sgy, samples, interval, heading };
            let gather = |shot: usize| gathers[shot].view().into();
            survey.write(&format!("{name}.sgy"), self.results, inputs, gather)?;
        }
        Ok(())
    }

    /// Writes the residual after each iteration as a list and as a picture.
    fn residuals(&self, residuals: &[f64]) -> Result<(), ResultsError> {
        let lines = residuals.iter().enumerate().map(|(k, residual)| format!("{k},{residual:e}\n"));
        let text: String =
            std::iter::once("iteration,residual\n".to_owned()).chain(lines).collect();
        self.results.folder.replace("residuals.csv", text.as_bytes())?;
        if residuals.len() < 2 {
            return Ok(());
        }
        let points = residuals.iter().enumerate();
        let points = points.map(|(k, residual)| (k as f64, 100.0 * residual)).collect();
        let name = self.results.file.model_name();
        let mut figure = CurveFigure {
            title: format!("{name}, residual"),
            subtitle: "weighted traces less those that the image explains, root mean square".into(),
            across: "Iteration".into(),
            up: "Residual (% of the traces)".into(),
            ticks: Across::Linear,
            log: false,
            curves: vec![Curve { name: "residual".into(), points, line: Line::Solid }],
            lines: Vec::new(),
        };
        self.results.replace("residual", &mut figure)
    }
}

fn title(iterations: usize) -> String {
    let plural = if iterations == 1 { "" } else { "s" };
    format!("dv/v after {iterations} iteration{plural}")
}
