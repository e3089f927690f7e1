//! A self-contained .npz of a gather with its times and positions.

use crate::results::ResultsError;
use crate::{
    grid::Position,
    io::{
        npz::{self, Array, Text},
        placement,
    },
    job::Inputs,
    operations::shot::ShotResult,
};
use ndarray::{Array1, Array2};

/// Description of the arrays, for readers without the manual.
const ABOUT: &str = "\
pressure   [receiver][time], f32
time       s, of each sample
sources    [source][x, y, z], metres from the model's first node, z down
receivers  [receiver][x, y, z], likewise
map_origin easting, northing and elevation of that node, azimuth the direction of x and y_axis the
           side of y, as of the model, if it has a place on the map
";

/// The bytes of the archive.
pub(crate) fn gather(inputs: &Inputs, result: &ShotResult) -> Result<Vec<u8>, ResultsError> {
    let (plan, asked) = (&inputs.plan, &inputs.plan.shots[result.shot].asked);
    let interval = plan.time.interval();
    let times = Array1::from_shape_fn(result.gather.ncols(), |k| k as f64 * interval);
    let sources: Vec<Position> = asked.sources.iter().map(|source| source.at).collect();
    let (sources, receivers) = (positions(&sources), positions(&asked.receivers));
    let placed = placement::numbers(inputs.model.placement()).into_iter();
    let placed: Vec<_> =
        placed.map(|(name, of)| (name.to_owned(), Array1::from(of).into_dyn())).collect();
    let mut arrays = vec![
        ("pressure".into(), Array::F32(result.gather.view().into_dyn())),
        ("time".into(), Array::F64(times.view().into_dyn())),
        ("sources".into(), Array::F64(sources.view().into_dyn())),
        ("receivers".into(), Array::F64(receivers.view().into_dyn())),
    ];
    arrays.extend(placed.iter().map(|(name, of)| (name.clone(), Array::F64(of.view()))));
    npz::bytes(Text { name: "about.txt", text: ABOUT }, &arrays).map_err(ResultsError::failed)
}

fn positions(of: &[Position]) -> Array2<f64> {
    Array2::from_shape_fn((of.len(), 3), |(k, axis)| [of[k].x, of[k].y, of[k].z][axis])
}
