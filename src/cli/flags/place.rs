//! The place of a model on the map.

use crate::{
    job::{JobFile, Origin},
    model::{Placement, Side},
};

/// Where the model lies on the map, instead of the place in the file.
#[derive(clap::Args)]
pub(crate) struct PlaceArguments {
    /// Map position of the model's first node, metres: x=500000,y=6700000,elevation=120. y and elevation default to 0.
    #[arg(long, value_name = "PLACE", allow_hyphen_values = true, value_parser = origin)]
    origin: Option<Origin>,
    /// Direction of the x axis, degrees clockwise from north; 90 is east.
    #[arg(long, value_name = "DEGREES", allow_negative_numbers = true, value_parser = azimuth)]
    azimuth: Option<f64>,
    /// Side of the x axis on which the y axis lies, looking along x.
    #[arg(long, value_enum, value_name = "SIDE")]
    y_axis: Option<Side>,
}

impl PlaceArguments {
    /// The place of a model whose file gives this one.
    pub(crate) fn place(&self, own: Placement) -> Placement {
        let placement = Placement {
            origin: self.origin.map_or(own.origin, Origin::position),
            azimuth: self.azimuth.unwrap_or(own.azimuth),
            y_axis: self.y_axis.unwrap_or(own.y_axis),
        };
        if placement != own && !own.is_plain() {
            tracing::info!("the first node is taken to lie at {placement}, as given");
        }
        placement
    }
}

impl PlaceArguments {
    /// Overrides the keys of a job.
    pub(crate) fn apply_to(&self, file: &mut JobFile) {
        let JobFile { job, flags, .. } = file;
        let model = &mut job.model;
        let mut flag = |key: &str, words: String| {
            flags.insert(format!("model.{key}"), words);
        };
        if let Some(origin) = self.origin {
            model.origin = Some(origin);
            flag("origin", format!("--origin {origin}"));
        }
        if let Some(azimuth) = self.azimuth {
            model.azimuth = Some(azimuth);
            flag("azimuth", format!("--azimuth {azimuth}"));
        }
        if let Some(side) = self.y_axis {
            model.y_axis = Some(side);
            let side = if side == Side::Left { "left" } else { "right" };
            flag("y_axis", format!("--y-axis {side}"));
        }
    }
}

fn azimuth(text: &str) -> Result<f64, String> {
    let degrees = text.parse().ok().filter(|of: &f64| of.abs() <= 360.0);
    degrees.ok_or_else(|| "give degrees clockwise from north, from -360 to 360".into())
}

/// A point of the map from a flag.
fn origin(text: &str) -> Result<Origin, String> {
    let mut origin = Origin { x: f64::NAN, y: 0.0, elevation: 0.0 };
    for part in text.split(',') {
        let wrong = || format!("\"{part}\" is not one of x=METRES, y=METRES and elevation=METRES");
        let (name, value) = part.split_once('=').ok_or_else(wrong)?;
        let value = value.trim().parse::<f64>().ok().filter(|value| value.abs() < 1e9);
        *match name.trim() {
            "x" => &mut origin.x,
            "y" => &mut origin.y,
            "elevation" => &mut origin.elevation,
            _ => return Err(wrong()),
        } = value.ok_or_else(wrong)?;
    }
    match origin.x.is_finite() {
        true => Ok(origin),
        false => Err("give x, as in x=500000,y=6700000".into()),
    }
}
