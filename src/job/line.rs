//! Positions off the line of a 2-D model.

use super::JobFile;
use crate::{
    acquisition::{Recording, Wavelet},
    grid::Position,
    io::segy::{Gather, remedy::ORIGIN},
    message::any_of,
    model::{Placement, VelocityModel},
};

/// Positions whose spread across their line is a larger part of that along it make no line.
const STRAIGHT: f64 = 0.2;
/// Azimuths that differ by less are the same, degrees.
const SAME: f64 = 0.5;

/// Positions on the map, as far as their straight line needs them.
#[derive(Clone, Debug, Default)]
pub(crate) struct Course {
    first: Option<Position>,
    last: Position,
    count: f64,
    /// Sums of x, y, x^2, y^2 and xy from the first position on.
    sums: [f64; 5],
}

impl Course {
    /// Includes a position.
    pub(crate) fn include(&mut self, at: Position) {
        let first = *self.first.get_or_insert(at);
        let (x, y) = (at.x - first.x, at.y - first.y);
        for (sum, value) in self.sums.iter_mut().zip([x, y, x * x, y * y, x * y]) {
            *sum += value;
        }
        (self.last, self.count) = (at, self.count + 1.0);
    }

    /// The direction of the line that lies nearest to all of them, from the first to the last,
    /// degrees clockwise from north; `None` if they make no line.
    pub(crate) fn azimuth(&self) -> Option<f64> {
        let first = self.first?;
        let [x, y, xx, yy, xy] = self.sums.map(|sum| sum / self.count);
        let (xx, yy, xy) = (xx - x * x, yy - y * y, xy - x * y);
        let (mean, half) = (0.5 * (xx + yy), (0.5 * (xx - yy)).hypot(xy));
        if mean - half > STRAIGHT * STRAIGHT * (mean + half) || half == 0.0 {
            return None;
        }
        // From east, counterclockwise.
        let angle = 0.5 * (2.0 * xy).atan2(xx - yy);
        let along = (self.last.x - first.x) * angle.cos() + (self.last.y - first.y) * angle.sin();
        let turned = if along < 0.0 { 180.0 } else { 0.0 };
        Some((90.0 - angle.to_degrees() + turned).rem_euclid(360.0))
    }
}

impl JobFile {
    /// The longest wavelength at a dominant frequency in a model, m: of the job's wavelets or, without
    /// any, of what was recorded.
    pub(crate) fn longest_wavelength(
        &self,
        model: &VelocityModel,
        recorded: Option<&Gather>,
    ) -> Option<f64> {
        let job = &self.job;
        let of_survey = job.survey.iter().map(|survey| &survey.wavelet);
        let of_shots =
            job.shots.iter().flat_map(|shot| &shot.sources).map(|source| &source.wavelet);
        let of_job = job.sources.iter().map(|source| &source.wavelet);
        let named = of_survey.chain(of_shots).chain(of_job);
        let named = named.filter_map(|wavelet| self.wavelet("", wavelet, &mut Vec::new()).ok());
        let supplied = self.supplied.shots.iter().flatten().flat_map(|shot| &shot.sources);
        let supplied = supplied.map(|source| source.wavelet.clone());
        let lowest = |of: f64, wavelet: Wavelet| of.min(wavelet.peak_hz());
        let mut hz = named.chain(supplied).fold(f64::INFINITY, lowest);
        if hz == f64::INFINITY {
            let recorded = recorded.filter(|gather| gather.traces.ncols() > 1);
            hz = recorded.map_or(0.0, |gather| {
                let (traces, interval) = (gather.traces.clone(), gather.interval);
                Recording { gather: traces, interval, receivers: Vec::new() }.dominant_hz()
            });
        }
        let wavelength = f64::from(model.range().1) / hz;
        (wavelength.is_finite() && wavelength > 0.0).then_some(wavelength)
    }
}

/// What is said of positions up to `metres` off the line of a model, whose wavelength is the limit.
pub(crate) fn off_line(
    metres: f64,
    wavelength: Option<f64>,
    course: &Course,
    placement: &Placement,
) -> String {
    let apart = |azimuth: &f64| {
        let apart = (azimuth - placement.azimuth).rem_euclid(180.0);
        apart.min(180.0 - apart) > SAME
    };
    let along = course.azimuth().filter(apart).map(|azimuth| {
        format!(
            "place the model along their line, which has azimuth = {azimuth:.1} (model.azimuth, with model.origin on it)"
        )
    });
    let remedies = along.into_iter().chain([ORIGIN.to_owned()]);
    let remedies: Vec<_> =
        remedies.chain(wavelength.map(|_| "run it with --force".into())).collect();
    let (off, remedy) = (
        format!("positions are up to {metres:.1} m off the line of the 2-D model"),
        any_of(&remedies),
    );
    match wavelength {
        Some(wavelength) => format!("{off}, more than a wavelength, {wavelength:.0} m; {remedy}"),
        None => format!("{off}, and are projected on it; if that is wrong, {remedy}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_has_the_azimuth_of_its_positions() {
        let of = |places: &[(f64, f64)]| {
            let mut course = Course::default();
            for (x, y) in places {
                course.include(Position { x: 4e5 + x, y: 6e6 + y, z: 0.0 });
            }
            course.azimuth()
        };
        let along = |east: f64, north: f64| {
            let at = |k: i32| (east * f64::from(k), north * f64::from(k) + 0.1 * f64::from(k % 2));
            (0..50).map(at).collect::<Vec<_>>()
        };
        // 3-4-5: the angle from north with a tangent of 3/4.
        for ((east, north), wanted) in [
            ((10.0, 0.0), 90.0),
            ((0.0, 10.0), 0.0),
            ((3.0, 4.0), 36.87),
            ((-3.0, -4.0), 216.87),
            ((4.0, -3.0), 126.87),
        ] {
            let azimuth = of(&along(east, north)).expect("a line");
            let apart = (azimuth - wanted + 180.0).rem_euclid(360.0) - 180.0;
            assert!(apart.abs() < 0.5, "{azimuth} is {wanted}");
        }
        assert_eq!(of(&[(0.0, 0.0), (100.0, 0.0), (0.0, 100.0), (100.0, 100.0)]), None);
        assert_eq!((of(&[]), of(&[(1.0, 1.0)]), of(&[(1.0, 1.0); 3])), (None, None, None));
    }
}
