//! Full waveform inversion: a model is changed, iteration by iteration, until its traces are those
//! that were observed (Tarantola 1984; Virieux and Operto 2009, "An overview of full-waveform
//! inversion in exploration geophysics", Geophysics 74(6)). The descent is by L-BFGS (Nocedal and
//! Wright, "Numerical Optimization", 2006, algorithm 7.5) with the line search of argmin, through
//! [`Unknowns`] that keep velocities within bounds. Bands of frequencies come one after another, the lowest first (Bunks
//! and others 1995, "Multiscale seismic waveform inversion", Geophysics 60(5)).

#[cfg(feature = "runs")]
pub(crate) mod files;
#[cfg(feature = "jobs")]
mod inversion;
mod lbfgs;
#[cfg(feature = "runs")]
mod memory;
#[cfg(feature = "runs")]
mod operation;
#[cfg(feature = "jobs")]
mod prepare;
#[cfg(feature = "jobs")]
mod prior;
#[cfg(feature = "cli")]
mod stored;
mod unknowns;

#[cfg(feature = "jobs")]
pub use inversion::{Inversion, Inverted};
#[cfg(feature = "runs")]
pub use operation::InversionRun;
#[cfg(feature = "cli")]
pub(crate) use stored::PICTURES;
pub(crate) use unknowns::{Bounds, Unknowns};

use crate::model::VelocityModel;
use argmin::{
    core::{CostFunction, Error, Executor, Gradient, LineSearch},
    solver::linesearch::MoreThuenteLineSearch,
};
use lbfgs::Pairs;
use ndarray::Array3;
use serde::{Deserialize, Serialize};
use std::cell::RefCell;

/// The largest change of an unknown in the first step of a descent.
const FIRST_STEP: f64 = 0.1;
/// The most evaluations of an iteration: near the end rounding hides what a smaller step gains.
const EVALUATIONS: usize = 12;
/// The most steps of a line search: one that comes back to where it was evaluates nothing.
const STEPS: u64 = 100;

/// J of a model and its gradient by the velocity, `[y][x][z]`.
#[derive(Clone, Debug)]
pub(crate) struct Evaluation {
    /// J.
    pub(crate) misfit: f64,
    /// dJ/dv, per m/s.
    pub(crate) by_velocity: Array3<f64>,
}

/// A descent after some iterations, from which it can go on with the same bits.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Descended {
    /// Iterations done.
    pub(crate) iterations: usize,
    /// J divided by this is what is minimised, so that its first step is of a sensible length.
    scale: f64,
    at: Point,
    pairs: Pairs,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
struct Point {
    unknowns: Vec<f64>,
    /// J / scale.
    cost: f64,
    /// Of the cost, by the unknowns.
    gradient: Vec<f64>,
}

/// Evaluates J of a model.
pub(crate) type Evaluate<'e, E> = dyn FnMut(&VelocityModel) -> Result<Evaluation, E> + 'e;

impl Descended {
    /// The beginning of a descent, from J where all unknowns are 0.
    pub(crate) fn begin(unknowns: &Unknowns, at_start: &Evaluation) -> Self {
        let start = vec![0.0; unknowns.count()];
        let gradient = unknowns.gradient(&start, &at_start.by_velocity);
        let largest = gradient.iter().fold(0.0f64, |most, g| most.max(g.abs()));
        let scale = if largest > 0.0 { largest / FIRST_STEP } else { 1.0 };
        let gradient = gradient.into_iter().map(|g| g / scale).collect();
        let at = Point { unknowns: start, cost: at_start.misfit / scale, gradient };
        Descended { iterations: 0, scale, at, pairs: Pairs::default() }
    }

    /// The unknowns.
    pub(crate) fn unknowns(&self) -> &[f64] {
        &self.at.unknowns
    }

    /// J.
    pub(crate) fn misfit(&self) -> f64 {
        self.at.cost * self.scale
    }

    /// Whether it is one of so many unknowns, with numbers that a descent may have.
    pub(crate) fn is_of(&self, count: usize) -> bool {
        let Point { unknowns, cost, gradient } = &self.at;
        let fits = |of: &Vec<f64>| of.len() == count && of.iter().all(|v| v.is_finite());
        let all = [unknowns, gradient].into_iter().chain(self.pairs.vectors());
        self.scale > 0.0 && self.scale.is_finite() && cost.is_finite() && all.into_iter().all(fits)
    }

