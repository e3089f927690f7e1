//! Least squares under inequalities: the x that minimises `|A x - b|` with `G x >= h` (Lawson and
//! Hanson 1974, chapter 23).
//!
//! With `A = Q R` and `z = R x - Q'b` it is the shortest z in a polyhedron (problem LDP), which is
//! a least squares problem with x >= 0 (NNLS).

use nalgebra::{DMatrix, DVector};

/// The x; `None` if no x satisfies the inequalities, or A does not have full rank.
pub(crate) fn least_squares(
    a: DMatrix<f64>,
    b: &DVector<f64>,
    g: &DMatrix<f64>,
    h: &DVector<f64>,
) -> Option<DVector<f64>> {
    let qr = a.qr();
    let (r, target) = (qr.r(), qr.q().transpose() * b);
    if g.nrows() == 0 {
        return r.solve_upper_triangular(&target);
    }
    let inverse = r.try_inverse()?;
    let within = g * &inverse;
    let shifted = h - &within * &target;
    let z = shortest(&within, &shifted)?;
    Some(inverse * (z + target))
}

/// The shortest z with `G z >= h` (algorithm LDP).
fn shortest(g: &DMatrix<f64>, h: &DVector<f64>) -> Option<DVector<f64>> {
    let (rows, n) = g.shape();
    let e = DMatrix::from_fn(n + 1, rows, |i, j| if i < n { g[(j, i)] } else { h[j] });
    let f = DVector::from_fn(n + 1, |i, _| if i == n { 1.0 } else { 0.0 });
    let u = not_negative(&e, &f)?;
    let r = e * u - f;
    (r[n].abs() > 1e-12).then(|| r.rows(0, n) / -r[n])
}

/// The u >= 0 that minimises `|E u - f|` (algorithm NNLS).
fn not_negative(e: &DMatrix<f64>, f: &DVector<f64>) -> Option<DVector<f64>> {
    let m = e.ncols();
    let mut u = DVector::zeros(m);
    let mut free: Vec<usize> = Vec::new();
    for _ in 0..3 * m + 30 {
        let gradient = e.transpose() * (f - e * &u);
        let steepest = (0..m)
            .filter(|j| !free.contains(j))
            .max_by(|i, j| gradient[*i].total_cmp(&gradient[*j]))
            .filter(|j| gradient[*j] > 1e-12);
        let Some(steepest) = steepest else { return Some(u) };
        free.push(steepest);
        loop {
            let columns = e.select_columns(&free);
            let solved = columns.svd(true, true).solve(f, 1e-14).ok()?;
            if solved.iter().all(|value| *value > 0.0) {
                u.fill(0.0);
                free.iter().zip(solved.iter()).for_each(|(j, value)| u[*j] = *value);
                break;
            }
            // As far towards it as no value turns negative; values that reach zero are fixed there.
            let part = free
                .iter()
                .zip(solved.iter())
                .filter(|(_, value)| **value <= 0.0)
                .map(|(j, value)| u[*j] / (u[*j] - value))
                .fold(1.0, f64::min);
            for (j, value) in free.iter().zip(solved.iter()) {
                u[*j] += part * (value - u[*j]);
            }
            let held = free.iter().copied().filter(|j| u[*j] <= 1e-15).collect::<Vec<_>>();
            held.iter().for_each(|j| u[*j] = 0.0);
            if held.is_empty() {
                return None;
            }
            free.retain(|j| !held.contains(j));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    /// min (x - 1)^2 + (y - 2)^2 with x + y <= 2 is at (1/2, 3/2); x + y <= 4 is inactive.
    #[test]
    fn a_corner_that_is_known() {
        let a = DMatrix::identity(2, 2);
        let b = DVector::from_vec(vec![1.0, 2.0]);
        let g = DMatrix::from_row_slice(1, 2, &[-1.0, -1.0]);
        let solve = |most: f64| least_squares(a.clone(), &b, &g, &DVector::from_vec(vec![-most]));
        let close = |x: Option<DVector<f64>>, to: [f64; 2]| {
            x.is_some_and(|x| (x[0] - to[0]).abs() + (x[1] - to[1]).abs() < 1e-12)
        };
        assert!(close(solve(2.0), [0.5, 1.5]));
        assert!(close(solve(4.0), [1.0, 2.0]));
    }

    #[test]
    fn contradictory_inequalities_have_no_solution() {
        let (a, b) = (DMatrix::identity(1, 1), DVector::from_vec(vec![0.0]));
        let g = DMatrix::from_row_slice(2, 1, &[1.0, -1.0]);
        assert_eq!(least_squares(a, &b, &g, &DVector::from_vec(vec![1.0, 1.0])), None);
    }
}
