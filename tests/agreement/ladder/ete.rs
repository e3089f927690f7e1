//! The ladder of explicit time evolution: every kernel with every grouping, odd sizes, with
//! run-time checks and without, against plain loops in f64 by the same table, or by the two terms.

use super::{STEPS, error, peak};
use crate::common::{all_or, engines, left_to_full};
use huygens::{
    engine::gpu::{
        Gpu,
        bench::{
            BenchError, ETE_KERNELS, EteBench, EteKernel, EteModel, Workgroup, rounded_to_16_bits,
        },
    },
    grid::Axes,
    ladder::{
        EteCase, ete_tables,
        evolved::{by_rows, by_terms},
    },
    stencil::ete::{Evolution, Points, Table},
};
use ndarray::Array3;
use std::sync::Arc;

/// Relative to the result's maximum: weights of f32 that add up to 1 round more than a Laplacian's,
/// which is a small part of a step.
const TOLERANCE: f64 = 5e-6;

/// A number in 0..1 of a node.
fn noise(seed: usize, node: Axes<usize>) -> f64 {
    let k = seed * 1_000_003 + (node.y * 1009 + node.x) * 1013 + node.z;
    let mixed = (k as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15).rotate_left(31);
    (mixed.wrapping_mul(0xD6E8_FEB8_6659_FD93) >> 40) as f64 / (1u64 << 24) as f64
}

struct Case {
    n: Axes<usize>,
    table: Arc<Table>,
    few: Arc<Table>,
    evolution: Evolution,
}

impl Case {
    fn new([nz, nx, ny]: [usize; 3], points: Points, bins: usize) -> Self {
        let case = EteCase { nz, nx, ny, points, bins };
        let [table, few] = ete_tables(&case).expect("a stable table");
        let evolution = Evolution::fitted(points, &table.media, table.dt).expect("two terms");
        Case { n: Axes { z: nz, x: nx, y: ny }, table, few, evolution }
    }

    fn velocity(&self, node: Axes<usize>) -> f64 {
        let bins = self.table.velocities.len();
        self.table.velocities[((noise(1, node) * bins as f64) as usize).min(bins - 1)]
    }

    fn field(&self, seed: usize) -> Array3<f64> {
        Array3::from_shape_fn((self.n.y, self.n.x, self.n.z), |(y, x, z)| {
            f64::from((noise(seed, Axes { z, x, y }) - 0.5) as f32)
        })
    }

    /// The expected field of a kernel after [`STEPS`].
    fn oracle(&self, kernel: &EteKernel) -> Array3<f64> {
        let (mut p, mut before) = (self.field(2), self.field(3));
        let table = if kernel.few { &self.few } else { &self.table };
        let table = match kernel.weights.contains("16 bits") {
            true => Arc::new(rounded_to_16_bits(table)),
            false => table.clone(),
        };
        for _ in 0..STEPS {
            if kernel.weights == "two terms" {
                let m = |node| (self.velocity(node) * table.dt).powi(2);
                by_terms(&p, &mut before, &self.evolution, m);
            } else {
                let row = |node| table.row(table.nearest(self.velocity(node)));
                by_rows(&p, &mut before, table.points, row);
            }
            std::mem::swap(&mut p, &mut before);
        }
        p
    }

