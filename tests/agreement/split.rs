//! A simulation split over several engines gives what it gives on one, bit for bit.

use crate::{
    common::{self, engines},
    slabs::{boundaries, differences, results_by, setup},
};
use huygens::{
    engine::{
        Description, Engine, EngineError, FocusSummary, GpuKind, Observer, Prepared, Run,
        SourceWavefield, Split, Timings, cpu,
        gpu::Gpu,
        share::{Message, Neighbours, Share, ShareRun, Side},
    },
    plan::{Condition, Focus, Initial, Mask, Plan, Setup},
    stencil::{Family, ete::Points},
};
use ndarray::Array3;
use std::{ops::ControlFlow, sync::Arc};

/// An engine, and how to get one more of its kind.
type Kind = (Box<dyn Engine>, Box<dyn Fn() -> Box<dyn Engine>>);

/// The CPU engine, and every GPU.
fn kinds() -> Vec<Kind> {
    let gpu = |gpu: Gpu| -> Kind {
        // In few slabs, whose shaders are soon made.
        let gpu = gpu.with_slabs(1);
        (Box::new(gpu.clone()), Box::new(move || Box::new(gpu.clone())))
    };
    let cpu: Kind = (Box::new(cpu::Parallel), Box::new(|| Box::new(cpu::Parallel)));
    [cpu].into_iter().chain(engines::opened(false).into_iter().map(gpu)).collect()
}

fn split(kind: &Kind, weights: &[f64]) -> Split {
    Split::new(weights.iter().map(|_| kind.1()).collect(), weights).expect("a weight each")
}

const EQUAL: [f64; 5] = [1.0; 5];

fn plan(setup: Setup) -> Plan {
    let focus = Focus { every: 3, groups: 2, condition: Condition::Energy { quarter: 2 } };
    Plan::new(setup).expect("a valid setup").focused(focus)
}

/// The whole, which sounds, against each split.
fn same(kind: &Kind, plan: &Plan, splits: &[&[f64]], case: &str) {
    let whole = results_by(kind.0.as_ref(), plan);
    assert!(whole.sounds());
    for weights in splits {
        let heard = results_by(&split(kind, weights), plan);
        let engine = kind.0.describe().device;
        assert_eq!(differences(&whole, &heard), [""; 0], "{engine}, {case}, {weights:?}");
    }
}

#[test]
fn splits_give_the_same_bits() {
    for kind in kinds() {
        for volume in [false, true] {
            for (i, boundary) in boundaries().into_iter().enumerate() {
                let splits: &[&[f64]] = match (!kind.0.gpus().is_empty(), volume, i) {
                    (false, ..) => &[&EQUAL[..2], &EQUAL[..3], &[1.0, 3.0], &EQUAL],
                    // Few: on a CPU a driver takes longer to make their shaders than they take to
                    // run.
                    (true, false, 1) => &[&[1.0, 3.0]],
                    (true, false, 3) => &[&EQUAL],
                    (true, true, 3) => &[&EQUAL[..3]],
                    _ => continue,
                };
                let plan = plan(setup(volume, 8, boundary, 3.7));
                same(&kind, &plan, splits, &format!("{boundary:?}, volume: {volume}"));
            }
        }
    }
}

#[test]
fn so_do_ghosts_of_several_steps() {
    for kind in kinds() {
        let gpu = !kind.0.gpus().is_empty();
        for volume in [false, true] {
            let check = |setup: Setup, weights: &[f64], ghost_steps: usize| {
                let plan = plan(setup);
                let split = split(&kind, weights).with_ghost_steps(ghost_steps).expect("some");
                let (whole, heard) =
                    (results_by(kind.0.as_ref(), &plan), results_by(&split, &plan));
                let case = format!("{}, {ghost_steps}, volume: {volume}", kind.0.describe().device);
                assert!(whole.sounds());
                assert_eq!(differences(&whole, &heard), [""; 0], "{case}");
            };
            // Layers so wide that neighbours step a part of them too.
            let (layers, steps) = if volume { (16, 2) } else { (30, 4) };
            check(setup(volume, 8, common::cpml(layers), 3.7), &[1.0, 20.0], steps);
            if !gpu || !volume && common::full() {
                // A sponge, and windows of receivers that reach over a seam.
                check(setup(volume, 2, boundaries()[1], 3.7), &EQUAL[..2], 2);
                check(setup(volume, 8, boundaries()[3], 0.0), &[2.0, 1.0], 2);
            }
        }
        let with = setup(false, 4, common::cpml(20), 0.0);
        let by_increments = Plan { by_increments: true, ..Plan::new(with).expect("a valid setup") };
        let split = split(&kind, &EQUAL[..2]).with_ghost_steps(4).expect("some");
        let (whole, heard) =
            (results_by(kind.0.as_ref(), &by_increments), results_by(&split, &by_increments));
        assert_eq!(differences(&whole, &heard), [""; 0], "by increments");
    }
}

