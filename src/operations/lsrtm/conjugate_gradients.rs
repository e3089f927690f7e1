//! Conjugate gradients on the normal equations of a linear least-squares problem (Hestenes and
//! Stiefel 1952, "Methods of conjugate gradients for solving linear systems", J. Res. Natl. Bur.
//! Stand. 49(6), section 10):
//!
//! ```text
//! min |A u - d|^2 + w |u|^2
//!
//! u = 0, s = p = A' d; in each iteration
//! a = s's / (|A p|^2 + w p'p),  u <- u + a p,  s <- s - a (A' A p + w p),  p <- s + (s's / s's before) p
//! ```
//!
//! A is given by |A p|^2 and A' A p alone, so that nothing of the size of d is kept.

use serde::{Deserialize, Serialize};

/// An iteration that lowers the misfit by less than this part of it is the last.
pub(crate) const LEAST_FALL: f64 = 1e-3;

/// Conjugate gradients after some iterations, from which they continue with the same bits.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct ConjugateGradients {
    /// u.
    pub(crate) unknowns: Vec<f64>,
    /// s = A' (d - A u) - w u.
    descent: Vec<f64>,
    /// p.
    direction: Vec<f64>,
    /// |A u - d|^2 + w |u|^2 at the start, where it is |d|^2, and after each iteration.
    costs: Vec<f64>,
    /// |A u - d|^2 likewise.
    misfits: Vec<f64>,
    /// w, once it is known.
    damping: Option<f64>,
}

/// The normal operator of A applied to a direction p.
#[derive(Clone, Debug)]
pub(crate) struct Normal {
    /// |A p|^2.
    pub(crate) energy: f64,
    /// A' A p.
    pub(crate) back: Vec<f64>,
}

impl ConjugateGradients {
    /// Before the first iteration, from |d|^2 and A' d.
    pub(crate) fn begin(Normal { energy, back }: Normal) -> Self {
        ConjugateGradients {
            unknowns: vec![0.0; back.len()],
            direction: back.clone(),
            descent: back,
            costs: vec![energy],
            misfits: vec![energy],
            damping: None,
        }
    }

    /// Iterations done.
    pub(crate) fn iterations(&self) -> usize {
        self.costs.len() - 1
    }

    /// The direction of the next iteration; `None` if the last one hardly lowered the cost, or if there
    /// is no direction.
    pub(crate) fn direction(&self) -> Option<&[f64]> {
        let has_fallen = match self.costs[..] {
            [.., before, now] => before - now >= LEAST_FALL * before,
            _ => true,
        };
        (has_fallen && dot(&self.direction, &self.direction) > 0.0).then_some(&self.direction)
    }

    /// Does an iteration, with the normal operator applied to its [direction](Self::direction). The
    /// damping w is a part of the curvature |A p|^2 / |p|^2 of the first direction.
    pub(crate) fn advance(&mut self, damping: f64, Normal { energy, back }: Normal) {
        let size = dot(&self.direction, &self.direction);
        let damping = *self.damping.get_or_insert(damping * energy / size);
        let steepness = dot(&self.descent, &self.descent);
        let curvature = energy + damping * size;
        let step = if curvature > 0.0 { steepness / curvature } else { 0.0 };
        let of_direction = self.direction.iter().zip(&back);
        let both = self.unknowns.iter_mut().zip(&mut self.descent);
        for ((u, s), (p, back)) in both.zip(of_direction) {
            *u += step * p;
            *s -= step * (back + damping * p);
        }
        let again = dot(&self.descent, &self.descent) / steepness;
        self.direction.iter_mut().zip(&self.descent).for_each(|(p, s)| *p = s + again * *p);
        let cost = self.costs.last().copied().unwrap_or(0.0) - step * steepness;
        self.costs.push(cost);
        self.misfits.push(cost - damping * dot(&self.unknowns, &self.unknowns));
    }

    /// |A u - d| over |d| at the start and after each iteration.
    pub(crate) fn residuals(&self) -> Vec<f64> {
        let all = self.misfits[0].max(f64::MIN_POSITIVE);
        self.misfits.iter().map(|misfit| (misfit.max(0.0) / all).sqrt()).collect()
    }

    /// Whether they are of so many unknowns, with numbers that they may have.
    pub(crate) fn is_of(&self, count: usize) -> bool {
        let fits = |of: &Vec<f64>| of.len() == count && of.iter().all(|value| value.is_finite());
        let (costs, misfits) = (&self.costs, &self.misfits);
        let numbers = || costs.iter().chain(misfits).chain(&self.damping);
        [&self.unknowns, &self.descent, &self.direction].into_iter().all(fits)
            && !costs.is_empty()
            && costs.len() == misfits.len()
            && numbers().all(|number| number.is_finite())
    }
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use nalgebra::{DMatrix, DVector};

