//! Taylor (maximally flat) coefficients, Fornberg 1988 in closed form.

use super::StencilError;

/// Second derivative of order 2L: `c_j = 2 (-1)^(j+1) (L!)^2 / (j^2 (L-j)! (L+j)!)`,
/// `c_0 = -2 sum c_j`, over h^2. Returns `c_0 ..= c_L`, 1/m^2.
pub(crate) fn second(order: usize, h: f64) -> Result<Vec<f64>, StencilError> {
    if !(2..=16).contains(&order) || !order.is_multiple_of(2) {
        return Err(StencilError::Order(order));
    }
    let radius = order / 2;
    let wing: Vec<f64> =
        (1..=radius).map(|j| 2.0 * weight(j, radius) / (j * j) as f64 / (h * h)).collect();
    Ok(with_centre(wing))
}

/// First derivative of order 2L: `d_j = (-1)^(j+1) (L!)^2 / (j (L-j)! (L+j)!)`, over h. Returns
/// `d_1 ..= d_L`, 1/m.
pub(crate) fn first(radius: usize, h: f64) -> Vec<f64> {
    (1..=radius).map(|j| weight(j, radius) / j as f64 / h).collect()
}

/// Prepends `c_0 = -2 sum c_j`, so that a constant has no second derivative.
pub(super) fn with_centre(mut wing: Vec<f64>) -> Vec<f64> {
    let centre = -2.0 * wing.iter().sum::<f64>();
    wing.insert(0, centre);
    wing
}

/// `(-1)^(j+1) (L!)^2 / ((L-j)! (L+j)!)`, as a product that never overflows.
fn weight(j: usize, radius: usize) -> f64 {
    let ratio: f64 = (1..=j).map(|i| (radius - j + i) as f64 / (radius + i) as f64).product();
    if j % 2 == 1 { ratio } else { -ratio }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn published_coefficients() {
        // Fornberg 1988, table 1, orders 2, 4 and 8.
        let close = |a: &[f64], b: &[f64]| a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-14);
        assert!(close(&second(2, 1.0).expect("order 2"), &[-2.0, 1.0]));
        assert!(close(&second(4, 1.0).expect("order 4"), &[-2.5, 4.0 / 3.0, -1.0 / 12.0]));
        let eighth = [-205.0 / 72.0, 8.0 / 5.0, -1.0 / 5.0, 8.0 / 315.0, -1.0 / 560.0];
        assert!(close(&second(8, 1.0).expect("order 8"), &eighth));
        assert!(close(&first(4, 1.0), &[4.0 / 5.0, -1.0 / 5.0, 4.0 / 105.0, -1.0 / 280.0]));
    }

    #[test]
    fn odd_and_absent_orders_are_refused() {
        for order in [0, 1, 7, 18] {
            assert_eq!(second(order, 1.0), Err(StencilError::Order(order)));
        }
    }
}
