//! A field that grew without bound: where the watchdog found it, and the likely cause.

use crate::{
    grid::{Axes, PerAxis},
    medium::VariableDensity,
    plan::{Plan, Seconds, Tap, Window},
};
use serde::{Deserialize, Serialize};
use std::fmt;

/// The likely cause.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", tag = "kind")]
#[non_exhaustive]
pub enum Cause {
    /// The time step is above the largest stable one.
    Step {
        /// s
        dt: f64,
        /// s
        limit: f64,
    },
    /// The sources are so strong that f32 cannot hold the field they make.
    Amplitude {
        /// The largest |p| that they could build up in a node.
        injected: f64,
    },
    /// The node lies in an absorbing layer, or within a stencil's reach of one.
    Layer {
        /// The velocities around it, m/s, if they differ strongly.
        contrast: Option<(f32, f32)>,
    },
    /// The velocity changes strongly around the node.
    Contrast {
        /// Slowest and fastest velocity within the node's stencil, m/s.
        velocities: (f32, f32),
    },
    /// The density jumps so strongly that waves may grow, and the run was forced.
    Density {
        /// The densities of two neighbouring nodes, kg/m3.
        densities: [f64; 2],
    },
    /// Unknown: the field overflowed between two looks, so nothing shows where it began.
    Overflow,
    /// No known cause.
    Unknown,
}

impl fmt::Display for Cause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Cause::Step { dt, limit } => write!(
                f,
                "the time step of {} is above the largest stable one, {}; use a shorter one, or \
                 step = \"auto\"",
                Seconds(*dt),
                Seconds(*limit)
            ),
            Cause::Amplitude { injected } => {
                write!(
                    f,
                    "the sources could pile up a field of {injected:e}, more than f32 holds; \
                 give a smaller amplitude"
                )
            }
            Cause::Layer { contrast: Some((slow, fast)) } => write!(
                f,
                "the time step is stable, but the node lies in or beside an absorbing layer which a contrast of {slow} \
                 to {fast} m/s runs through; smooth the model towards its edge, or use a sponge"
            ),
            Cause::Layer { contrast: None } => write!(
                f,
                "the time step is stable, but the node lies in or beside an absorbing layer; use \
                 more cells, or a sponge"
            ),
            Cause::Contrast { velocities: (slow, fast) } => write!(
                f,
                "the time step is stable, but the model jumps from {slow} to {fast} m/s there; \
                 use a shorter step, or smooth the model"
            ),
            Cause::Density { densities: [one, other] } => write!(
                f,
                "the time step is stable, but the density jumps from {} to {} kg/m3 between two nodes; smooth it over \
                 two nodes, or use order 2 or 4",
                one.round(),
                other.round()
            ),
            Cause::Overflow => write!(
                f,
                "the time step is stable, but the growth was so fast that nothing tells where it \
                 began; smooth what is strongest in contrast, use a shorter step, or a sponge"
            ),
            Cause::Unknown => {
                write!(
                    f,
                    "the time step is stable and nothing is wrong with the model there; please \
                     report this"
                )
            }
        }
    }
}

/// A ratio of velocities within a stencil above this is a strong contrast, such as salt in sediment
/// or rock under water.
const STRONG: f32 = 1.5;

