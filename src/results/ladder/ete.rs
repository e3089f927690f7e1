//! Explicit time evolution.

use super::{Pictures, speed};
use crate::{
    ladder::{EteRow, EteTimes},
    render::{BarFigure, BarRow, Figure},
};

/// One chart per case.
pub(crate) fn charts(all: &[EteTimes], device: &str) -> Pictures {
    let named = |(index, times): (usize, &EteTimes)| {
        let name = match index {
            0 => "ladder.png".to_owned(),
            _ => {
                let size = times.case.size().replace(' ', "");
                format!("ladder-{size}-{}points.png", times.case.points.count())
            }
        };
        (name, chart(times, device))
    };
    all.iter().enumerate().map(named).collect()
}

fn chart(times: &EteTimes, device: &str) -> Box<dyn Figure> {
    let first = times.models.first().map_or(&[][..], |model| &model.rows);
    let bar = |row: Option<&EteRow>| speed(row.and_then(|row| row.gpts));
    let rows = first.iter().enumerate().map(|(index, row)| BarRow {
        label: format!("{} {}, {}", row.rung, row.name, row.weights),
        bars: times.models.iter().map(|model| bar(model.rows.get(index))).collect(),
        mark: None,
    });
    let ceiling = times.models.first().map_or(0.0, |model| model.ceiling_gb_per_s / 16.0);
    let paper = times.published_gflops / times.flops;
    Box::new(BarFigure {
        title: format!("Explicit time evolution, {} points", times.case.points.count()),
        subtitle: format!("{device}; {} nodes, {} velocities", times.case.size(), times.case.bins),
        axis: "Gpts/s (log)".into(),
        log: true,
        series: vec!["random model".into(), "layered model".into()],
        rows: rows.collect(),
        lines: vec![
            (ceiling, "stream ceiling, 16 bytes".into()),
            (paper, "Titan X, the paper's best (2015)".into()),
        ],
        ..BarFigure::default()
    })
}
