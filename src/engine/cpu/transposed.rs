//! The layers of an adjoint. The twin of `shaders/transposed.wgsl`.

use super::{coefficients::Operator, denormal, layers, vti::VtiArrays, wavefield::SMALLEST_CHUNK};
use crate::{
    Layout,
    grid::{Axes, Axis},
    plan::Plan,
    simd::dispatch,
    stencil::MAX_RADIUS,
    transposed::{self, End, Strip},
};
use pulp::{Arch, Simd, WithSimd};
use rayon::prelude::*;
use std::ops::Range;

/// Second and first derivatives, and the term of explicit time evolution in the second.
pub(crate) type Operators<'a> = ([&'a Axes<Operator>; 2], Option<&'a Axes<Operator>>);

/// What drives the layers' memory.
pub(crate) enum Driving<'a> {
    /// The field.
    Field(&'a [f32]),
    /// With VTI, of the product A u of both fields along the layer's axis that in the equation of one of them: the
    /// corrections of a step are multiplied by A.
    Product { vti: &'a VtiArrays, now: [&'a [f32]; 2], of: usize },
}

impl Driving<'_> {
    /// It along an axis, at the nodes of a column.
    fn column<'a>(
        &'a self,
        axis: Axis,
        nodes: Range<usize>,
        scratch: &'a mut Vec<f32>,
    ) -> &'a [f32] {
        match self {
            Driving::Field(p) => &p[nodes],
            Driving::Product { vti, now, of } => {
                scratch.clear();
                let now = now.map(|field| &field[nodes.clone()]);
                vti.product(axis, *of, nodes, now, scratch);
                scratch
            }
        }
    }
}

/// The constant inputs.
pub(crate) struct Tables {
    strips: Axes<Strip>,
    /// For each place along an axis, the index of the layer's node there.
    nodes: Axes<Vec<Option<usize>>>,
    /// -e, f and -g at each place.
    gains: Axes<layers::Gains<Vec<f32>>>,
}

impl Tables {
    /// `None` unless the Plan is an adjoint through a CPML.
    pub(crate) fn new(plan: &Plan) -> Option<Self> {
        if transposed::lens(plan) == [0; 3] {
            return None;
        }
        let (strips, profile) = (transposed::strips(plan), &plan.profile);
        let nodes = |strip: &Strip| strip.nodes().collect();
        let gains = |strip, profile| {
            let gains = transposed::gains(strip, profile);
            [0, 1, 2].map(|which| gains.iter().map(|gain| gain[which]).collect())
        };
        Some(Tables {
            strips,
            nodes: Axes { z: nodes(&strips.z), x: nodes(&strips.x), y: nodes(&strips.y) },
            gains: Axes {
                z: gains(&strips.z, &profile.z),
                x: gains(&strips.x, &profile.x),
                y: gains(&strips.y, &profile.y),
            },
        })
    }
}

/// The strips of a shot, in lines along z. For the nodes: chi, then zeta, then the step's term of
/// the first derivative, then that of the second.
pub(crate) struct Transposed {
    x: Vec<f32>,
    y: Vec<f32>,
    z: Vec<f32>,
}

const VALUES: usize = 4;

impl Transposed {
    /// All zero.
    pub(crate) fn new(plan: &Plan) -> Self {
        let [x, y, z] = transposed::lens(plan).map(|len| vec![0.0; VALUES * len]);
        Transposed { x, y, z }
    }

    /// All values, for a state.
    pub(crate) fn values(&self) -> impl Iterator<Item = &[f32]> {
        [&self.x, &self.y, &self.z].into_iter().map(Vec::as_slice)
    }

    /// [`Self::values`], for writing.
    pub(crate) fn values_mut(&mut self) -> impl Iterator<Item = &mut [f32]> {
        [&mut self.x, &mut self.y, &mut self.z].into_iter().map(Vec::as_mut_slice)
    }

