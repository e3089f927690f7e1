//! The built-in models, and numbers given for each axis.

use crate::{
    cli::failure::Failure,
    grid::{Axes, PerAxis, PlaneAxes},
    job::OneOrEach,
    model::{Builtin, VelocityModel, builtin, builtin_volume},
};
use std::path::Path;

/// The name in `builtin:NAME`.
pub(crate) fn builtin_name(from: &Path) -> Option<&str> {
    from.to_str().and_then(|name| name.strip_prefix("builtin:"))
}

/// A built-in model; a volume if a y is given, or if it exists only in 3-D.
pub(crate) fn built(
    name: &str,
    nodes: Option<PerAxis<usize>>,
    spacing: Option<OneOrEach<f64>>,
) -> Result<VelocityModel, Failure> {
    let only_volume = Builtin::named(name).map_err(Failure::input)?.volume;
    let y_given = nodes.is_some_and(|n| n.y.is_some()) || spacing.is_some_and(|h| h.has_y());
    let volume = only_volume || y_given;
    let h = spacing.map(|h| each("--spacing", h, volume)).transpose()?;
    let n = nodes.map(|n| each("--nodes", OneOrEach::Each(n), volume)).transpose()?;
    match volume {
        true => builtin_volume(name, n, h),
        false => {
            let nodes = n.map(|n| PlaneAxes { x: n.x, z: n.z });
            builtin(name, nodes, h.map(|h| PlaneAxes { x: h.x, z: h.z }))
        }
    }
    .map_err(Failure::input)
}

/// One value per axis; in 2-D y takes the value of x.
pub(crate) fn each<T: Copy>(
    flag: &str,
    value: OneOrEach<T>,
    volume: bool,
) -> Result<Axes<T>, Failure> {
    match (value, volume) {
        (OneOrEach::One(value), _) => Ok(Axes { z: value, x: value, y: value }),
        (OneOrEach::Each(PerAxis { z, x, y: Some(y) }), true) => Ok(Axes { z, x, y }),
        (OneOrEach::Each(PerAxis { z, x, y: None }), false) => Ok(Axes { z, x, y: x }),
        (_, true) => Err(Failure::input(format!(
            "the model is 3-D, and {flag} has no y; give one beside z and x"
        ))),
        (_, false) => Err(Failure::input(format!("the model is 2-D; leave the y of {flag} out"))),
    }
}