    /// The point of lower J where its next line search ends.
    fn lower<E>(&self, shared: &RefCell<Shared<'_, '_, E>>) -> Option<Point> {
        let (Point { unknowns, cost, gradient }, scale) = (&self.at, self.scale);
        let mut line = MoreThuenteLineSearch::<Vec<f64>, Vec<f64>, f64>::new();
        line.search_direction(self.pairs.direction(gradient));
        let search = Executor::new(Objective { shared, scale }, line).ctrlc(false);
        let search = search.configure(|start| {
            let start = start.param(unknowns.clone()).gradient(gradient.clone()).cost(*cost);
            start.max_iters(STEPS)
        });
        let mut end = search.run().ok()?.state;
        let (unknowns, gradient) = (end.take_param()?, end.take_gradient()?);
        let point = Point { unknowns, cost: end.get_cost(), gradient };
        (point.cost < *cost).then_some(point)
    }
}

/// Descends from where an earlier descent was, up to `iterations` iterations in all. `each` takes the
/// descent after every iteration. Ends early where no step makes J smaller.
pub(crate) fn descend<E>(
    unknowns: &Unknowns,
    mut descended: Descended,
    iterations: usize,
    evaluate: &mut Evaluate<'_, E>,
    each: &mut dyn FnMut(&Descended) -> Result<(), E>,
) -> Result<Descended, E> {
    let shared = &RefCell::new(Shared { unknowns, evaluate, left: 0, last: None, failed: None });
    while descended.iterations < iterations {
        shared.borrow_mut().left = EVALUATIONS;
        let lower = descended.lower(shared);
        if let Some(failure) = shared.borrow_mut().failed.take() {
            return Err(failure);
        }
        let Some(lower) = lower else { break };
        let from = std::mem::replace(&mut descended.at, lower);
        let to = &descended.at;
        let pair = (change(&to.unknowns, &from.unknowns), change(&to.gradient, &from.gradient));
        descended.pairs.push(pair.0, pair.1);
        descended.iterations += 1;
        each(&descended)?;
    }
    Ok(descended)
}

fn change(to: &[f64], from: &[f64]) -> Vec<f64> {
    to.iter().zip(from).map(|(to, from)| to - from).collect()
}

struct Shared<'a, 'e, E> {
    unknowns: &'a Unknowns,
    evaluate: &'a mut Evaluate<'e, E>,
    /// Evaluations that the iteration may still take.
    left: usize,
    /// Unknowns, J and its gradient: both are asked for, one after the other.
    last: Option<(Vec<f64>, f64, Vec<f64>)>,
    failed: Option<E>,
}

impl<E> Shared<'_, '_, E> {
    /// J and dJ/du; `None` if no evaluation is left.
    fn at(&mut self, unknowns: &[f64]) -> Result<Option<(f64, Vec<f64>)>, E> {
        if let Some((known, misfit, gradient)) = &self.last
            && known == unknowns
        {
            return Ok(Some((*misfit, gradient.clone())));
        }
        // A step to velocities that are not finite has no J.
        let Ok(model) = self.unknowns.model(unknowns) else { return Ok(None) };
        let Some(left) = self.left.checked_sub(1) else { return Ok(None) };
        self.left = left;
        let Evaluation { misfit, by_velocity } = (self.evaluate)(&model)?;
        let gradient = self.unknowns.gradient(unknowns, &by_velocity);
        self.last = Some((unknowns.to_vec(), misfit, gradient.clone()));
        Ok(Some((misfit, gradient)))
    }
}

/// J of unknowns, for argmin.
struct Objective<'s, 'a, 'e, E> {
    shared: &'s RefCell<Shared<'a, 'e, E>>,
    scale: f64,
}

impl<E> Objective<'_, '_, '_, E> {
    fn at(&self, unknowns: &[f64]) -> Result<(f64, Vec<f64>), Error> {
        let mut shared = self.shared.borrow_mut();
        match shared.at(unknowns) {
            Ok(found) => found.ok_or_else(|| Error::msg("no step makes J smaller")),
            Err(failure) => {
                shared.failed = Some(failure);
                Err(Error::msg("J is not known"))
            }
        }
    }
}

