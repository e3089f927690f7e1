//! Reflection-angle gathers from offset gathers.

use ndarray::{Array3, ArrayView3};
use rayon::prelude::*;

/// Gathers of reflection angles, `[angle][x][z]`, from offset gathers along x, `[offset][x][z]`:
/// the slant stack in the image
///
/// ```text
/// A(x, z, g) = mean over h of I(x, z + h tan g, h)
/// ```
///
/// (Sava and Fomel 2003, "Angle-domain common-image gathers by wavefield continuation methods",
/// Geophysics 68(3), equation 5). Depths between nodes are interpolated linearly, and the image is
/// zero beyond the model. `offsets` are h over the spacing along z, `angles` are in degrees. At the
/// right velocity a reflector is flat.
pub fn angle_gathers(gathers: ArrayView3<'_, f32>, offsets: &[f64], angles: &[f64]) -> Array3<f32> {
    let (count, columns, rows) = gathers.dim();
    let mut result = Array3::zeros((angles.len(), columns, rows));
    let of_angles: Vec<_> = result.outer_iter_mut().zip(angles).collect();
    of_angles.into_par_iter().for_each(|(mut of_angle, angle)| {
        let slope = angle.to_radians().tan();
        for (gather, offset) in gathers.outer_iter().zip(offsets) {
            let shift = offset * slope;
            let (below, part) = (shift.floor() as isize, (shift - shift.floor()) as f32);
            for (mut to, from) in of_angle.outer_iter_mut().zip(gather.outer_iter()) {
                let at = |row: isize| usize::try_from(row).ok().and_then(|row| from.get(row));
                for (row, value) in (0..).zip(to.iter_mut()) {
                    let [first, next] =
                        [row + below, row + below + 1].map(|row| at(row).copied().unwrap_or(0.0));
                    *value += first + part * (next - first);
                }
            }
        }
        of_angle /= count as f32;
    });
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A line of depth over offset becomes a peak at its slope; a focus at h = 0 becomes flat.
    #[test]
    fn lines_become_peaks() {
        let (most, rows) = (20, 101);
        let offsets: Vec<f64> = (-most..=most).map(f64::from).collect();
        let angles: Vec<f64> = (-60..=60).step_by(5).map(f64::from).collect();
        let peak = |slope: f64| {
            let line = Array3::from_shape_fn((offsets.len(), 1, rows), |(offset, _, row)| {
                let depth = 50.0 + slope * offsets[offset];
                (-0.5 * (row as f64 - depth).powi(2)).exp() as f32
            });
            let gathers = angle_gathers(line.view(), &offsets, &angles);
            let at = |angle: usize| gathers[[angle, 0, 50]];
            let best = (0..angles.len()).max_by(|a, b| at(*a).total_cmp(&at(*b)));
            angles[best.expect("angles")]
        };
        for angle in [-45.0, -20.0, 0.0, 30.0] {
            assert_eq!(peak(f64::to_radians(angle).tan()), angle);
        }
        let mut focus = Array3::zeros((offsets.len(), 1, rows));
        focus[[most as usize, 0, 50]] = 1.0;
        let flat = angle_gathers(focus.view(), &offsets, &angles);
        assert!(flat.outer_iter().all(|gather| gather == flat.index_axis(ndarray::Axis(0), 0)));
        assert!(flat[[0, 0, 50]] > 0.0);
    }
}