impl Cause {
    /// The cause of a blow-up of a shot whose largest |p| is at `node`, if the node is known.
    pub(crate) fn of(plan: &Plan, shot: usize, node: Option<Axes<usize>>) -> Self {
        let (dt, limit) = (plan.time.dt, plan.time.limit);
        if dt > limit {
            return Cause::Step { dt, limit };
        }
        let injected = plan.shots.get(shot).map_or(0.0, |shot| plan.injected(shot));
        let alarm = plan.taps.iter().find_map(|tap| match tap {
            Tap::Watchdog { limit, .. } => Some(f64::from(*limit)),
            _ => None,
        });
        // Otherwise the limit is far above everything that was injected.
        if alarm.is_some_and(|limit| injected > limit) {
            return Cause::Amplitude { injected };
        }
        if let Some(jump) = plan.medium.density().and_then(VariableDensity::jump) {
            return Cause::Density { densities: jump.densities };
        }
        let Some(node) = node else { return Cause::Overflow };
        let window = plan.shots.get(shot).map_or(Window::whole(0), |shot| shot.window);
        let (slow, fast) = around(plan, window, node);
        let contrast = (fast / slow > STRONG).then_some((slow, fast));
        match (by_layer(plan, node), contrast) {
            (true, contrast) => Cause::Layer { contrast },
            (false, Some(velocities)) => Cause::Contrast { velocities },
            (false, None) => Cause::Unknown,
        }
    }
}

/// Slowest and fastest velocity within a node's stencil.
fn around(plan: &Plan, Window { model, first }: Window, node: Axes<usize>) -> (f32, f32) {
    let (n, radius) = (plan.grid.n, plan.radius());
    let near = |i: usize, n: usize| i.saturating_sub(radius)..(i + radius + 1).min(n);
    let along_z = near(node.z, n.z).map(|z| Axes { z, ..node });
    let along_x = near(node.x, n.x).map(|x| Axes { x, ..node });
    let along_y = near(node.y, n.y).map(|y| Axes { y, ..node });
    let velocities = along_z
        .chain(along_x)
        .chain(along_y)
        .map(|node| plan.velocities[model].at(node.zip(first).map(|(i, first)| i + first)));
    velocities.fold((f32::INFINITY, 0.0), |(lo, hi), v| (lo.min(v), hi.max(v)))
}

/// True if a node lies outside the model, in the layers, or within a radius of them.
fn by_layer(plan: &Plan, node: Axes<usize>) -> bool {
    let reach = plan.radius();
    let along = |i: usize, origin: usize, inside: usize, n: usize| {
        let after = n - origin - inside;
        (origin > 0 && i < origin + reach) || (after > 0 && i + reach >= origin + inside)
    };
    let (origin, inside, n) = (plan.origin, plan.model_grid.n, plan.grid.n);
    let absorbs = plan.has_cpml() || plan.has_sponge();
    absorbs
        && (along(node.z, origin.z, inside.z, n.z)
            || along(node.x, origin.x, inside.x, n.x)
            || along(node.y, origin.y, inside.y, n.y))
}

/// Describes the watchdog's finding.
pub(super) fn seen(
    value: f32,
    step: usize,
    time: f64,
    shot: usize,
    at: Option<PerAxis<f64>>,
) -> String {
    let shot = shot + 1;
    match at {
        Some(PerAxis { x, z, y }) => {
            let y = y.map_or_else(String::new, |y| format!(", y = {y} m"));
            format!(
                "|p| reached {value:e} at step {step} (t = {time:.6} s) of shot {shot}, at x = {x} m, z = {z} m{y}"
            )
        }
        None => format!(
            "|p| overflowed what f32 holds by step {step} (t = {time:.6} s) of shot {shot}, since the watchdog's look \
             before; where is not known"
        ),
    }
}

/// Bits of |p| below those that choose the bin.
pub(crate) const BIN_SHIFT: u32 = 25;
/// Bins of an alarm.
pub(crate) const BINS: usize = 1 << (31 - BIN_SHIFT);

