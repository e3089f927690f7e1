//! A survey: shots with different source positions and, with a spread, different receivers.

use super::{
    Ends, FileNames, JobError, JobFile, Offsets, SourceGrid, SourceLine, Spread, Survey,
    acquisition::{Count, Increment},
    gather::TraceFile,
};
use crate::{
    acquisition,
    grid::{Axes, Grid, Position},
    io::{gather_file::Purpose, model_file::Format, positions, segy::Gather},
    model::VelocityModel,
    plan::check_receivers_fit,
};
use std::sync::Arc;

/// More shots than any survey has.
const MOST_SHOTS: usize = 1_000_000;

/// A shot of a survey, before its receivers are complete.
struct PlacedShot {
    source: Position,
    receivers: Option<Arc<[Position]>>,
}

/// The shots of a survey as a key gives them.
struct PlacedShots {
    key: &'static str,
    shots: Vec<PlacedShot>,
}

impl PlacedShots {
    fn without_receivers(key: &'static str, sources: Vec<Position>) -> Self {
        let shots = sources.into_iter().map(|source| PlacedShot { source, receivers: None });
        PlacedShots { key, shots: shots.collect() }
    }
}

impl JobFile {
    /// The shots of a survey, through a model.
    pub(crate) fn surveyed(
        &self,
        survey: &Survey,
        model: &VelocityModel,
        files: &mut Vec<(String, String)>,
    ) -> Result<Vec<acquisition::Shot>, JobError> {
        let wavelet = self.wavelet("survey.wavelet", &survey.wavelet, files)?;
        let grid = model.grid();
        let PlacedShots { key, shots } = self.placed_shots(survey, model, files)?;
        if shots.is_empty() || shots.len() > MOST_SHOTS {
            let message = format!(
                "the survey has {} shots; give it at least 1 and at most {MOST_SHOTS}",
                shots.len()
            );
            return Err(self.mistake("survey", message));
        }
        let fixed = self.fixed_receivers(survey, grid)?;
        if let Some(spread) = &survey.spread {
            self.check_spread(spread, &shots, grid)?;
        }
        let shots =
            shots.into_iter().enumerate().map(|(index, PlacedShot { source: at, receivers })| {
                if grid.in_nodes(at).is_err() {
                    let which = format!("the source of shot {} is", index + 1);
                    let message = format!("{}; move it, or give fewer", outside(&which, at, grid));
                    return Err(self.mistake(key, message));
                }
                let receivers = match (&survey.spread, receivers) {
                    (Some(spread), None) => self.spread(spread, index, at, grid)?,
                    (Some(_), Some(_)) => {
                        let message = "the file says where the receivers are; leave the spread out";
                        return Err(self.mistake("survey.spread", message));
                    }
                    (None, Some(own)) => own,
                    (None, None) => fixed.clone(),
                };
                let (wavelet, amplitude) = (wavelet.clone(), survey.amplitude);
                let source =
                    acquisition::Source { amplitude, ..acquisition::Source::new(at, wavelet) };
                Ok(acquisition::Shot::new(source, receivers))
            });
        shots.collect()
    }

    /// The receivers of the job, which serve all shots of a survey that says nothing of its own.
    fn fixed_receivers(&self, survey: &Survey, grid: &Grid) -> Result<Arc<[Position]>, JobError> {
        let spread = survey.spread.as_ref().map(|_| "survey.spread");
        let elsewhere = spread.or(survey.geometry.as_ref().map(|_| "survey.geometry"));
        let output = &self.job.output;
        match (&self.job.receivers, elsewhere) {
            (Some(receivers), None) => self.receivers("receivers", receivers, grid.is_volume()),
            (Some(_), Some(elsewhere)) => {
                if self.headers().positions.as_deref() != Some("job") {
                    tracing::warn!(
                        "{elsewhere} says where the receivers are; [receivers] is not used"
                    );
                }
                Ok(Arc::default())
            }
            (None, None) if output.snapshots.is_empty() && output.movie.is_none() => {
                let message = "the survey has no receivers, and nothing comes out of it; give [receivers], or \
                               survey.spread";
                Err(self.mistake("survey", message))
            }
            (None, _) => Ok(Arc::default()),
        }
    }