#[test]
fn so_do_other_ways_of_stepping() {
    for kind in kinds() {
        for volume in [false, true] {
            let with = setup(volume, 8, common::cpml(6), 3.7);
            let grid = Plan::new(with.clone()).expect("a valid setup").grid.shape();
            let mut random = common::random(3);
            let now = Array3::from_shape_simple_fn(grid, || random() as f32 - 0.5);
            let initial = Some(Initial { before: now.mapv(|p| 0.9 * p), now });
            let from_a_field = Plan::new(Setup { initial, ..with }).expect("a valid setup");
            let by_increments = Plan { by_increments: true, ..from_a_field };
            same(&kind, &by_increments, &[&EQUAL[..2]], "from a field, by increments");
            if (volume || !common::full()) && !kind.0.gpus().is_empty() {
                continue;
            }
            // A window of receivers wider than the stencil.
            same(&kind, &plan(setup(volume, 2, common::cpml(6), 3.7)), &[&EQUAL[..3]], "order 2");
            let operator = Family::Ete { points: Points::Many };
            let evolved = Setup { operator, ..setup(volume, 8, boundaries()[3], 3.7) };
            let evolved = Plan::new(evolved).expect("a valid setup");
            same(&kind, &evolved, &[&EQUAL[..2]], "explicit time evolution");
        }
    }
}

#[test]
fn a_state_does_not_know_that_it_was_split() {
    for kind in kinds() {
        for volume in [false, true] {
            let plan = Plan::new(setup(volume, 8, boundaries()[3], 3.7)).expect("a valid setup");
            let plan = Arc::new(plan);
            let split = split(&kind, &EQUAL[..3]);
            let (whole, shares): (&dyn Engine, &dyn Engine) = (kind.0.as_ref(), &split);
            let [one, other] = [whole, shares].map(|engine| {
                let mut run = engine.start(plan.clone()).expect("it fits");
                run.advance(41, &mut ()).expect("a stable run");
                run.state().expect("a state")
            });
            assert!(one.shots == other.shots);
            // From either the other goes on.
            let ends = [(shares, &one), (whole, &other)].map(|(engine, state)| {
                let mut run = engine.start(plan.clone()).expect("it fits");
                run.advance(3, &mut ()).expect("a stable run");
                run.restore(state).expect("a state of this job");
                run.advance(plan.time.steps, &mut ()).expect("a stable run");
                run.state().expect("a state").shots
            });
            assert!(ends[0] == ends[1]);
        }
    }
}

#[test]
fn a_survey_goes_on_from_batch_to_batch() {
    for kind in kinds() {
        let plan = Plan::new(setup(false, 8, common::cpml(6), 3.7)).expect("a valid setup");
        let split = split(&kind, &EQUAL[..3]);
        let [mut one, mut other] = [kind.0.as_ref(), &split as &dyn Engine].map(Prepared::new);
        for shot in [0, 1] {
            let batch = Arc::new(plan.batch(shot..shot + 1));
            let mut gathers = [(); 2].map(|()| huygens::engine::Gathers::new(&batch));
            one.run(&batch, &mut gathers[0]).expect("a stable run");
            other.run(&batch, &mut gathers[1]).expect("a stable run");
            assert_eq!(gathers[0].shots, gathers[1].shots);
        }
        let (timings, steps) = (split.timings(), plan.time.steps);
        let pieces: usize = timings.iter().map(|share| share.pieces).sum();
        assert_eq!((timings.len(), pieces), (3, plan.grid.n.x), "{steps} steps");
    }
}

