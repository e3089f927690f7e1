//! Classes of simulations that suit the same kernel, each with a small stand-in.

use crate::{
    acquisition::{Ricker, Shot, Source, Wavelet},
    boundary::{Absorber, Boundary, Cpml, Sponge, Top},
    grid::Axes,
    model::VelocityModel,
    plan::{Plan, Setup, Step, Time},
    stencil::{Family, Window},
};
use ndarray::Array3;
use serde::{Deserialize, Serialize};

/// The kind of layer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Layers {
    /// None.
    Zero,
    /// Multiplies the field.
    Sponge,
    /// Has memory variables.
    Cpml,
}

/// Field size, in steps that matter: if a cache holds the field, and if it fills the device.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Extent {
    /// Up to 2^19 nodes.
    Small,
    /// Up to 2^22.
    Medium,
    /// Up to 2^25.
    Large,
    /// More.
    Huge,
    /// More, and a cache does not hold the planes of a volume that a stencil reaches.
    Vast,
}

impl Extent {
    /// Of a field of `nodes`, whose stencil reaches `reached` nodes of whole planes: none in 2-D.
    fn of(nodes: usize, reached: usize) -> Self {
        match nodes {
            0..=0x8_0000 => Extent::Small,
            0x8_0001..=0x40_0000 => Extent::Medium,
            0x40_0001..=0x200_0000 => Extent::Large,
            // Measured on an H100 of 50 MB: docs/notebook.md, "Planes and caches".
            _ if reached > 0x40_0000 => Extent::Vast,
            _ => Extent::Huge,
        }
    }
}

/// A class of simulations that suit the same kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Class {
    /// 2 or 3.
    pub(crate) dimensions: usize,
    /// Field size.
    pub(crate) extent: Extent,
    /// Radius of the operator, cells.
    pub(crate) radius: usize,
    /// Kind of absorbing layer.
    pub(crate) layers: Layers,
}

impl std::fmt::Display for Class {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let extent = match self.extent {
            Extent::Small => "small",
            Extent::Medium => "medium",
            Extent::Large => "large",
            Extent::Huge => "huge",
            Extent::Vast => "vast",
        };
        let layers = match self.layers {
            Layers::Zero => "no layers",
            Layers::Sponge => "a sponge",
            Layers::Cpml => "CPML",
        };
        write!(f, "{}-D, {extent}, radius {}, {layers}", self.dimensions, self.radius)
    }
}

impl Class {
    /// The class of a Plan; a batch counts as one field.
    pub fn of(plan: &Plan) -> Self {
        let nodes = plan.grid.cells() * plan.shots.len().max(1);
        let planes = if plan.grid.is_volume() { 2 * plan.radius() + 1 } else { 0 };
        let extent = Extent::of(nodes, planes * plan.grid.n.z * plan.grid.n.x);
        let layers = match (plan.has_cpml(), plan.has_sponge()) {
            (true, _) => Layers::Cpml,
            (_, true) => Layers::Sponge,
            _ => Layers::Zero,
        };
        let dimensions = if plan.grid.is_volume() { 3 } else { 2 };
        Class { dimensions, extent, radius: plan.radius(), layers }
    }