    /// Returns an error for more receivers than the memory holds.
    fn check_spread(
        &self,
        spread: &Spread,
        shots: &[PlacedShot],
        grid: &Grid,
    ) -> Result<(), JobError> {
        let (mut on_nodes, mut between) = (0u64, 0u64);
        for PlacedShot { source, .. } in shots {
            let of = if spread.is_on_nodes(*source, grid) { &mut on_nodes } else { &mut between };
            *of = of.saturating_add(spread.at_most(*source, grid));
        }
        check_receivers_fit(on_nodes, between).map_err(|error| self.mistake("survey.spread", error))
    }

    /// The source positions of a survey, and the receivers if a file gives them.
    fn placed_shots(
        &self,
        survey: &Survey,
        model: &VelocityModel,
        files: &mut Vec<(String, String)>,
    ) -> Result<PlacedShots, JobError> {
        let is_volume = model.grid().is_volume();
        let alone = PlacedShots::without_receivers;
        match (&survey.line, &survey.grid, &survey.csv, &survey.geometry) {
            (Some(line), None, None, None) => {
                Ok(alone("survey.line", self.source_line(line, is_volume)?))
            }
            (None, Some(grid), None, None) => {
                Ok(alone("survey.grid", self.source_grid(grid, is_volume)?))
            }
            (None, None, Some(csv), None) => {
                Ok(alone("survey.csv", self.listed_sources(csv, is_volume, files)?))
            }
            (None, None, None, Some(file)) => self.shots_of_file(file, model, files),
            _ => Err(self.mistake(
                "survey",
                "sources of a survey are a line, a grid, a csv or the geometry of a file; give \
                 one of the four",
            )),
        }
    }

    fn listed_sources(
        &self,
        csv: &str,
        is_volume: bool,
        files: &mut Vec<(String, String)>,
    ) -> Result<Vec<Position>, JobError> {
        let (key, path) = ("survey.csv", self.path(csv));
        let listed = positions::read(&path).map_err(|error| self.mistake(key, error))?;
        files.push(self.digest(key, &path)?);
        if is_volume && listed.iter().any(|at| at.y.is_none()) {
            let message =
                format!("the model is 3-D, and {} has no column y; add it", path.display());
            return Err(self.mistake(key, message));
        }
        // In 2-D y is that of a line on the map.
        let y = |at: &positions::Listed| at.y.filter(|_| is_volume).unwrap_or(0.0);
        Ok(listed.iter().map(|at| Axes { z: at.z, x: at.x, y: y(at) }).collect())
    }

    fn shots_of_file(
        &self,
        names: &FileNames,
        model: &VelocityModel,
        files: &mut Vec<(String, String)>,
    ) -> Result<PlacedShots, JobError> {
        let key = "survey.geometry";
        let says = [Format::Segy, Format::Su, Format::Npz, Format::Hdf5];
        let mut gathers = Vec::new();
        for path in self.paths(key, names)? {
            if !Format::of(&path).is_ok_and(|format| says.contains(&format)) {
                let message = format!(
                    "{} does not say where sources and receivers are; give a .sgy, .su, .npz or .h5",
                    path.display()
                );
                return Err(self.mistake(key, message));
            }
            let file = TraceFile { key, path: &path, purpose: Purpose::Geometry };
            gathers.extend(self.gather_headers(file, model, files)?.gathers);
            files.push(self.digest(key, &path)?);
        }
        let placed = |shot: Gather| PlacedShot {
            source: shot.source,
            receivers: Some(shot.receivers.into()),
        };
        Ok(PlacedShots { key, shots: gathers.into_iter().map(placed).collect() })
    }

