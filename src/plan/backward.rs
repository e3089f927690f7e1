//! A setup that sends a recording back.

use super::{Setup, Time};
use crate::acquisition::{Recording, RecordingError, SourceKind, TimeDispersion, reversed};

impl Setup {
    /// The setup of a simulation that sends a recording back from sources of a kind and an
    /// amplitude: with the model, the scheme and the edges given; its time, shots and snapshots are
    /// replaced. Its field after N - n steps of N is that at the time of step n.
    pub fn backward(
        self,
        recording: &Recording,
        groups: usize,
        sent: (SourceKind, f64),
    ) -> Result<Self, RecordingError> {
        let shots = reversed(recording, groups, sent)?;
        let time = Time {
            duration: recording.duration(),
            // Samples must fall on steps.
            record: Some(recording.interval),
            dispersion: TimeDispersion::Kept,
            ..self.time
        };
        Ok(Setup { time, shots, snapshots: Vec::new(), initial: None, ..self })
    }
}