impl<E> CostFunction for Objective<'_, '_, '_, E> {
    type Param = Vec<f64>;
    type Output = f64;

    fn cost(&self, unknowns: &Self::Param) -> Result<f64, Error> {
        Ok(self.at(unknowns)?.0 / self.scale)
    }
}

impl<E> Gradient for Objective<'_, '_, '_, E> {
    type Param = Vec<f64>;
    type Gradient = Vec<f64>;

    fn gradient(&self, unknowns: &Self::Param) -> Result<Vec<f64>, Error> {
        Ok(self.at(unknowns)?.1.into_iter().map(|g| g / self.scale).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{grid::Axes, operations::smoothing::Smoothing};
    use argmin::{
        core::{IterState, Problem, Solver, State},
        solver::quasinewton::LBFGS,
    };
    use ndarray::Array2;
    use std::convert::Infallible;

    /// J = sum of squares of the differences to a model, each with its weight.
    fn evaluation(model: &VelocityModel, wanted: &VelocityModel) -> Evaluation {
        let difference = (&model.velocity() - &wanted.velocity()).mapv(f64::from);
        let weight = |z: usize| 1.0 + z as f64;
        let each = difference.indexed_iter().map(|((_, _, z), d)| 0.5 * weight(z) * d * d);
        let misfit = each.sum();
        let by = |(at, d): ((usize, usize, usize), &f64)| weight(at.2) * d;
        let by: Vec<f64> = difference.indexed_iter().map(by).collect();
        let by_velocity = Array3::from_shape_vec(difference.dim(), by).expect("as many");
        Evaluation { misfit, by_velocity }
    }

    fn model(of: impl Fn(usize, usize) -> f32) -> VelocityModel {
        let velocity = Array2::from_shape_fn((12, 10), |(x, z)| of(x, z));
        VelocityModel::new(velocity, 10.0, 10.0).expect("a model")
    }

    fn unknowns() -> Unknowns {
        let none = Smoothing::new(0.0, Axes { z: 10.0, x: 10.0, y: 10.0 });
        let bounds = Bounds { least: 1400.0, most: 4000.0 };
        let all = Array3::ones((1, 12, 10));
        Unknowns::new(model(|_, _| 2000.0), bounds, none, all.clone(), all)
    }

    #[test]
    fn it_finds_the_model_and_goes_on_with_the_same_bits() {
        let wanted = model(|x, z| 2000.0 + 15.0 * x as f32 - 12.0 * z as f32);
        let (unknowns, mut misfits) = (unknowns(), Vec::new());
        let mut kept = None;
        let begun = || Descended::begin(&unknowns, &evaluation(&model(|_, _| 2000.0), &wanted));
        let found = descend(
            &unknowns,
            begun(),
            30,
            &mut |model| Ok::<_, Infallible>(evaluation(model, &wanted)),
            &mut |descended| {
                misfits.push(descended.misfit());
                if descended.iterations == 3 {
                    let bytes = postcard::to_allocvec(descended).expect("bytes");
                    kept = Some(postcard::from_bytes(&bytes).expect("a descent"));
                }
                Ok(())
            },
        );
        let Ok(found) = found;
        let first = evaluation(&model(|_, _| 2000.0), &wanted).misfit;
        assert!(found.misfit() < 1e-6 * first, "{misfits:?}");
        assert!(misfits.windows(2).all(|pair| pair[1] <= pair[0]), "{misfits:?}");
        let again = descend(
            &unknowns,
            kept.expect("the third iteration"),
            30,
            &mut |model| Ok::<_, Infallible>(evaluation(model, &wanted)),
            &mut |_| Ok(()),
        );
        let Ok(again) = again;
        assert_eq!((again.iterations, again.unknowns()), (found.iterations, found.unknowns()));
    }

    /// J / scale of unknowns.
    struct Scaled<'a>(&'a Unknowns, VelocityModel, f64);

    impl Scaled<'_> {
        fn at(&self, unknowns: &[f64]) -> Evaluation {
            evaluation(&self.0.model(unknowns).expect("a model"), &self.1)
        }
    }

    impl CostFunction for Scaled<'_> {
        type Param = Vec<f64>;
        type Output = f64;

        fn cost(&self, unknowns: &Self::Param) -> Result<f64, Error> {
            Ok(self.at(unknowns).misfit / self.2)
        }
    }

    impl Gradient for Scaled<'_> {
        type Param = Vec<f64>;
        type Gradient = Vec<f64>;

        fn gradient(&self, unknowns: &Self::Param) -> Result<Vec<f64>, Error> {
            let by = self.0.gradient(unknowns, &self.at(unknowns).by_velocity);
            Ok(by.into_iter().map(|g| g / self.2).collect())
        }
    }

    #[test]
    fn its_iterations_are_those_of_argmin() {
        let wanted = model(|x, z| 2000.0 + 15.0 * x as f32 - 12.0 * z as f32);
        let (unknowns, mut ours) = (unknowns(), Vec::new());
        let begun = Descended::begin(&unknowns, &evaluation(&model(|_, _| 2000.0), &wanted));
        let Point { unknowns: start, cost, gradient } = begun.at.clone();
        let mut problem = Problem::new(Scaled(&unknowns, wanted.clone(), begun.scale));
        let descended = descend(
            &unknowns,
            begun,
            12,
            &mut |model| Ok::<_, Infallible>(evaluation(model, &wanted)),
            &mut |descended| {
                ours.push(descended.unknowns().to_vec());
                Ok(())
            },
        );
        let Ok(_) = descended;
        // Ten iterations drop the first pairs.
        assert!(ours.len() > 10, "{}", ours.len());
        let line = MoreThuenteLineSearch::<Vec<f64>, Vec<f64>, f64>::new();
        let mut descent = LBFGS::<_, Vec<f64>, Vec<f64>, f64>::new(line, 8);
        let mut state = IterState::new().param(start).cost(cost).gradient(gradient);
        for (iteration, ours) in ours.iter().enumerate() {
            state = descent.next_iter(&mut problem, state).expect("a step").0;
            state.increment_iter();
            assert_eq!(state.get_param(), Some(ours), "iteration {iteration}");
        }
    }

    #[test]
    fn a_descent_of_other_unknowns_or_without_numbers_is_known() {
        let wanted = model(|x, _| 2000.0 + 15.0 * x as f32);
        let unknowns = unknowns();
        let begun = Descended::begin(&unknowns, &evaluation(&model(|_, _| 2000.0), &wanted));
        let evaluate = &mut |model: &_| Ok::<_, Infallible>(evaluation(model, &wanted));
        let Ok(whole) = descend(&unknowns, begun, 2, evaluate, &mut |_| Ok(()));
        let count = unknowns.count();
        assert!(whole.is_of(count) && !whole.is_of(count + 1));
        let wrong: [fn(&mut Descended); 7] = [
            |of| of.scale = 0.0,
            |of| of.scale = f64::INFINITY,
            |of| of.at.cost = f64::NAN,
            |of| of.at.unknowns[3] = f64::INFINITY,
            |of| of.at.gradient.truncate(5),
            |of| of.pairs.push(vec![0.0; of.at.unknowns.len()], vec![0.0]),
            |of| of.pairs.push(vec![f64::NAN; of.at.unknowns.len()], of.at.gradient.clone()),
        ];
        for (at, wrong) in wrong.iter().enumerate() {
            let mut damaged = whole.clone();
            wrong(&mut damaged);
            assert!(!damaged.is_of(count), "{at}");
        }
    }

    #[test]
    fn what_fails_or_stops_ends_it_with_its_reason() {
        let wanted = model(|x, _| 2000.0 + 15.0 * x as f32);
        let mut left = 4;
        let unknowns = unknowns();
        let begun = || Descended::begin(&unknowns, &evaluation(&model(|_, _| 2000.0), &wanted));
        let failed = descend(
            &unknowns,
            begun(),
            30,
            &mut |model| {
                left -= 1;
                if left > 0 { Ok(evaluation(model, &wanted)) } else { Err("the device is gone") }
            },
            &mut |_| Ok(()),
        );
        assert_eq!(failed.err(), Some("the device is gone"));
        let stopped = descend(
            &unknowns,
            begun(),
            30,
            &mut |model| Ok(evaluation(model, &wanted)),
            &mut |of| if of.iterations == 2 { Err("enough") } else { Ok(()) },
        );
        assert_eq!(stopped.err(), Some("enough"));
    }
}