    fn source_line(&self, line: &SourceLine, is_volume: bool) -> Result<Vec<Position>, JobError> {
        let SourceLine { first, increment: Increment { x, y, z }, count } = *line;
        let key = "survey.line";
        let first = self.position(&format!("{key}.first"), first, is_volume)?;
        let step = match is_volume {
            true => y.unwrap_or(0.0),
            false => self.y(&format!("{key}.increment"), y, is_volume, 0.0)?,
        };
        let (x, z) = (x.unwrap_or(0.0), z.unwrap_or(0.0));
        self.check_sources(key, Some(count))?;
        if count > 1 && [x, step, z].iter().all(|step| *step == 0.0) {
            let message = format!(
                "the increment of {count} sources is 0, so that all would be at one place; give \
                 metres, as x = 50.0"
            );
            return Err(self.mistake(&format!("{key}.increment"), message));
        }
        let along = move |k: usize| {
            let k = k as f64;
            Axes { z: first.z + k * z, x: first.x + k * x, y: first.y + k * step }
        };
        Ok((0..count).map(along).collect())
    }

    fn source_grid(&self, grid: &SourceGrid, is_volume: bool) -> Result<Vec<Position>, JobError> {
        let SourceGrid { first, increment, count: Count { x, y } } = *grid;
        let key = "survey.grid";
        if !is_volume {
            let message = "a grid of sources needs a 3-D model, and this one is 2-D; give a line";
            return Err(self.mistake(key, message));
        }
        let first = self.position(&format!("{key}.first"), first, is_volume)?;
        self.check_sources(&format!("{key}.count"), x.checked_mul(y))?;
        let (dx, dy) = (increment.x.unwrap_or(0.0), increment.y.unwrap_or(0.0));
        if increment.z.is_some() || (x > 1 && dx == 0.0) || (y > 1 && dy == 0.0) {
            let message =
                "the increment of a grid of sources is x and y, in metres, neither of them 0";
            return Err(self.mistake(&format!("{key}.increment"), message));
        }
        let lines = (0..y).flat_map(|line| (0..x).map(move |k| (k as f64, line as f64)));
        let at = |(k, line)| Axes { x: first.x + k * dx, y: first.y + line * dy, ..first };
        Ok(lines.map(at).collect())
    }

    fn check_sources(&self, key: &str, count: Option<usize>) -> Result<(), JobError> {
        match count {
            Some(1..=MOST_SHOTS) => Ok(()),
            count => {
                let count = count.map_or("so many".into(), |count| count.to_string());
                let message = format!(
                    "{count} sources are no survey; give at least 1 and at most {MOST_SHOTS}"
                );
                Err(self.mistake(key, message))
            }
        }
    }

    /// The receivers of the shot at a place: those of the spread that lie in the model.
    fn spread(
        &self,
        spread: &Spread,
        shot: usize,
        source: Position,
        grid: &Grid,
    ) -> Result<Arc<[Position]>, JobError> {
        let refused =
            |key: &str, message: &str| self.mistake(&format!("survey.spread{key}"), message);
        let Spread { offsets, lines, z, ends } = *spread;
        if lines.is_some() && !grid.is_volume() {
            let message = "lines of receivers side by side need a 3-D model; leave them out";
            return Err(refused(".lines", message));
        }
        let lines = lines.unwrap_or(Offsets { first: 0.0, increment: 0.0, count: 1 });
        for (key, along) in [(".offsets", &offsets), (".lines", &lines)] {
            self.check_count(&format!("survey.spread{key}"), Some(along.count))?;
            if along.count > 1 && along.increment == 0.0 {
                let message = format!(
                    "the increment between {} of them is 0, so that all would be at one place; \
                     give metres",
                    along.count
                );
                return Err(refused(key, &message));
            }
        }
        self.check_count("survey.spread", offsets.count.checked_mul(lines.count))?;
        let all = lines.all().flat_map(|y| offsets.all().map(move |x| (x, y)));
        let all = all.map(|(x, y)| Axes { z, x: source.x + x, y: source.y + y });
        let is_inside = |at: &Position| grid.in_nodes(*at).is_ok();
        if ends == Ends::Refuse
            && let Some(at) = all.clone().find(|at| !is_inside(at))
        {
            let which = format!("a receiver of shot {} would be", shot + 1);
            let remedy =
                "give ends = \"roll-off\" to leave such receivers out, or a shorter spread";
            return Err(refused("", &format!("{}; {remedy}", outside(&which, at, grid))));
        }
        let mut receivers = Vec::with_capacity(spread.at_most(source, grid) as usize);
        receivers.extend(all.filter(is_inside));
        if receivers.is_empty() {
            let first = Axes { z, x: source.x + offsets.first, y: source.y + lines.first };
            let which = format!("no receiver of shot {} is left: the first would be", shot + 1);
            let remedy = "move the sources, or give another spread";
            return Err(refused("", &format!("{}; {remedy}", outside(&which, first, grid))));
        }
        Ok(receivers.into())
    }
}