/// The watchdog's bin of |p|, given its bits without the sign, which order as |p| does. There is
/// one bin per factor of 16, so the first node of the highest bin is one of the largest while all
/// are finite. Values that are not finite are in the last bin.
pub(crate) fn bin(bits: u32) -> usize {
    (bits >> BIN_SHIFT) as usize
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        EngineError,
        acquisition::{Ricker, Shot, Source, Wavelet},
        boundary::{Absorber, Boundary, Cpml, Top},
        error::blow_up,
        model::VelocityModel,
        plan::{PointSource, Setup, Step, Time},
        stencil::Family,
    };
    use ndarray::Array2;

    /// A jump from 1500 to 4000 m/s half way along x, with layers on every side.
    fn plan(dt: f64) -> Plan {
        let velocity =
            Array2::from_shape_fn((60, 40), |(x, _)| if x < 30 { 1500.0 } else { 4000.0 });
        let source = Source::new(
            Axes::xz(100.0, 100.0),
            Wavelet::Ricker(Ricker { peak_hz: 10.0, delay: 0.1 }),
        );
        let cells = Absorber::Cpml(Cpml::new(10));
        let model = VelocityModel::new(velocity, 10.0, 10.0).expect("a valid model");
        let shots = vec![Shot { sources: vec![source], receivers: Default::default() }];
        Plan::new(Setup {
            operator: Family::Taylor { order: 8 },
            boundary: Boundary { top: Top::Zero, sides: cells },
            time: Time { step: Step::Seconds(dt), ..Time::new(0.1) },
            allow_unstable: true,
            ..Setup::new(model, shots, 0.1)
        })
        .expect("a valid setup")
    }

    #[test]
    fn causes_are_told_apart_by_where_it_began() {
        let at = |x: usize, z| Axes { x: 10 + x, z, y: 0 };
        let stable = plan(1e-3);
        let of = |node| Cause::of(&stable, 0, Some(node));
        assert_eq!(of(at(15, 20)), Cause::Unknown);
        assert_eq!(of(at(28, 20)), Cause::Contrast { velocities: (1500.0, 4000.0) });
        assert_eq!(of(at(2, 20)), Cause::Layer { contrast: None }, "beside the layer");
        assert_eq!(of(at(15, 45)), Cause::Layer { contrast: None }, "below");
        assert_eq!(of(at(29, 45)), Cause::Layer { contrast: Some((1500.0, 4000.0)) });
        // The top has no layer.
        assert_eq!(of(at(15, 0)), Cause::Unknown);
        assert_eq!(Cause::of(&stable, 0, None), Cause::Overflow);
        let unstable = plan(5e-3);
        for node in [Some(at(15, 20)), None] {
            assert!(matches!(Cause::of(&unstable, 0, node), Cause::Step { .. }));
        }
        let mut strong = stable.clone();
        strong.shots[0].sources =
            [PointSource { scale: 1e37, ..strong.shots[0].sources[0] }].into();
        assert!(matches!(Cause::of(&strong, 0, None), Cause::Amplitude { .. }));
    }

    #[test]
    fn an_overflow_has_no_place() {
        let stable = plan(1e-3);
        let node = Axes { x: 11, z: 7, y: 0 };
        let seen = |value| {
            let error = blow_up(&stable, 300, 100, 0, node, value);
            let EngineError::BlowUp { at, cause, healthy, .. } = &error else { panic!("{error}") };
            assert_eq!(*healthy, Some(200));
            (*at, cause.clone(), error.to_string())
        };
        let (at, cause, said) = seen(f32::MAX);
        assert_eq!(at, Some(PerAxis { x: 10.0, z: 70.0, y: None }));
        assert_eq!(cause, Cause::Layer { contrast: None });
        assert!(said.contains("at x = 10 m, z = 70 m"), "{said}");
        for value in [f32::INFINITY, f32::NAN] {
            let (at, cause, said) = seen(value);
            assert_eq!((at, cause), (None, Cause::Overflow));
            assert!(said.contains("where is not known") && !said.contains("x ="), "{said}");
        }
    }

    #[test]
    fn bins_order_as_values_do() {
        let bins = [0.0f32, 1.0, 15.9, 1e9, f32::MAX, f32::INFINITY].map(|p| bin(p.to_bits()));
        assert!(bins.is_sorted(), "{bins:?}");
        assert_eq!(bin(f32::NAN.to_bits()), BINS - 1);
        assert!(bin(1.0f32.to_bits()) < bin(16.0f32.to_bits()));
    }
}