#[test]
fn summaries_are_those_of_the_whole_maps() {
    let plan = Plan::new(setup(false, 8, common::cpml(6), 3.7)).expect("a valid setup");
    let mask = Mask::new(&plan.model_grid, &[], 0.0);
    let focus = Focus { every: 3, groups: 2, condition: Condition::Amplitude };
    let plan = plan.summarised(focus, mask);
    let kind = &kinds()[0];
    let [one, other] = [kind.0.as_ref(), &split(kind, &EQUAL[..3]) as &dyn Engine].map(|engine| {
        let mut heard = Summaries::default();
        engine.run(&plan, &mut heard).expect("a stable run");
        heard.0
    });
    assert_eq!(one, other);
}

#[derive(Default)]
struct Summaries(Vec<FocusSummary>);

impl Observer for Summaries {
    fn summary(&mut self, summary: FocusSummary) {
        self.0.push(summary);
    }
}

#[test]
fn a_blow_up_is_seen_where_it_is() {
    for kind in kinds() {
        for volume in [false, true] {
            let mut setup = setup(volume, 8, common::NO_LAYER, 0.0);
            setup.allow_unstable = true;
            let limit = Plan::new(setup.clone()).expect("a valid setup").time.limit;
            setup.time = common::every_step(1.2 * limit, 1.0);
            let plan = Plan::new(setup).expect("forced");
            let whole = kind.0.run(&plan, &mut ()).expect_err("it blows up");
            assert!(matches!(whole, EngineError::BlowUp { at: Some(_), .. }), "{whole}");
            assert_eq!(split(&kind, &EQUAL[..3]).run(&plan, &mut ()), Err(whole));
        }
    }
}

/// Stops at a step.
struct Until(usize);

impl Observer for Until {
    fn progress(&mut self, step: usize) -> ControlFlow<()> {
        if step < self.0 { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    }
}

#[test]
fn all_stop_where_the_observer_asks_to() {
    for kind in kinds() {
        let plan = Plan::new(setup(false, 8, common::cpml(6), 3.7)).expect("a valid setup");
        let stopped = split(&kind, &EQUAL[..3]).run(&plan, &mut Until(20));
        assert!(matches!(stopped, Err(EngineError::Stopped { step: 20.., steps: 90 })));
    }
}

/// The fault in the 40th message that a share receives.
#[derive(Clone, Copy)]
enum Fault {
    /// It is that of the step before.
    Stale,
    Failure,
}

/// An engine whose shares have a fault.
struct Faulty(Box<dyn Engine>, Fault);

struct FaultyRun(Box<dyn ShareRun>, Fault);

struct FaultyWay<'n>(&'n mut dyn Neighbours, Fault, Vec<Vec<f32>>);

impl Engine for Faulty {
    fn describe(&self) -> Description {
        self.0.describe()
    }

    fn gpus(&self) -> Vec<GpuKind> {
        self.0.gpus()
    }

    fn batch(&self, plan: &Plan) -> Result<usize, EngineError> {
        self.0.batch(plan)
    }

    fn start(&self, plan: Arc<Plan>) -> Result<Box<dyn Run>, EngineError> {
        self.0.start(plan)
    }

    fn start_share(
        &self,
        share: Share,
        source: Option<&SourceWavefield>,
    ) -> Result<Box<dyn ShareRun>, EngineError> {
        Ok(Box::new(FaultyRun(self.0.start_share(share, source)?, self.1)))
    }
}

impl Neighbours for FaultyWay<'_> {
    fn send(&mut self, side: Side, p: Message) -> Result<(), EngineError> {
        self.0.send(side, p)
    }

    fn receive(&mut self, side: Side) -> Result<Message, EngineError> {
        let mut received = self.0.receive(side)?;
        self.2.push(received.values().to_vec());
        match (self.2.len(), self.1) {
            (40, Fault::Stale) => {
                received.values_mut().copy_from_slice(&self.2[38]);
                Ok(received)
            }
            (40, Fault::Failure) => {
                let (device, message) = ("a device".into(), "it fell off".into());
                Err(EngineError::Device { device, message })
            }
            _ => Ok(received),
        }
    }
}

impl ShareRun for FaultyRun {
    fn engine(&self) -> &'static str {
        self.0.engine()
    }

    fn step(&self) -> usize {
        self.0.step()
    }

    fn advance(
        &mut self,
        steps: usize,
        neighbours: &mut dyn Neighbours,
        observer: &mut dyn Observer,
    ) -> Result<(), EngineError> {
        self.0.advance(steps, &mut FaultyWay(neighbours, self.1, Vec::new()), observer)
    }

    fn finish(
        &mut self,
        neighbours: &mut dyn Neighbours,
        observer: &mut dyn Observer,
    ) -> Result<Timings, EngineError> {
        self.0.finish(neighbours, observer)
    }

    fn restart(&mut self, share: &Share) -> Result<bool, EngineError> {
        self.0.restart(share)
    }

    fn run(&mut self) -> &mut dyn Run {
        self.0.run()
    }

    fn memory_lens(&self) -> Vec<usize> {
        self.0.memory_lens()
    }
}