    /// The name of a kernel for the class on a GPU: the fastest on an H100 and an H200, or nearly so
    /// (docs/notebook.md, "A kernel by a rule").
    pub(crate) fn kernel(&self) -> &'static str {
        match (self.dimensions, self.extent, self.layers) {
            (2, _, Layers::Cpml) => "plane-16x8",
            (2, ..) => "plane-32x8",
            (_, Extent::Small, _) => "whole-8x4x4",
            (_, Extent::Medium, Layers::Zero) => "whole-16x4x4",
            (_, Extent::Medium | Extent::Vast, _) => "march-16x16",
            (_, _, Layers::Cpml) if self.radius < 8 => "apart-16x8x2",
            _ => "whole-16x4x4",
        }
    }

    /// The classes measured without a job: order 8 with CPML, in the sizes that do not take too
    /// long on the device.
    pub fn usual(hardware: bool) -> Vec<Self> {
        let class =
            |(dimensions, extent)| Class { dimensions, extent, radius: 4, layers: Layers::Cpml };
        let all = [
            (2, Extent::Small),
            (2, Extent::Large),
            (3, Extent::Medium),
            (3, Extent::Large),
            (3, Extent::Huge),
            (3, Extent::Vast),
        ];
        // A software adapter would take minutes for more.
        let quick = |extent| matches!(extent, Extent::Small | Extent::Medium);
        let wanted = all.into_iter().filter(|(_, extent)| hardware || quick(*extent));
        wanted.map(class).collect()
    }

    /// A homogeneous simulation of the class.
    pub(crate) fn stand_in(&self) -> Plan {
        let (n, cells) = match (self.dimensions, self.extent) {
            (2, Extent::Small) => ([1, 640, 256], 20),
            (2, Extent::Medium) => ([1, 1024, 1024], 20),
            (2, Extent::Large) => ([1, 2560, 2560], 20),
            (2, Extent::Huge | Extent::Vast) => ([1, 6144, 6144], 20),
            (_, Extent::Small) => ([48, 48, 48], 10),
            (_, Extent::Medium) => ([96, 96, 96], 20),
            (_, Extent::Large) => ([192, 192, 192], 20),
            (_, Extent::Huge) => ([256, 256, 256], 20),
            (_, Extent::Vast) => ([40, 1280, 1280], 10),
        };
        let h = Axes { z: 10.0, x: 10.0, y: 10.0 };
        let [ny, nx, nz] = n;
        let middle = |n: usize| (n / 2) as f64 * 10.0;
        let at = Axes { z: middle(nz), x: middle(nx), y: if ny > 1 { middle(ny) } else { 0.0 } };
        let wavelet = Wavelet::Ricker(Ricker { peak_hz: 10.0, delay: 0.02 });
        let window = Window { wing: self.radius, alpha: 0.5, beta: 5.0 };
        let sides = match self.layers {
            Layers::Zero => Absorber::Zero,
            Layers::Sponge => Absorber::Sponge(Sponge { cells, strength: Sponge::STRENGTH }),
            Layers::Cpml => Absorber::Cpml(Cpml::new(cells)),
        };
        let model = VelocityModel::volume(Array3::from_elem((ny, nx, nz), 1500.0), h);
        let model = model.expect("a small homogeneous model is valid");
        let shots =
            vec![Shot { sources: vec![Source::new(at, wavelet)], receivers: Default::default() }];
        Plan::new(Setup {
            operator: Family::WindowedSinc { window: Axes { z: window, x: window, y: window } },
            boundary: Boundary { top: Top::Absorb, sides },
            time: Time { step: Step::Seconds(1.0e-3), record: Some(1.0e3), ..Time::new(1.0e3) },
            ..Setup::new(model, shots, 1.0e3)
        })
        .expect("sizes, step and layers are ours, and tested")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn planes_decide_where_the_field_is_large() {
        let of =
            |[y, x, z]: [usize; 3], radius: usize| Extent::of(x * y * z, (2 * radius + 1) * x * z);
        assert_eq!(of([296, 512, 512], 4), Extent::Huge);
        assert_eq!(of([160, 768, 768], 4), Extent::Vast);
        assert_eq!(of([160, 768, 768], 2), Extent::Huge);
        assert_eq!(of([200, 640, 640], 6), Extent::Vast);
        assert_eq!(of([20, 1280, 1280], 4), Extent::Large);
        // Of the stand-in.
        assert_eq!(of([60, 1300, 1300], 1), Extent::Vast);
        assert_eq!(Extent::of(6144 * 6144, 0), Extent::Huge);
    }

    #[test]
    fn every_class_has_a_kernel_of_its_dimensions() {
        use crate::gpu::StepKernel;
        for dimensions in [2, 3] {
            for extent in [Extent::Small, Extent::Medium, Extent::Large, Extent::Huge, Extent::Vast]
            {
                for layers in [Layers::Zero, Layers::Sponge, Layers::Cpml] {
                    let class = Class { dimensions, extent, radius: 4, layers };
                    let kernel =
                        StepKernel::named(class.kernel()).expect("there is one of that name");
                    assert!(kernel.is_for(dimensions == 3), "{class}");
                }
            }
        }
    }

    #[test]
    fn a_stand_in_is_of_its_class() {
        for dimensions in [2, 3] {
            for extent in [Extent::Small, Extent::Medium] {
                for layers in [Layers::Zero, Layers::Sponge, Layers::Cpml] {
                    for radius in [1, 4, 16] {
                        let class = Class { dimensions, extent, radius, layers };
                        assert_eq!(Class::of(&class.stand_in()), class);
                    }
                }
            }
        }
    }
}
