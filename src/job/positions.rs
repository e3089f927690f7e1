//! Positions of the sources and receivers of a job.

use super::{JobError, JobFile, ReceiverGrid, Receivers, Source, SourceKind};
use crate::{acquisition, grid::Position, host::check_memory};
use std::sync::Arc;

/// More receivers than any survey lays out for a shot.
const MOST_RECEIVERS: usize = 10_000_000;

impl JobFile {
    pub(crate) fn source(
        &self,
        key: &str,
        source: &Source,
        is_volume: bool,
        files: &mut Vec<(String, String)>,
    ) -> Result<acquisition::Source, JobError> {
        let wavelet = self.wavelet(&format!("{key}.wavelet"), &source.wavelet, files)?;
        let at = self.position(&format!("{key}.at"), source.at, is_volume)?;
        let kind = self.source_kind(key, source)?;
        Ok(acquisition::Source { kind, at, wavelet, amplitude: source.amplitude })
    }

    fn source_kind(&self, key: &str, source: &Source) -> Result<acquisition::SourceKind, JobError> {
        match (source.kind.unwrap_or(SourceKind::Monopole), source.axis) {
            (SourceKind::Monopole, None) => Ok(acquisition::SourceKind::Monopole),
            (SourceKind::Dipole, Some(axis)) => Ok(acquisition::SourceKind::Dipole(axis)),
            (SourceKind::Dipole, None) => Err(self.mistake(
                &format!("{key}.kind"),
                "a dipole has an axis; give axis = \"x\", \"z\" or, in 3-D, \"y\"",
            )),
            (SourceKind::Monopole, Some(_)) => Err(self.mistake(
                &format!("{key}.axis"),
                "a monopole has no axis; give kind = \"dipole\", or leave the axis out",
            )),
        }
    }

    pub(crate) fn receivers(
        &self,
        key: &str,
        receivers: &Receivers,
        is_volume: bool,
    ) -> Result<Arc<[Position]>, JobError> {
        let at = |key: String, at| self.position(&key, at, is_volume);
        match receivers {
            Receivers { line: Some(line), points: None, grid: None } => {
                self.check_count(&format!("{key}.line.count"), Some(line.count))?;
                let from = at(format!("{key}.line.from"), line.from)?;
                let to = at(format!("{key}.line.to"), line.to)?;
                Ok(acquisition::line(from, to, line.count).into())
            }
            Receivers { line: None, points: Some(points), grid: None } => {
                self.check_count(&format!("{key}.points"), Some(points.len()))?;
                let points = points.iter().enumerate();
                points.map(|(index, point)| at(format!("{key}.points[{index}]"), *point)).collect()
            }
            Receivers { line: None, points: None, grid: Some(grid) } => {
                self.receiver_grid(&format!("{key}.grid"), grid, is_volume)
            }
            _ => {
                Err(self
                    .mistake(key, "receivers are a line, points or a grid; give one of the three"))
            }
        }
    }

    fn receiver_grid(
        &self,
        key: &str,
        grid: &ReceiverGrid,
        is_volume: bool,
    ) -> Result<Arc<[Position]>, JobError> {
        if !is_volume {
            let message = "a grid of receivers needs a 3-D model, and this one is 2-D; give a line";
            return Err(self.mistake(key, message));
        }
        let count = grid.count;
        if count.x == 0 || count.y == 0 {
            let message = format!(
                "a grid of {} x {} (x by y) receivers has none; give at least 1 along each axis",
                count.x, count.y
            );
            return Err(self.mistake(&format!("{key}.count"), message));
        }
        self.check_count(key, count.x.checked_mul(count.y))?;
        let from = self.position(&format!("{key}.from"), grid.from, is_volume)?;
        let to = self.position(&format!("{key}.to"), grid.to, is_volume)?;
        if from.z != to.z {
            let message = format!(
                "a grid of receivers lies at one depth, but it goes from z = {} m to z = {} m; \
                 give both the same z, or points",
                from.z, to.z
            );
            return Err(self.mistake(key, message));
        }
        Ok(acquisition::grid(from, to, grid.count.x, grid.count.y).into())
    }

    /// Receivers of each line if those of a shot are a grid.
    pub(crate) fn receiver_lines(&self, shot: usize, receivers: &[Position]) -> Option<usize> {
        if let Some(spread) = self.job.survey.as_ref().and_then(|survey| survey.spread) {
            let at = |at: &Position| (at.y, at.z);
            let first = receivers.first().map(at);
            let length =
                receivers.iter().take_while(|receiver| Some(at(receiver)) == first).count();
            return spread.lines.map(|_| length).filter(|length| *length > 1);
        }
        // A grid of one receiver per line is a line along y.
        self.receivers_of(shot)?.grid.map(|grid| grid.count.x).filter(|length| *length > 1)
    }

    /// Returns an error for no receivers, and for too many; the count is `None` if its product
    /// overflowed.
    pub(crate) fn check_count(&self, key: &str, count: Option<usize>) -> Result<(), JobError> {
        match count {
            Some(0) => {
                let message =
                    "there are 0 receivers here; give at least 1, or leave the receivers out";
                return Err(self.mistake(key, message));
            }
            Some(count @ 1..=MOST_RECEIVERS) => {
                // Twice while they become the list of a shot.
                let bytes = 2 * (count * size_of::<Position>()) as u64;
                let checked = check_memory(&format!("the positions of {count} receivers"), bytes);
                return checked.map_err(|error| self.mistake(key, error));
            }
            _ => {}
        }
        let count = count.map_or("so many".into(), |count| count.to_string());
        let message = format!("{count} receivers are too many; at most {MOST_RECEIVERS} are taken");
        Err(self.mistake(key, message))
    }
}
