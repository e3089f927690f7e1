//! The models that need no file, by name.

use super::{MAX_NODES, ModelError, VelocityModel, homogeneous, layers, salt};
use ndarray::Array2;

/// A model drawn by a function of position.
pub struct Builtin {
    /// What follows `builtin:` in a job.
    pub name: &'static str,
    /// Velocity in m/s at x and z in metres.
    pub velocity: fn(f64, f64) -> f64,
}

/// Every built-in model; a new one is a file and a line here.
pub const BUILTINS: &[Builtin] = &[
    Builtin { name: "salt", velocity: salt::velocity },
    Builtin { name: "layers", velocity: layers::velocity },
    Builtin { name: "homogeneous", velocity: homogeneous::velocity },
];

/// Nodes along x and z where a job gives none: the thesis' 13,500 m x 4,200 m in cells of 20 m.
const NODES: (usize, usize) = (675, 210);
/// Spacing along x and z where a job gives none, metres.
const SPACING: (f64, f64) = (20.0, 20.0);

/// A built-in model on a grid of `nodes` (x, z) `spacing` (x, z) metres apart. Without nodes the grid
/// covers the thesis' 13.5 km x 4.2 km.
pub fn builtin(
    name: &str,
    nodes: Option<(usize, usize)>,
    spacing: Option<(f64, f64)>,
) -> Result<VelocityModel, ModelError> {
    let Some(model) = BUILTINS.iter().find(|model| model.name == name) else {
        let known: Vec<_> = BUILTINS.iter().map(|model| model.name).collect();
        return Err(ModelError::NoBuiltin { name: name.to_owned(), known: known.join(", ") });
    };
    let (hx, hz) = spacing.unwrap_or(SPACING);
    crate::grid::Grid::plane(1, 1, hx, hz)?;
    let covering =
        |n: usize, standard: f64, h: f64| ((n as f64 * standard / h).round() as usize).max(1);
    let (nx, nz) =
        nodes.unwrap_or((covering(NODES.0, SPACING.0, hx), covering(NODES.1, SPACING.1, hz)));
    if nx.checked_mul(nz).is_none_or(|nodes| nodes > MAX_NODES) {
        return Err(ModelError::TooLarge { nx, nz });
    }
    let velocity =
        |(ix, iz): (usize, usize)| (model.velocity)(ix as f64 * hx, iz as f64 * hz) as f32;
    VelocityModel::new(Array2::from_shape_fn((nx, nz), velocity), hx, hz)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_salt_model_has_the_thesis_geometry_and_never_changes() {
        let model = builtin("salt", None, None).expect("a built-in model");
        assert_eq!((model.grid().n.x, model.grid().n.z), (675, 210));
        let (slowest, fastest) = model.range();
        assert_eq!(slowest, 1500.0);
        assert!((4400.0..=4500.0).contains(&fastest), "{fastest}");
        assert_eq!(builtin("salt", None, None), Ok(model));
    }

    #[test]
    fn an_unknown_name_lists_the_known_ones() {
        let error = builtin("sand", None, None).expect_err("no such model").to_string();
        assert!(error.contains("salt, layers, homogeneous"), "{error}");
    }
}