    /// Advances the memory by what drives it at a step, and computes its terms of the derivatives.
    pub(crate) fn give(&mut self, tables: &Tables, layout: &Layout, driving: &Driving<'_>) {
        let (n, Tables { strips, nodes, gains }) = (layout.n, tables);
        let (arch, fewest) = (Arch::new(), SMALLEST_CHUNK.div_ceil(n.z));
        let of_place = |gains: &layers::Gains<Vec<f32>>, place: usize| {
            Gains::Across(gains.each_ref().map(|values| values[place]))
        };
        let lines = self.x.par_chunks_mut(VALUES * n.z).enumerate().with_min_len(fewest);
        lines.for_each_init(Vec::new, |scratch, (line, memory)| {
            let (y, place) = (line / nodes.x.len(), line % nodes.x.len());
            let Some(x) = nodes.x[place] else { return };
            let gains = of_place(&gains.x, place);
            let p = driving.column(Axis::X, layout.column_at(x, y), scratch);
            denormal::as_zeros(|| dispatch(arch, Give { memory, places: 0..n.z, p, gains }));
        });
        let lines = self.y.par_chunks_mut(VALUES * n.z).enumerate().with_min_len(fewest);
        lines.for_each_init(Vec::new, |scratch, (line, memory)| {
            let (place, x) = (line / n.x, line % n.x);
            let Some(y) = nodes.y[place] else { return };
            let gains = of_place(&gains.y, place);
            let p = driving.column(Axis::Y, layout.column_at(x, y), scratch);
            denormal::as_zeros(|| dispatch(arch, Give { memory, places: 0..n.z, p, gains }));
        });
        let [low, high] = strips.z.ends(0);
        let line = VALUES * strips.z.len();
        let lines = self.z.par_chunks_mut(line.max(1)).enumerate();
        let lines = lines.with_min_len(SMALLEST_CHUNK.div_ceil(line.max(1)));
        lines.for_each_init(Vec::new, |scratch, (at, memory)| {
            let p = driving.column(Axis::Z, layout.column_at(at % n.x, at / n.x), scratch);
            for End { place, nodes } in [&low, &high] {
                let places = *place..*place + nodes.len();
                let gains = Gains::Along(gains.z.each_ref().map(|values| &values[places.clone()]));
                let p = &p[nodes.clone()];
                denormal::as_zeros(|| dispatch(arch, Give { memory, places, p, gains }));
            }
        });
    }

    /// Adds (v dt)^2 times the derivatives of those terms.
    pub(crate) fn take(
        &self,
        tables: &Tables,
        layout: &Layout,
        operators: Operators<'_>,
        v2dt2: &[f32],
        p_next: &mut [f32],
    ) {
        let (n, arch) = (layout.n, Arch::new());
        let columns = p_next[layout.lead..].par_chunks_mut(layout.column).enumerate();
        let columns = columns.with_min_len(SMALLEST_CHUNK.div_ceil(layout.column));
        columns.for_each_init(
            || vec![0.0f32; 2 * n.z],
            |sum, (i, p_next)| {
                let (x, y) = (
                    i * layout.column % layout.plane / layout.column,
                    i * layout.column / layout.plane,
                );
                if x < n.x && y < n.y {
                    let v2dt2 = &v2dt2[layout.column_at(x, y)];
                    let p_next = &mut p_next[..n.z];
                    let node = Axes { z: 0, x, y };
                    let take =
                        Take { layers: self, tables, node, n, operators, v2dt2, sum, p_next };
                    denormal::as_zeros(|| dispatch(arch, take));
                }
            },
        );
    }
}

/// A layer's coefficients at a run of nodes.
enum Gains<'a> {
    /// Across the layer's axis they are the same at all nodes.
    Across(layers::Gains<f32>),
    Along(layers::Gains<&'a [f32]>),
}

/// Advances the memory at some places of a line of nodes driven by p.
struct Give<'a> {
    memory: &'a mut [f32],
    places: Range<usize>,
    p: &'a [f32],
    gains: Gains<'a>,
}

impl WithSimd for Give<'_> {
    type Output = ();

    // Plain loops, compiled for the instruction set.
    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        let Give { memory, places, p, gains } = self;
        let (chi_zeta, to) = memory.split_at_mut(memory.len() / 2);
        let (chi, zeta) = chi_zeta.split_at_mut(chi_zeta.len() / 2);
        let (to_first, to_second) = to.split_at_mut(to.len() / 2);
        // Slices as long as the loops, which then need no bounds checks.
        let n = places.len();
        let p = &p[..n];
        let (chi, zeta) = (&mut chi[places.clone()][..n], &mut zeta[places.clone()][..n]);
        let to_first = &mut to_first[places.clone()][..n];
        let to_second = &mut to_second[places][..n];
        match gains {
            Gains::Across(gains) => {
                for i in 0..n {
                    [to_first[i], to_second[i]] = give(p[i], gains, &mut chi[i], &mut zeta[i]);
                }
            }
            Gains::Along([lost, f, slope]) => {
                let (lost, f, slope) = (&lost[..n], &f[..n], &slope[..n]);
                for i in 0..n {
                    let gains = [lost[i], f[i], slope[i]];
                    [to_first[i], to_second[i]] = give(p[i], gains, &mut chi[i], &mut zeta[i]);
                }
            }
        }
    }
}

