//! The content of a model file, for reports.

use super::axis_info::AxisInfo;
use crate::{
    cli::command::file_report::Lines,
    io::{
        file_axis::FileAxis,
        model_file::{Format, ModelFile, Plausible},
        model_unit::ModelUnit,
    },
    model::{AxisOrder, Density, ModelQuantity},
};
use serde::Serialize;

/// The content of a model file.
#[derive(Serialize)]
pub(crate) struct Contents {
    path: String,
    format: Format,
    /// Slowest axis first.
    shape: Vec<usize>,
    /// Axis order, if the file names it or it is given.
    order: Option<String>,
    axes: Vec<AxisInfo>,
    /// Unit of the values, if the file names it.
    unit: Option<String>,
    #[serde(skip)]
    quantity: ModelQuantity,
    /// m/s, or kg/m3 of a density; finite values only.
    least: Option<f32>,
    most: Option<f32>,
    not_finite: usize,
    plausible: bool,
    looks: String,
    warnings: Vec<String>,
}

impl Contents {
    /// Of a file whose axes have this order, if it is known, and whose values have this unit.
    pub(crate) fn of(file: &ModelFile, order: Option<AxisOrder>, unit: ModelUnit) -> Self {
        let own = |v: &f32| unit.own_value(f64::from(*v)) as f32;
        let finite = || file.values.iter().map(own).filter(|v| v.is_finite());
        let (least, most) = (finite().reduce(f32::min), finite().reduce(f32::max));
        let not_finite = file.values.len() - finite().count();
        let quantity = file.quantity;
        let (plausible, looks) = match (least, most, not_finite) {
            (Some(least), Some(most), 0) => judged(quantity, least, most),
            _ if quantity == ModelQuantity::Density => {
                (false, "no densities: not all are finite".into())
            }
            _ => (false, Plausible::No.to_string()),
        };
        let axis = |(n, axis): (&usize, &FileAxis)| AxisInfo {
            n: *n,
            axis: axis.clone(),
            spacing_metres: axis.spacing.and_then(|h| axis.scale().ok().map(|scale| scale * h)),
        };
        Contents {
            path: file.path.clone(),
            format: file.format,
            shape: file.shape.clone(),
            order: order.map(|order| order.to_string()),
            axes: file.shape.iter().zip(&file.axes).map(axis).collect(),
            unit: file.unit.clone(),
            least,
            most,
            not_finite,
            quantity,
            plausible,
            looks,
            warnings: file.warnings.clone(),
        }
    }

    /// One line per property, its name first.
    pub(crate) fn text(&self) -> String {
        let mut lines = Lines::new(&self.path, 8);
        let is_one = self.shape.len() == 1;
        let slowest = if self.shape.len() > 1 { ", slowest axis first" } else { "" };
        lines.line("format", format!("{}, shape {:?}{slowest}", self.format, self.shape));
        lines.line(
            "axes",
            match &self.order {
                Some(order) => order,
                None if is_one => "one; a model has two or three, and a wavelet has one",
                None => "not named: give axes = \"...\", or --axes",
            },
        );
        for (index, axis) in self.axes.iter().enumerate() {
            let letter = self.order.as_deref().and_then(|order| order.chars().nth(index));
            lines.line(
                "",
                if is_one { format!("{} samples", axis.n) } else { axis.text(index, letter) },
            );
        }
        // Values have a unit, if they are plausible.
        let own = self.quantity.unit();
        let unit = match (&self.unit, self.plausible) {
            (Some(unit), _) if unit == own => format!(" {own}"),
            (Some(unit), _) => format!(" {own} (from {unit})"),
            (None, true) => format!(" {own}, if it is a model: the file names no unit"),
            (None, false) => String::new(),
        };
        let values = match (self.least, self.most) {
            (Some(least), Some(most)) => format!("{least} to {most}{unit}"),
            _ => "none is finite".into(),
        };
        let not_finite = match self.not_finite {
            0 => String::new(),
            count => format!(", and {count} that are not finite"),
        };
        lines.line("values", values + &not_finite);
        lines.line("", &self.looks);
        lines.end(&self.warnings)
    }
}

/// Whether values are plausible, and what they look like.
fn judged(quantity: ModelQuantity, least: f32, most: f32) -> (bool, String) {
    match quantity {
        ModelQuantity::Velocity => {
            let looks = Plausible::of(least, most);
            (looks == Plausible::Yes, looks.to_string())
        }
        ModelQuantity::Density => match Density::check_unit(least, most) {
            Err(error) => (false, error.to_string()),
            Ok(()) if least > 0.0 => (true, "plausible densities in kg/m3".into()),
            Ok(()) => (false, "no densities: these are positive".into()),
        },
        ModelQuantity::Epsilon | ModelQuantity::Delta => (true, "plain numbers".into()),
    }
}
