//! A focus map in a file as a picture.

use super::{Focus, focus_figure, scaled};
use crate::{
    grid::{Axes, Position},
    job::JobError,
    operations::locate::Ellipse,
    plan::Condition,
    render::Marks,
    results::{Easel, ResultPicture, StoredResult, undrawn},
};
use ndarray::{ArrayView3, Ix3};
use serde_json::Value;

/// The picture of a location.
pub(crate) const PICTURES: &[ResultPicture] =
    &[ResultPicture { is_of: |of| of.stem() == "focus", draw: focus }];

fn focus(of: &StoredResult<'_>, easel: &mut dyn Easel) -> Result<(), JobError> {
    let values = of.values.view();
    let field: ArrayView3<'_, f32> = match values.ndim() {
        2 => of.field(values)?,
        _ => {
            let field = values.into_dimensionality::<Ix3>().ok();
            let shape = of.model.grid().shape();
            field.filter(|field| field.dim() == shape).ok_or_else(|| of.unlike())?
        }
    };
    let found = of.record["found"].as_array().map_or(&[][..], Vec::as_slice);
    let foci: Vec<_> = found.iter().map(placed).collect();
    let highest = found.first().and_then(|found| found["value"].as_f64());
    let map = scaled(&field.to_owned(), highest.map(|value| value as f32));
    let condition = match of.record["focus"].to_string().contains("energy") {
        true => Condition::Energy { quarter: 1 },
        false => Condition::Amplitude,
    };
    let marks = Marks { found: foci.iter().map(|of| of.at).collect(), ..Marks::default() };
    let name = of.file.medium_name();
    let figure = focus_figure(&name, of.model, map.view(), condition, &foci, marks);
    easel.take(figure.map_err(undrawn)?.as_mut(), of.least());
    Ok(())
}

/// A source that was found, as the record describes it.
fn placed(found: &Value) -> Focus {
    let extent = &found["extent"];
    let number = |name: &str| extent[name].as_f64().unwrap_or(0.0);
    let (zx, zy, xy) = (number("zx"), number("zy"), number("xy"));
    let extent = Ellipse { half: position(&extent["half"]), zx, zy, xy };
    Focus { at: position(&found["at"]), extent }
}

fn position(json: &Value) -> Position {
    let of = |axis: &str| json[axis].as_f64().unwrap_or(0.0);
    Axes { z: of("z"), x: of("x"), y: of("y") }
}
