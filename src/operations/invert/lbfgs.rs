//! The direction of a step of L-BFGS (Nocedal and Wright, "Numerical Optimization", 2006, algorithm
//! 7.4): -H g, where H stands for the inverse of the second derivatives. argmin has it too, but keeps
//! its pairs to itself, so that those of a file could not be checked.

use serde::{Deserialize, Serialize};
use std::collections::VecDeque;

/// The most pairs that stand for the curvature.
const MOST: usize = 8;

/// The latest changes of the unknowns, and those of the gradient with them.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Pairs(VecDeque<Pair>);

#[derive(Clone, Debug, Serialize, Deserialize)]
struct Pair {
    /// s.
    unknowns: Vec<f64>,
    /// y.
    gradient: Vec<f64>,
}

impl Pairs {
    /// Adds the changes of an iteration.
    pub(crate) fn push(&mut self, unknowns: Vec<f64>, gradient: Vec<f64>) {
        if self.0.len() >= MOST {
            self.0.pop_front();
        }
        self.0.push_back(Pair { unknowns, gradient });
    }

    /// All its vectors.
    pub(crate) fn vectors(&self) -> impl Iterator<Item = &Vec<f64>> {
        self.0.iter().flat_map(|pair| [&pair.unknowns, &pair.gradient])
    }

    /// -H g.
    pub(crate) fn direction(&self, g: &[f64]) -> Vec<f64> {
        let (mut q, mut passed) = (g.to_vec(), Vec::new());
        for Pair { unknowns: s, gradient: y } in self.0.iter().rev() {
            let rho = 1.0 / dot(y, s);
            let alpha = dot(s, &q) * rho;
            q.iter_mut().zip(y).for_each(|(q, y)| *q -= y * alpha);
            passed.push((rho, alpha));
        }
        let gamma =
            self.0.back().map_or(1.0, |Pair { unknowns: s, gradient: y }| dot(s, y) / dot(y, y));
        let mut r = q;
        r.iter_mut().for_each(|r| *r *= gamma);
        for (Pair { unknowns: s, gradient: y }, (rho, alpha)) in
            self.0.iter().zip(passed.iter().rev())
        {
            let beta = dot(y, &r) * rho;
            r.iter_mut().zip(s).for_each(|(r, s)| *r += s * (alpha - beta));
        }
        r.iter_mut().for_each(|r| *r = -*r);
        r
    }
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}
