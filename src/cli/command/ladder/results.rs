//! What a ladder measured, with the tables and pictures of each kind.

use super::{copies, devices, ete, imaging, paper, rungs, snapshots, sweeps};
use crate::{
    ladder::{CopyTimes, DevicesTimes, EteTimes, ImagingTimes, Ladder, SnapshotTimes, SweepTimes},
    results::ladder::{self as drawn, Pictures},
};
use serde::Serialize;

/// The measurements, one per case.
#[derive(Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Results {
    Ladders(Vec<Ladder>),
    /// The paper's sizes and orders, one update each.
    Paper(Vec<Ladder>),
    Sweeps(Vec<SweepTimes>),
    Copies(Vec<CopyTimes>),
    Imaging(Vec<ImagingTimes>),
    Ete(Vec<EteTimes>),
    Snapshots(Vec<SnapshotTimes>),
    Devices(Vec<DevicesTimes>),
}

impl Results {
    pub(crate) fn tables(&self) -> String {
        match self {
            Results::Ladders(all) => rungs::tables(all),
            Results::Paper(all) => paper::tables(all),
            Results::Sweeps(all) => sweeps::tables(all),
            Results::Copies(all) => copies::tables(all),
            Results::Imaging(all) => imaging::tables(all),
            Results::Ete(all) => ete::tables(all),
            Results::Snapshots(all) => snapshots::tables(all),
            Results::Devices(all) => devices::tables(all),
        }
    }

    /// Pictures of the measurements on a device of this name.
    pub(crate) fn charts(&self, device: &str) -> Pictures {
        match self {
            Results::Ladders(all) => drawn::rungs::charts(all, device),
            Results::Paper(all) => drawn::paper::charts(all, device),
            Results::Sweeps(all) => drawn::sweeps::charts(all, device),
            Results::Copies(all) => drawn::copies::charts(all, device),
            Results::Imaging(all) => drawn::imaging::charts(all, device),
            Results::Ete(all) => drawn::ete::charts(all, device),
            Results::Snapshots(all) => drawn::snapshots::charts(all, device),
            Results::Devices(all) => drawn::devices::charts(all),
        }
    }
}
