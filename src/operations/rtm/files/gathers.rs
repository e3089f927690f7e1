//! The gathers of a migration, by offset and by angle, as files and as pictures.

use super::Output;
use crate::{
    grid,
    operations::rtm::{Stacked, angle_gathers},
    plan::Offsets,
    results::{ResultsError, axis, divided},
    single::Single,
};
use ndarray::{Array2, Array3, ArrayView3, Axis, CowArray, s};
use rayon::prelude::*;

/// Kinds of offsets whose gathers are made into files at once.
pub(in crate::operations::rtm) const AT_ONCE: usize = 2;
/// Columns of the picture of one angle gather: this fraction of the model's, and a minimum.
const OF_A_MODEL: usize = 12;
const LEAST: usize = 10;

/// The letter of the axis of offsets.
fn letter(offsets: &Offsets) -> char {
    match offsets.along {
        grid::Axis::X => 'x',
        grid::Axis::Y => 'y',
        grid::Axis::Z => 'z',
    }
}

/// Gathers along z without the nodes whose Laplacian includes offsets that leave the model: there a gather ends, and
/// large values of opposite sign would lie along its ends.
fn without_ends(gathers: &Array3<f32>, offsets: &Offsets) -> Array3<f32> {
    let mut cut = gathers.clone();
    let nz = cut.dim().2;
    for (index, mut gather) in cut.outer_iter_mut().enumerate() {
        let reach = (index * offsets.step).abs_diff(offsets.most);
        let end = if reach > 0 { (reach + 1).min(nz) } else { 0 };
        gather.slice_mut(s![.., ..end]).fill(0.0);
        gather.slice_mut(s![.., nz - end..]).fill(0.0);
    }
    cut
}