    /// Values without a pattern.
    fn random(seed: u64, count: usize) -> Vec<f64> {
        let mut state = seed;
        let mut next = || {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            (state >> 11) as f64 / (1u64 << 53) as f64 - 0.5
        };
        (0..count).map(|_| next()).collect()
    }

    struct Problem {
        a: DMatrix<f64>,
        d: DVector<f64>,
    }

    impl Problem {
        fn new() -> Self {
            let a = DMatrix::from_vec(14, 6, random(3, 14 * 6));
            Problem { a, d: DVector::from_vec(random(5, 14)) }
        }

        fn back(&self, of: &DVector<f64>) -> Normal {
            Normal {
                energy: of.norm_squared(),
                back: (self.a.transpose() * of).as_slice().to_vec(),
            }
        }

        fn begin(&self) -> ConjugateGradients {
            ConjugateGradients::begin(self.back(&self.d))
        }

        /// Up to so many iterations in all.
        fn run(&self, mut of: ConjugateGradients, damping: f64, most: usize) -> ConjugateGradients {
            while let Some(direction) = of.direction().filter(|_| of.iterations() < most) {
                let there = &self.a * DVector::from_column_slice(direction);
                of.advance(damping, self.back(&there));
            }
            of
        }
    }

    /// As many iterations as unknowns give the solution that a factorised matrix gives.
    #[test]
    fn they_come_to_the_solution_of_a_dense_solve() {
        let problem = Problem::new();
        for damping in [0.0, 0.3] {
            // However little the last of them does.
            let mut found = problem.begin();
            for _ in 0..6 {
                let there = &problem.a * DVector::from_column_slice(&found.direction);
                found.advance(damping, problem.back(&there));
            }
            let first = &problem.a * (problem.a.transpose() * &problem.d);
            let size = (problem.a.transpose() * &problem.d).norm_squared();
            let w = damping * first.norm_squared() / size;
            let normal = problem.a.transpose() * &problem.a + w * DMatrix::identity(6, 6);
            let right = problem.a.transpose() * &problem.d;
            let exact = normal.cholesky().expect("positive").solve(&right);
            let off = DVector::from_column_slice(&found.unknowns) - &exact;
            assert!(off.norm() < 1e-9 * exact.norm(), "{damping}: {}", off.norm());
            // The residual without A is that of the matrix.
            let left = (&problem.a * &exact - &problem.d).norm() / problem.d.norm();
            let said = found.residuals().last().copied().expect("a residual");
            assert!((said / left - 1.0).abs() < 1e-9, "{damping}: {said} {left}");
        }
    }

    #[test]
    fn residuals_fall_and_the_bits_are_those_of_one_run() {
        let problem = Problem::new();
        let whole = problem.run(problem.begin(), 0.01, 5);
        assert!(whole.residuals().windows(2).all(|pair| pair[1] < pair[0]));
        assert_eq!(whole.residuals()[0], 1.0);
        let part = problem.run(problem.begin(), 0.01, 2);
        let bytes = postcard::to_stdvec(&part).expect("bytes");
        let again: ConjugateGradients = postcard::from_bytes(&bytes).expect("the same");
        assert_eq!(problem.run(again, 0.01, 5), whole);
    }

    #[test]
    fn they_end_where_the_residual_does_not_fall() {
        let problem = Problem::new();
        let found = problem.run(problem.begin(), 0.0, 100);
        // One more than there are unknowns finds nothing left.
        assert!((5..=7).contains(&found.iterations()), "{}", found.iterations());
        let silent = Problem { d: DVector::zeros(14), ..problem };
        assert_eq!(silent.run(silent.begin(), 0.0, 9).iterations(), 0);
    }

    #[test]
    fn damaged_states_are_known() {
        let problem = Problem::new();
        let sound = problem.run(problem.begin(), 0.1, 3);
        assert!(sound.is_of(6) && !sound.is_of(7));
        let damages: [fn(&mut ConjugateGradients); 4] = [
            |of| of.unknowns[2] = f64::NAN,
            |of| of.direction.truncate(3),
            |of| of.costs.clear(),
            |of| of.damping = Some(f64::INFINITY),
        ];
        for damage in damages {
            let mut damaged = sound.clone();
            damage(&mut damaged);
            assert!(!damaged.is_of(6));
        }
    }
}
