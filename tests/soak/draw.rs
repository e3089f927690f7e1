//! Draws a random job. Ranges begin with, and choices list first, what is simplest: a failure
//! shrinks towards it.

use crate::case::{Case, Clock, Fired, Medium, On, Place, Taps, Task, Way};
use huygens::{
    acquisition::{Gaussian, Klauder, Ormsby, Ricker, Sampled, SourceKind, Wavelet},
    boundary::{Absorber, Boundary, Cpml, Sponge, Top},
    grid::{Axes, Axis},
    plan::{Condition, Focus},
    stencil::{Family, MAX_RADIUS, Window, ete::Points},
};
use proptest::{
    collection::vec,
    option,
    prelude::*,
    sample::select,
    strategy::ValueTree,
    test_runner::{Config, RngAlgorithm, TestRng, TestRunner},
};

/// What shrinking a failure may take.
const SHRINKS: u32 = 400;
const SHRINKING_MS: u32 = 120_000;

/// The job of a number, the same each time, and what shrinks it.
pub fn numbered(number: u64) -> (TestRunner, impl ValueTree<Value = Case>) {
    let mut seed = [0; 32];
    seed[..8].copy_from_slice(&number.to_le_bytes());
    let config = Config {
        max_shrink_iters: SHRINKS,
        max_shrink_time: SHRINKING_MS,
        failure_persistence: None,
        ..Config::default()
    };
    let mut runner =
        TestRunner::new_with_rng(config, TestRng::from_seed(RngAlgorithm::ChaCha, &seed));
    let tree = case().new_tree(&mut runner).expect("every draw gives a job");
    (runner, tree)
}

fn case() -> impl Strategy<Value = Case> {
    let shape = (nodes(), spacing(), medium(), one_in(8, 2..=3usize, 1));
    let scheme = (operator(), boundary(), clock());
    let shots = vec((vec(fired(), 1..=3), vec(place(), 1..=20)), 1..=4);
    let rest = (shots, any::<bool>(), task(), on(), any::<u64>());
    (shape, scheme, rest).prop_map(|(shape, scheme, rest)| {
        let (nodes, spacing, medium, models) = shape;
        let (operator, boundary, clock) = scheme;
        let (shots, initial, task, on, seed) = rest;
        let case = Case {
            nodes,
            spacing,
            medium,
            models,
            operator,
            boundary,
            clock,
            shots,
            initial,
            task,
            on,
            seed,
        };
        possible(case)
    })
}

/// Leaves out what cannot be together.
fn possible(mut case: Case) -> Case {
    if matches!(case.operator, Family::Ete { .. }) {
        case.clock.corrected = false;
    }
    if !case.is_volume() {
        let sources = case.shots.iter_mut().flat_map(|(sources, _)| sources);
        for kind in sources.map(|source| &mut source.kind) {
            *kind = if *kind == SourceKind::Dipole(Axis::Y) {
                SourceKind::Dipole(Axis::X)
            } else {
                *kind
            };
        }
    }
    if matches!(case.task, Task::Gradient { .. }) {
        (case.models, case.initial) = (1, false);
    }
    case
}

/// `usual`, or one time in `n` another value.
fn one_in<T: Clone + std::fmt::Debug + 'static>(
    n: u32,
    rare: impl Strategy<Value = T> + 'static,
    usual: T,
) -> impl Strategy<Value = T> {
    prop_oneof![n - 1 => Just(usual), 1 => rare]
}

fn nodes() -> impl Strategy<Value = Axes<usize>> {
    prop_oneof![
        5 => (1..=110usize, 1..=80usize, Just(1)),
        4 => (1..=44usize, 1..=22usize, 2..=20usize),
        // A march along z has room for its layers and for lines of memory between them.
        1 => (100..=150usize, 1..=12usize, 2..=10usize),
    ]
    .prop_map(|(z, x, y)| Axes { z, x, y })
}

fn spacing() -> impl Strategy<Value = Axes<f64>> {
    let h = || select(vec![10.0, 12.5, 8.0, 15.0]);
    (h(), h(), h()).prop_map(|(z, x, y)| Axes { z, x, y })
}

fn medium() -> impl Strategy<Value = Medium> {
    select(vec![Medium::Uniform, Medium::Layers, Medium::Rough])
}

fn operator() -> impl Strategy<Value = Family> {
    let window = || {
        (1..=MAX_RADIUS, 0.5..=1.0, 0.0..=8.0).prop_map(|(wing, alpha, beta)| Window {
            wing,
            alpha,
            beta,
        })
    };
    prop_oneof![
        5 => (1..=8usize).prop_map(|half| Family::Taylor { order: 2 * half }),
        2 => (window(), window(), window())
            .prop_map(|(z, x, y)| Family::WindowedSinc { window: Axes { z, x, y } }),
        2 => select(vec![Points::Few, Points::Many]).prop_map(|points| Family::Ete { points }),
    ]
}