impl Output<'_> {
    /// Writes gathers of the first condition, two kinds at once.
    pub(crate) fn gathers(&self, stack: &Stacked) -> Result<(), ResultsError> {
        let gathers = stack.gathers(self.migrated.rtm.conditions[0]);
        let mut kinds = self.migrated.offsets.iter().zip(gathers);
        loop {
            let some: Vec<_> = kinds.by_ref().take(AT_ONCE).collect();
            if some.is_empty() {
                return Ok(());
            }
            some.into_par_iter().try_for_each(|(offsets, gathers)| self.kind(offsets, gathers))?;
        }
    }

    /// Writes gathers of one kind.
    fn kind(&self, offsets: &Offsets, mut gathers: Array3<f64>) -> Result<(), ResultsError> {
        let condition = self.migrated.rtm.conditions[0];
        let images: Vec<_> = gathers.axis_iter_mut(Axis(0)).collect();
        images.into_par_iter().for_each(|mut image| {
            let whole = image.to_owned().insert_axis(Axis(0));
            let filtered = self.migrated.filtered(condition, &whole, Some(offsets.line));
            image.assign(&filtered.remove_axis(Axis(0)));
        });
        let name = self.offsets_name(offsets);
        let Single { values, unit } = self.single(&name, &gathers)?;
        drop(gathers);
        self.by_offset(offsets, &name, unit, &values)?;
        match offsets.along {
            grid::Axis::X => self.by_angle(offsets, unit, &values),
            _ => Ok(()),
        }
    }

    fn offsets_name(&self, offsets: &Offsets) -> String {
        format!("offsets-{}{}", letter(offsets), self.of_line(offsets))
    }

    /// Writes offset gathers, shape `[offset][x][z]`, which are divided by a unit; in a picture offsets have the
    /// scale of x.
    fn by_offset(
        &self,
        offsets: &Offsets,
        name: &str,
        unit: f64,
        gathers: &Array3<f32>,
    ) -> Result<(), ResultsError> {
        let (letter, h) = (letter(offsets), &self.migrated.plan.survey_grid().h);
        let cell = *offsets.along.of(h);
        let (most, step) = (offsets.most as f64 * cell, offsets.step as f64 * cell);
        let said = axis(&format!("Offset along {letter}"), "m", -most, step);
        let what = format!(
            "offset gathers along {letter}, up to {:.3} km either way on the scale of x{}",
            most / 1000.0,
            divided(unit)
        );
        let drawn = match offsets.along {
            grid::Axis::Z => CowArray::from(without_ends(gathers, offsets)),
            _ => CowArray::from(gathers),
        };
        let shown = self.side_by_side(drawn.view(), most / h.x);
        let (values, picture) = rayon::join(
            || self.values(name, "Image", gathers.view().into_dyn(), &[said]),
            || self.picture(name, &what, shown.view(), offsets.line),
        );
        values.and(picture)
    }

    /// Writes angle gathers, shape `[angle][x][z]`, if requested, divided by the unit of the offset gathers.
    fn by_angle(
        &self,
        offsets: &Offsets,
        unit: f64,
        gathers: &Array3<f32>,
    ) -> Result<(), ResultsError> {
        let Some(wanted) = self.migrated.rtm.angles else { return Ok(()) };
        let grid = self.migrated.plan.survey_grid();
        let (angles, most) = (wanted.all(), offsets.most as isize);
        let cells = (-most..=most).step_by(offsets.step);
        let cells: Vec<_> = cells.map(|cells| cells as f64 * grid.h.x / grid.h.z).collect();
        let gathers = angle_gathers(gathers.view(), &cells, &angles);
        let said = axis("Angle", "deg", angles[0], wanted.step);
        let name = format!("angles{}", self.of_line(offsets));
        self.results.divide(&name, unit);
        self.values(&name, "Image", gathers.view().into_dyn(), &[said])?;
        let divided = divided(unit);
        let what = format!("angle gathers, up to {} degrees either way{divided}", -angles[0]);
        let columns = (grid.n.x / OF_A_MODEL).max(LEAST) as f64 / 2.0;
        let shown = self.side_by_side(gathers.view(), columns);
        self.picture(&name, &what, shown.view(), offsets.line)
    }

    /// Suffix of the names of a line's gathers: in a volume its y, metres.
    fn of_line(&self, offsets: &Offsets) -> String {
        let grid = self.migrated.plan.survey_grid();
        match grid.is_volume() {
            true => format!("-y{}", (1e3 * offsets.line as f64 * grid.h.y).round() / 1e3),
            false => String::new(),
        }
    }

    /// Gathers at their x, each with its offsets or angles over `width` columns either way: shape
    /// `[x][z]`.
    fn side_by_side(&self, gathers: ArrayView3<'_, f32>, width: f64) -> Array2<f32> {
        let grid = self.migrated.plan.survey_grid();
        let mut shown = Array2::zeros((grid.n.x, grid.n.z));
        let wanted = self.migrated.rtm.offsets.iter().flat_map(|offsets| &offsets.drawn);
        let columns = (width.round() as usize).max(1);
        let mut at: Vec<usize> = wanted.map(|x| (x / grid.h.x).round() as usize).collect();
        if at.is_empty() {
            at = (columns.min(grid.n.x / 2)..grid.n.x)
                .step_by(2 * columns + columns / 2 + 1)
                .collect();
        }
        for x in at {
            for across in -(columns as isize)..=columns as isize {
                // The nearest one.
                let share = (across as f64 / width + 1.0).clamp(0.0, 2.0) / 2.0;
                let index = (share * (gathers.dim().0 - 1) as f64).round() as usize;
                let column = x.checked_add_signed(across).filter(|column| *column < grid.n.x);
                if let Some(column) = column {
                    shown.row_mut(column).assign(&gathers.slice(s![index, x, ..]));
                }
            }
        }
        shown
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Seven nodes, offsets of 0, 2 and 4 cells either way: a node is drawn if its offset stays in the model from
    /// its neighbours above and below too.
    #[test]
    fn ends_of_gathers_along_z_are_not_drawn() {
        let offsets = Offsets { along: grid::Axis::Z, line: 0, most: 4, step: 2 };
        let drawn = without_ends(&Array3::ones((offsets.count(), 1, 7)), &offsets);
        for ((index, _, z), value) in drawn.indexed_iter() {
            let stays = |z: isize| {
                let h = offsets.at(index).abs();
                (0..7).contains(&z) && (0..7).contains(&(z - h)) && (0..7).contains(&(z + h))
            };
            let z = z as isize;
            let whole = offsets.at(index) == 0 || (z - 1..=z + 1).all(stays);
            assert_eq!(*value == 1.0, whole, "offset {}, node {z}", offsets.at(index));
        }
    }
}