impl Spread {
    /// The most receivers in the model, of a shot at a source; at most one too many along an axis.
    fn at_most(&self, source: Position, grid: &Grid) -> u64 {
        let last = grid.last();
        let across = self.lines.map_or(1, |lines| lines.inside(source.y, last.y));
        self.offsets.inside(source.x, last.x) * across
    }

    /// True if all receivers of a shot lie on nodes.
    fn is_on_nodes(&self, source: Position, grid: &Grid) -> bool {
        let none = Offsets { first: 0.0, increment: 0.0, count: 1 };
        let (along, across) = (self.offsets, self.lines.unwrap_or(none));
        let first = Axes { z: self.z, x: source.x + along.first, y: source.y + across.first };
        let step = Axes { z: 0.0, x: along.increment, y: across.increment };
        let is_whole = |metres: Axes<f64>| {
            let cells = metres.zip(grid.h).map(|(metres, h)| (metres / h).fract() == 0.0);
            cells.z && cells.x && (cells.y || !grid.is_volume())
        };
        is_whole(first) && is_whole(step)
    }
}

impl Offsets {
    /// The most of them that lie from 0 to `last`, from a source on.
    fn inside(&self, source: f64, last: f64) -> u64 {
        let Offsets { first, increment, count } = *self;
        if increment == 0.0 {
            return count as u64;
        }
        let ends = [0.0, last].map(|end| (end - source - first) / increment);
        let from = ends[0].min(ends[1]).ceil().max(0.0);
        let to = ends[0].max(ends[1]).floor().min(count as f64 - 1.0);
        ((to - from + 2.0).max(0.0) as u64).min(count as u64)
    }
}

/// Says that a position lies outside the model.
fn outside(which: &str, at: Position, grid: &Grid) -> String {
    let (at, last) = (shown(at, grid), shown(grid.last(), grid));
    format!("{which} at {at}, outside the model, which reaches from 0 to {last}")
}

fn shown(at: Position, grid: &Grid) -> String {
    let y = if grid.is_volume() { format!(", y = {} m", at.y) } else { String::new() };
    format!("x = {} m{y}, z = {} m", at.x, at.z)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As many as are laid out, or one more along an axis.
    #[test]
    fn receivers_are_counted_before_they_are_laid_out() {
        for (first, increment, count) in
            [(0.0, 10.0, 50), (-300.0, 7.0, 100), (500.0, -10.0, 90), (2000.0, 5.0, 9)]
        {
            let offsets = Offsets { first, increment, count };
            for source in [0.0, 100.0, 990.0] {
                let inside = |x: &f64| (0.0..=990.0).contains(x);
                let laid = offsets.all().map(|x| source + x).filter(inside).count() as u64;
                let most = offsets.inside(source, 990.0);
                assert!(
                    most <= count as u64 && (laid..=laid + 1).contains(&most),
                    "{most} of {laid}"
                );
            }
        }
    }
}