/// Advances the memory of a node, and returns its terms of the first and the second derivative.
#[inline(always)]
fn give(p: f32, [lost, f, slope]: layers::Gains<f32>, chi: &mut f32, zeta: &mut f32) -> [f32; 2] {
    *zeta += p + lost * *zeta;
    *chi += p + lost * (*chi + f * *zeta);
    [slope * *chi, lost * f * *zeta]
}

/// Adds the derivatives of the terms to a column.
struct Take<'a> {
    layers: &'a Transposed,
    tables: &'a Tables,
    /// The first node of the column.
    node: Axes<usize>,
    n: Axes<usize>,
    /// Second and first derivatives, and the term of explicit time evolution in the second, times
    /// (v dt)^2.
    operators: Operators<'a>,
    v2dt2: &'a [f32],
    /// Scratch for two columns.
    sum: &'a mut [f32],
    p_next: &'a mut [f32],
}

impl WithSimd for Take<'_> {
    type Output = ();

    // Plain loops, compiled for the instruction set.
    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        let Take { layers, tables, node: Axes { x, y, .. }, n, .. } = self;
        let Take { operators: ([second, first], fourth), v2dt2, sum, p_next, .. } = self;
        let evolved = fourth.is_some();
        let fourth = fourth.unwrap_or(second);
        let strips = &tables.strips;
        let [low, high] = strips.z.ends(strips.z.radius);
        let mut across = false;
        sum.fill(0.0);
        let (sum, more) = sum.split_at_mut(n.z);
        for place in strips.x.about(x) {
            across = true;
            let line = |j| {
                let place = place.wrapping_add_signed(j);
                to_derivatives(&layers.x, y * strips.x.len() + place, n.z)
            };
            add(sum, &second.x, &first.x, strips.x.radius, line);
            if evolved {
                add(more, &fourth.x, &NONE, strips.x.radius, line);
            }
        }
        for place in strips.y.about(y) {
            across = true;
            let line = |j| to_derivatives(&layers.y, place.wrapping_add_signed(j) * n.x + x, n.z);
            add(sum, &second.y, &first.y, strips.y.radius, line);
            if evolved {
                add(more, &fourth.y, &NONE, strips.y.radius, line);
            }
        }
        let of_column = to_derivatives(&layers.z, y * n.x + x, strips.z.len());
        for End { place, nodes } in [&low, &high].into_iter().filter(|end| !end.nodes.is_empty()) {
            let line = |j| {
                let place = place.wrapping_add_signed(j);
                let [of_first, of_second] = of_column;
                [&of_first[place..][..nodes.len()], &of_second[place..][..nodes.len()]]
            };
            add(&mut sum[nodes.clone()], &second.z, &first.z, strips.z.radius, line);
            if evolved {
                add(&mut more[nodes.clone()], &fourth.z, &NONE, strips.z.radius, line);
            }
        }
        if evolved {
            add_product(sum, v2dt2, more);
        }
        let mut push = |nodes: Range<usize>| {
            add_product(&mut p_next[nodes.clone()], &v2dt2[nodes.clone()], &sum[nodes]);
        };
        if across || low.nodes.end >= high.nodes.start {
            push(0..n.z);
        } else {
            push(low.nodes);
            push(high.nodes);
        }
    }
}

/// Adds the products of two arrays.
#[inline(always)]
fn add_product(to: &mut [f32], one: &[f32], other: &[f32]) {
    let n = to.len();
    let (one, other) = (&one[..n], &other[..n]);
    for i in 0..n {
        to[i] += one[i] * other[i];
    }
}

/// An empty operator.
const NONE: Operator = [0.0; MAX_RADIUS + 1];

/// The terms of the first and the second derivative in the `i`th line of `places` places.
#[inline(always)]
fn to_derivatives(lines: &[f32], i: usize, places: usize) -> [&[f32]; 2] {
    let line = &lines[i * VALUES * places..][..VALUES * places];
    [&line[2 * places..3 * places], &line[3 * places..]]
}

/// Adds a derivative to a line, from the line and its neighbours at distances up to the radius.
#[inline(always)]
fn add<'a>(
    sum: &mut [f32],
    second: &Operator,
    first: &Operator,
    radius: usize,
    line: impl Fn(isize) -> [&'a [f32]; 2],
) {
    let n = sum.len();
    let here = &line(0)[1][..n];
    for i in 0..n {
        sum[i] += second[0] * here[i];
    }
    for j in 1..=radius {
        let ([after, after_second], [before, before_second]) =
            (line(j as isize), line(-(j as isize)));
        let (after, after_second) = (&after[..n], &after_second[..n]);
        let (before, before_second) = (&before[..n], &before_second[..n]);
        for i in 0..n {
            sum[i] += second[j] * (after_second[i] + before_second[i])
                - first[j] * (after[i] - before[i]);
        }
    }
}