/// The last of three shares has a fault.
fn faulty(kind: &Kind, fault: Fault) -> Split {
    let last = Box::new(Faulty(kind.1(), fault));
    Split::new(vec![kind.1(), kind.1(), last], &[]).expect("three engines")
}

#[test]
fn an_exchange_that_is_left_out_is_seen() {
    for kind in kinds() {
        let plan = Plan::new(setup(false, 8, common::cpml(6), 3.7)).expect("a valid setup");
        let whole = results_by(kind.0.as_ref(), &plan);
        let heard = results_by(&faulty(&kind, Fault::Stale), &plan);
        assert_eq!(differences(&whole, &heard), ["gathers", "snapshots", "fields"]);
    }
}

#[test]
fn a_failure_of_one_share_ends_all() {
    for kind in kinds() {
        let plan = Plan::new(setup(false, 8, common::cpml(6), 3.7)).expect("a valid setup");
        let failed = faulty(&kind, Fault::Failure).run(&plan, &mut ());
        let Err(EngineError::Device { message, .. }) = failed else { panic!("{failed:?}") };
        assert_eq!(message, "it fell off");
        // And the run goes on from before, as if nothing had been.
        let plan = Arc::new(plan);
        let mut run = faulty(&kind, Fault::Failure).start(plan.clone()).expect("it fits");
        run.advance(20, &mut ()).expect("not yet");
        let kept = run.keep().expect("there is room");
        run.advance(60, &mut ()).expect_err("on the way");
        run.put_back(&kept).expect("its own");
        run.advance(30, &mut ()).expect("not yet");
        let mut whole = kind.0.start(plan).expect("it fits");
        whole.advance(50, &mut ()).expect("a stable run");
        assert!(run.state().expect("a state").shots == whole.state().expect("a state").shots);
    }
}

#[test]
fn unsplittable_plans_are_refused() {
    let kind = &kinds()[0];
    let plan = Plan::new(setup(true, 8, common::NO_LAYER, 0.0)).expect("a valid setup");
    let of = |engines: usize| Split::new((0..engines).map(|_| kind.1()).collect(), &[]);
    for engines in [0, 9] {
        let split = of(engines).expect("weights of 1");
        let refused = split.run(&plan, &mut ()).expect_err("33 planes");
        assert_eq!(
            refused.to_string(),
            format!(
                "a simulation of 33 planes is not split over {engines} engines: each takes 4 at the least; give from 1 to 8"
            )
        );
        assert_eq!(split.batch(&plan), Err(refused));
    }
    let deep = of(5).expect("five").with_ghost_steps(2).expect("two steps");
    let refused = deep.batch(&plan).expect_err("too few planes").to_string();
    let said = "each takes 20 at the least with ghosts of 2 steps; give from 1 to 1";
    assert!(refused.contains(said), "{refused}");
    for steps in [0, 65] {
        let refused = of(2).expect("two").with_ghost_steps(steps).err().expect("no such steps");
        assert!(refused.to_string().contains("are not available; give from 1 to 64"));
    }
    for weights in [&[1.0][..], &[1.0, 0.0], &[1.0, f64::NAN]] {
        let refused = Split::new(vec![kind.1(), kind.1()], weights).err().expect("no weights");
        assert!(refused.to_string().contains("for 2 engines are not available; give each"));
    }
    for gpu in engines::gpus(false) {
        let refused = Split::new(vec![gpu, kind.1()], &[]).err().expect("one of either kind");
        let said = refused.to_string();
        assert!(
            said.contains("do not share a shot") && said.contains("devices of one kind"),
            "{said}"
        );
    }
    let oracles = Split::new(vec![Box::new(cpu::Reference), Box::new(cpu::Reference)], &[]);
    let refused = oracles.expect("two").run(&plan, &mut ()).expect_err("the oracle is whole");
    assert!(refused.to_string().contains("runs no share of a simulation; split it over"));
}