fn boundary() -> impl Strategy<Value = Boundary> {
    let sponge = (1..=12usize, 0.0..=2.0)
        .prop_map(|(cells, strength)| Absorber::Sponge(Sponge { cells, strength }));
    let cpml = (Cpml::THINNEST..=14, 1..=Cpml::STEEPEST)
        .prop_map(|(cells, power)| Absorber::Cpml(Cpml { power, ..Cpml::new(cells) }));
    let sides = prop_oneof![2 => Just(Absorber::Zero), 2 => sponge, 4 => cpml];
    (select(vec![Top::Zero, Top::Absorb, Top::Free]), sides)
        .prop_map(|(top, sides)| Boundary { top, sides })
}

fn clock() -> impl Strategy<Value = Clock> {
    let of_limit = prop_oneof![5 => Just(0.9), 3 => 0.2..=0.999, 1 => 1e-3..=0.05];
    (of_limit, 1..=60usize, one_in(3, 2..=5usize, 1), any::<bool>(), one_in(5, Just(true), false))
        .prop_map(|(of_limit, steps, every, corrected, by_increments)| {
            // At least one sample after the first.
            Clock { of_limit, steps: steps.max(every), every, corrected, by_increments }
        })
}

fn place() -> impl Strategy<Value = Place> {
    let part = || prop_oneof![4 => 0.0..=1.0, 1 => select(vec![0.0, 1.0])];
    (part(), part(), part(), any::<bool>())
        .prop_map(|(z, x, y, off)| Place { of: Axes { z, x, y }, on_node: !off })
}

fn fired() -> impl Strategy<Value = Fired> {
    let kinds = vec![
        SourceKind::Monopole,
        SourceKind::Dipole(Axis::Z),
        SourceKind::Dipole(Axis::X),
        SourceKind::Dipole(Axis::Y),
    ];
    (place(), select(kinds), wavelet(), select(vec![1.0, -3.0, 1e-6, 1e6]))
        .prop_map(|(at, kind, wavelet, amplitude)| Fired { at, kind, wavelet, amplitude })
}

fn wavelet() -> impl Strategy<Value = Wavelet> {
    let peak = || 10.0..=60.0f64;
    let delay = || 0.0..=0.05f64;
    let ricker =
        (peak(), delay()).prop_map(|(peak_hz, delay)| Wavelet::Ricker(Ricker { peak_hz, delay }));
    let gaussian =
        (peak(), delay(), 0..=Gaussian::HIGHEST).prop_map(|(peak_hz, delay, derivative)| {
            Wavelet::Gaussian(Gaussian { derivative, peak_hz, delay })
        });
    let ormsby = (peak(), delay()).prop_map(|(hz, delay)| {
        Wavelet::Ormsby(Ormsby { corners_hz: [0.2 * hz, 0.5 * hz, hz, 1.5 * hz], delay })
    });
    let klauder = (peak(), delay()).prop_map(|(to_hz, delay)| {
        Wavelet::Klauder(Klauder { from_hz: 0.1 * to_hz, to_hz, length: 2.0, delay })
    });
    // At the interval of a step.
    let sampled = vec(-1.0..=1.0f64, 1..40)
        .prop_map(|values| Wavelet::Sampled(Sampled { values: values.into(), interval: 1.0 }));
    prop_oneof![4 => ricker, 1 => gaussian, 1 => ormsby, 1 => klauder, 1 => sampled]
}

fn task() -> impl Strategy<Value = Task> {
    let memory = select(vec![1 << 30, 200_000, 20_000]);
    prop_oneof![
        6 => taps().prop_map(Task::Model),
        1 => Just(Task::Adjoint),
        1 => (1..=4usize).prop_map(|every| Task::Image { every }),
        1 => memory.prop_map(|memory| Task::Gradient { memory }),
    ]
}

fn taps() -> impl Strategy<Value = Taps> {
    let condition = prop_oneof![
        Just(Condition::Amplitude),
        (1..=3usize).prop_map(|quarter| Condition::Energy { quarter })
    ];
    let focus = (1..=7usize, 1..=4usize, condition).prop_map(|(every, groups, condition)| Focus {
        every,
        groups,
        condition,
    });
    let rarely = 0.25;
    (
        vec(0.0..=1.0f64, 0..=3),
        option::weighted(rarely, focus),
        option::weighted(rarely, 0.0..=1.0f64),
        one_in(4, Just(true), false),
    )
        .prop_map(|(snapshots, focus, state, batches)| Taps {
            snapshots,
            focus,
            state,
            batches,
        })
}

fn on() -> impl Strategy<Value = On> {
    let slabs = one_in(3, 1..=4usize, 0);
    let gpu = (0..8usize, any::<bool>(), 0..60usize, slabs, any::<bool>()).prop_map(
        |(adapter, checked, kernel, slabs, in_turn)| {
            On::Gpu(Way { adapter, checked, kernel, slabs, in_turn })
        },
    );
    let weights = vec(select(vec![1.0, 3.0]), 2..=4);
    let split = (weights, one_in(20, Just(true), false), one_in(3, 2..=4usize, 1))
        .prop_map(|(weights, on_gpu, ghost_steps)| On::Split { weights, on_gpu, ghost_steps });
    // A software driver takes a second or more to make the shaders of a job, and a CPU takes far less
    // to run it.
    prop_oneof![5 => Just(On::Cpu), 2 => gpu, 3 => split]
}
