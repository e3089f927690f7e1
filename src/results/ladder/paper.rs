//! The tables of Micikevicius (2009) beside measurements with their volumes and orders.

use super::{Pictures, speed};
use crate::{
    engine::gpu::bench::Update,
    ladder::{Ladder, Row, Source, Tile, VOLUME_RUNGS},
    render::{BarFigure, BarRow, Figure},
};

/// A table of the paper.
pub(crate) struct Paper {
    /// Its number.
    pub(crate) number: usize,
    /// What it is of.
    pub(crate) what: &'static str,
    update: Update,
    /// The tiles of its kernels, with their names.
    pub(crate) tiles: &'static [(Tile, &'static str)],
}

/// The tables.
pub(crate) const PAPER: [Paper; 2] = [
    Paper {
        number: 1,
        what: "the stencil alone",
        update: Update::Laplacian,
        tiles: &[(Tile::Of16, "16x16")],
    },
    Paper {
        number: 2,
        what: "the wave equation",
        update: Update::Wave,
        tiles: &[(Tile::Of16, "16x16"), (Tile::Of32, "32x32")],
    },
];

impl Paper {
    /// The ladders of the table.
    pub(crate) fn of<'l>(&self, ladders: &'l [Ladder]) -> impl Iterator<Item = &'l Ladder> {
        let update = self.update;
        let same = move |ladder: &&Ladder| ladder.rows.iter().any(|row| row.update == update);
        ladders.iter().filter(same)
    }
}

/// The row of the kernel with the paper's tile.
pub(crate) fn with_tile(ladder: &Ladder, tile: Tile) -> Option<&Row> {
    let is = |source: &Source| matches!(source, Source::Paper(of) if *of == tile);
    let rung = VOLUME_RUNGS.iter().find(|rung| is(&rung.published))?;
    ladder.rows.iter().find(|row| row.name == rung.name)
}

/// The row of the fastest rung.
pub(crate) fn fastest(ladder: &Ladder) -> Option<&Row> {
    let speed = |row: &&Row| row.gpts.unwrap_or(0.0);
    ladder.rows.iter().max_by(|a, b| speed(a).total_cmp(&speed(b)))
}

/// A chart of each table that has ladders.
pub(crate) fn charts(ladders: &[Ladder], device: &str) -> Pictures {
    let drawn = PAPER.iter().filter(|paper| paper.of(ladders).next().is_some());
    let named = |paper: &Paper| {
        let figure: Box<dyn Figure> = Box::new(chart(paper, ladders, device));
        (format!("table-{}.png", paper.number), figure)
    };
    drawn.map(named).collect()
}

fn chart(paper: &Paper, ladders: &[Ladder], device: &str) -> BarFigure {
    let bar = |row: Option<&Row>| speed(row.and_then(|row| row.gpts));
    let rows = paper.of(ladders).map(|ladder| {
        let same = with_tile(ladder, Tile::Of16);
        let mut bars = vec![bar(same), bar(fastest(ladder))];
        if paper.tiles.len() == 2 {
            bars.insert(1, bar(with_tile(ladder, Tile::Of32)));
        }
        let order = match paper.update {
            Update::Laplacian => format!(", order {}", 2 * ladder.case.operator.wing()),
            Update::Wave => String::new(),
        };
        BarRow {
            label: ladder.case.size() + &order,
            bars,
            mark: same.and_then(|row| row.published).map(|known| known.gpts),
        }
    });
    let tiles = paper.tiles.iter().map(|(_, name)| format!("{name} tile"));
    BarFigure {
        title: format!("Table {} of Micikevicius (2009)", paper.number),
        subtitle: format!("{device}; {}", paper.what),
        axis: "Gpts/s (log)".into(),
        log: true,
        series: tiles.chain(["the fastest rung".into()]).collect(),
        rows: rows.collect(),
        marks: Some("Tesla S1060 with a 16x16 tile (2009)".into()),
        ..BarFigure::default()
    }
}
