//! The built-in models, by name.

use super::{ModelError, VelocityModel, check_nodes, homogeneous, layers, lens, salt, salt3d};
use crate::grid::{Axes, Grid, PlaneAxes, Position};
use ndarray::Array3;
use rayon::prelude::*;

/// A model drawn by a function of position.
pub struct Builtin {
    /// The name after `builtin:` in a job.
    pub(crate) name: &'static str,
    /// Velocity in m/s at a position in metres.
    pub(crate) velocity: fn(Position) -> f64,
    /// Default extent, metres.
    pub(crate) extent: Axes<f64>,
    /// Default spacing along every axis, metres.
    pub(crate) spacing: f64,
    /// Whether it is only for volumes.
    pub volume: bool,
}

/// The thesis' 13,500 m x 4,200 m; as a volume, as wide along y as it is deep.
const THESIS: Axes<f64> = Axes { z: 4_200.0, x: 13_500.0, y: 4_200.0 };

const fn section(name: &'static str, velocity: fn(Position) -> f64) -> Builtin {
    Builtin { name, velocity, extent: THESIS, spacing: 20.0, volume: false }
}

/// Every built-in model; a new one is a file and a line here.
pub(crate) const BUILTINS: &[Builtin] = &[
    section("salt", salt::velocity),
    section("layers", layers::velocity),
    section("homogeneous", homogeneous::velocity),
    Builtin { extent: lens::EXTENT, spacing: 10.0, ..section("lens", lens::velocity) },
    Builtin {
        name: "salt3d",
        velocity: salt3d::velocity,
        extent: salt3d::EXTENT,
        spacing: 40.0,
        volume: true,
    },
];

impl Builtin {
    /// The model of a name.
    pub fn named(name: &str) -> Result<&'static Builtin, ModelError> {
        BUILTINS.iter().find(|model| model.name == name).ok_or_else(|| {
            let known: Vec<_> = BUILTINS.iter().map(|model| model.name).collect();
            ModelError::NoBuiltin { name: name.to_owned(), known: known.join(", ") }
        })
    }

    /// Nodes that cover the model, `h` metres apart, as a volume or as a section.
    pub fn nodes(&self, h: Option<Axes<f64>>, volume: bool) -> Axes<usize> {
        let h = h.unwrap_or(Axes { z: self.spacing, x: self.spacing, y: self.spacing });
        let n = self.extent.zip(h).map(|(extent, h)| ((extent / h).round() as usize).max(1));
        if volume { n } else { Axes { y: 1, ..n } }
    }

    /// The velocity at each of `n` nodes, `h` metres apart.
    fn sampled(&self, n: Axes<usize>, h: Axes<f64>) -> Result<VelocityModel, ModelError> {
        Grid::volume(n, h)?;
        check_nodes(n)?;
        let mut velocity = Array3::<f32>::zeros((n.y, n.x, n.z));
        let values = velocity.as_slice_mut().expect("a new array is in its standard order");
        values.par_chunks_exact_mut(n.z).enumerate().for_each(|(column, values)| {
            let (x, y) = ((column % n.x) as f64 * h.x, (column / n.x) as f64 * h.y);
            for (iz, value) in values.iter_mut().enumerate() {
                *value = (self.velocity)(Axes { z: iz as f64 * h.z, x, y }) as f32;
            }
        });
        VelocityModel::volume(velocity, h)
    }
}

/// A built-in 2-D model on a grid of `nodes`, `spacing` metres apart. Without nodes the grid covers
/// the model, and without a spacing it has the model's own.
pub fn builtin(
    name: &str,
    nodes: Option<PlaneAxes<usize>>,
    spacing: Option<PlaneAxes<f64>>,
) -> Result<VelocityModel, ModelError> {
    let model = Builtin::named(name)?;
    if model.volume {
        return Err(ModelError::NoPlane { name: model.name });
    }
    let PlaneAxes { x, z } = spacing.unwrap_or(PlaneAxes { x: model.spacing, z: model.spacing });
    Grid::plane(1, 1, x, z)?;
    let h = Axes { z, x, y: 1.0 };
    let n = match nodes {
        Some(PlaneAxes { x, z }) => Axes { z, x, y: 1 },
        None => model.nodes(Some(h), false),
    };
    model.sampled(n, h)
}

/// A built-in 3-D model on a grid of `nodes`, two or more along y, `spacing` metres apart. Without
/// nodes the grid covers the model; a section is the same at every y.
pub fn builtin_volume(
    name: &str,
    nodes: Option<Axes<usize>>,
    spacing: Option<Axes<f64>>,
) -> Result<VelocityModel, ModelError> {
    let model = Builtin::named(name)?;
    let all = |h| Axes { z: h, x: h, y: h };
    let h = spacing.unwrap_or(all(model.spacing));
    Grid::volume(Axes { z: 1, x: 1, y: 1 }, h)?;
    let n = nodes.unwrap_or_else(|| model.nodes(Some(h), true));
    if n.y == 1 {
        return Err(ModelError::OnePlane);
    }
    model.sampled(n, h)
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
    fn a_section_is_the_same_at_every_y() {
        let (nodes, h) = (Axes { z: 30, x: 70, y: 3 }, Axes { z: 130.0, x: 190.0, y: 50.0 });
        for name in ["salt", "layers", "homogeneous", "lens"] {
            let volume = builtin_volume(name, Some(nodes), Some(h)).expect("a built-in model");
            let plane = builtin(
                name,
                Some(PlaneAxes { x: 70, z: 30 }),
                Some(PlaneAxes { x: 190.0, z: 130.0 }),
            )
            .expect("the same");
            for y in volume.velocity().outer_iter() {
                assert_eq!(y, plane.velocity().index_axis(ndarray::Axis(0), 0), "{name}");
            }
        }
    }

    #[test]
    fn sizes_that_make_no_volume_are_refused() {
        let most = format!("9 x {} x 9 nodes", usize::MAX);
        for (ny, hy, said) in [
            (1, 10.0, "one node along y"),
            (0, 10.0, "no nodes along y"),
            (usize::MAX, 10.0, &most),
            (9, 0.0, "spacing along y"),
            (9, -5.0, "spacing along y"),
            (9, f64::NAN, "spacing along y"),
            (9, f64::INFINITY, "spacing along y"),
        ] {
            let (nodes, h) = (Axes { z: 9, x: 9, y: ny }, Axes { z: 10.0, x: 10.0, y: hy });
            let refused = builtin_volume("layers", Some(nodes), Some(h)).expect_err("no volume");
            assert!(refused.to_string().contains(said), "{refused}");
        }
        assert!(matches!(builtin("salt3d", None, None), Err(ModelError::NoPlane { .. })));
        // Of an unknown name the known ones are listed.
        let error = builtin("sand", None, None).expect_err("no such model").to_string();
        assert!(error.contains("salt, layers, homogeneous, lens, salt3d"), "{error}");
    }
}