    fn on<T>(&self, gpu: &Gpu, of: impl FnOnce(&EteBench<'_>) -> T) -> T {
        let velocity = |node| self.velocity(node);
        let field = |seed| move |node| (noise(seed, node) - 0.5) as f32;
        let (now, before) = (field(2), field(3));
        let model = EteModel {
            n: self.n,
            table: &self.table,
            few: &self.few,
            evolution: &self.evolution,
            velocity: &velocity,
            initial: [&now, &before],
        };
        of(&EteBench::new(gpu, model).expect("a small field fits"))
    }

    /// All kernels with some groupings of each.
    fn compare(&self, groups: impl Fn(&EteKernel) -> Vec<Workgroup>, checks: &[bool]) {
        let adapters = engines::adapters();
        for (gpu, adapter) in engines::opened(false).into_iter().zip(adapters) {
            let (mut worst, mut compared) = (0.0f64, 0);
            self.on(&gpu, |bench| {
                for kernel in ETE_KERNELS.iter().filter(|kernel| kernel.is_for(self.table.points)) {
                    let oracle = self.oracle(kernel);
                    for (group, checked) in groups(kernel)
                        .into_iter()
                        .flat_map(|group| checks.iter().map(move |checked| (group, *checked)))
                    {
                        let name = format!("{} {} {group}", kernel.file(), kernel.weights);
                        let chain = match bench.chain(kernel, group, checked) {
                            Ok(chain) => chain,
                            Err(BenchError::Refused { why, .. }) => {
                                let many =
                                    group.z * group.x * group.y > adapter.max_invocations as usize;
                                let memory = ["workgroup memory", "uniform buffer"];
                                let expected = many || memory.iter().any(|what| why.contains(what));
                                assert!(expected, "{name} was refused: {why}");
                                continue;
                            }
                            Err(error) => panic!("{name}: {error}"),
                        };
                        let field = chain.field(STEPS).expect("the field comes back");
                        let error = error(&field, &oracle);
                        assert!(
                            error <= TOLERANCE,
                            "{name}, checked {checked}: {error:e} of the maximum"
                        );
                        worst = worst.max(error);
                        compared += 1;
                    }
                }
            });
            println!(
                "{:?}, {:?}: {compared} agree, {worst:.1e} of the maximum",
                self.n, self.table.points
            );
            assert!(compared >= 15);
        }
    }
}

fn usual(kernel: &EteKernel) -> Vec<Workgroup> {
    kernel.workgroups().take(1).collect()
}

#[test]
fn every_kernel_on_an_odd_size() {
    for points in all_or(&[Points::Few, Points::Many], &[Points::Few]) {
        Case::new([33, 29, 19], points, 80).compare(usual, &all_or(&[false, true], &[false]));
    }
}

#[test]
fn every_workgroup() {
    if left_to_full("all workgroups of the ladder of explicit time evolution") {
        return;
    }
    for points in [Points::Few, Points::Many] {
        Case::new([33, 29, 19], points, 70)
            .compare(|kernel| kernel.workgroups().collect(), &[false]);
    }
}

#[test]
fn slivers_along_each_axis() {
    if left_to_full("slivers in the ladder of explicit time evolution") {
        return;
    }
    for size in [[1, 29, 19], [33, 1, 19], [33, 29, 2], [64, 17, 33]] {
        Case::new(size, Points::Few, 66).compare(usual, &[false]);
    }
}

/// Tests the test: one weight of every row off by 1 %, or by 1e-5 where it is smaller than that
/// makes it.
#[test]
fn a_wrong_weight_is_seen() {
    for points in [Points::Few, Points::Many] {
        let right = Case::new([20, 19, 18], points, 66);
        for gpu in engines::opened(false) {
            for wrong in 0..points.distinct() {
                let table = right
                    .table
                    .mapped(|i, c| if i == wrong { c + 0.01 * c.abs().max(1e-3) } else { c });
                let (few, evolution) = (right.few.clone(), right.evolution.clone());
                let case = Case { table: Arc::new(table), few, evolution, ..right };
                let group = ETE_KERNELS[0].workgroups().next().expect("its usual grouping");
                let field = case.on(&gpu, |bench| {
                    let chain = bench.chain(&ETE_KERNELS[0], group, false).expect("it fits");
                    chain.field(STEPS).expect("the field comes back")
                });
                assert!(error(&field, &right.oracle(&ETE_KERNELS[0])) > 2.0 * TOLERANCE, "{wrong}");
            }
        }
    }
}

/// The timed wavefield stays finite over many steps of random velocities; over very many with the
/// kernel of the table alone.
#[test]
fn the_timed_field_stays_finite() {
    if left_to_full("explicit time evolution over many steps in the ladder") {
        return;
    }
    for points in [Points::Few, Points::Many] {
        let case = Case::new([21, 18, 11], points, 66);
        for gpu in engines::opened(false) {
            case.on(&gpu, |bench| {
                for kernel in ETE_KERNELS.iter().filter(|kernel| kernel.is_for(points)) {
                    let group = kernel.workgroups().next().expect("its usual grouping");
                    let Ok(mut chain) = bench.chain(kernel, group, false) else { continue };
                    let steps = if std::ptr::eq(kernel, &ETE_KERNELS[0]) { 500 } else { 100 };
                    chain.sample(steps).expect("many steps");
                    let peak = peak(&bench.field().expect("the field comes back"));
                    assert!(
                        peak > 0.0 && peak < 1e3,
                        "{} {}: {peak}",
                        kernel.file(),
                        kernel.weights
                    );
                }
            });
        }
    }
}

/// A table that a device does not take: as many bins as would do are named.
#[test]
fn fewer_bins_are_proposed() {
    let case = Case::new([12, 12, 12], Points::Many, 902);
    for gpu in engines::opened(false) {
        case.on(&gpu, |bench| {
            for kernel in ETE_KERNELS.iter().filter(|kernel| kernel.is_for(Points::Many)) {
                let group = kernel.workgroups().next().expect("its usual grouping");
                match bench.chain(kernel, group, false) {
                    Err(BenchError::Refused { why, .. }) if !why.contains("invocations") => {
                        assert!(why.contains("bins would do"), "{why}");
                    }
                    _ => assert!(
                        !["scatter workgroup"].contains(&&*format!(
                            "{} {}",
                            kernel.file(),
                            kernel.weights
                        )),
                        "61 KB of weights and a tile fit no device yet"
                    ),
                }
            }
        });
    }
}
