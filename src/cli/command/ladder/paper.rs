//! The tables of Micikevicius (2009) beside measurements with their volumes and orders.

use crate::{
    cli::terminal::table::{Column, hundredths, of, table},
    ladder::{Ladder, Row},
    results::{
        ladder::paper::{PAPER, fastest, with_tile},
        numbers::digits,
    },
};
use std::fmt::Write;

/// A ladder, the name of a tile, the rung of that tile and the fastest.
type Compared<'a> = (&'a Ladder, &'a str, Option<&'a Row>, Option<&'a Row>);

pub(crate) fn tables(ladders: &[Ladder]) -> String {
    let mut text = String::new();
    for paper in &PAPER {
        let ladders = paper.of(ladders);
        let rows = ladders.flat_map(|ladder| paper.tiles.iter().map(move |tile| (ladder, *tile)));
        let rows = rows
            .map(|(ladder, (tile, name))| (ladder, name, with_tile(ladder, tile), fastest(ladder)));
        let gpts = |row: Option<&Row>| of(row.and_then(|row| row.gpts), digits);
        let known = |same: Option<&Row>| Some(same?.published?.gpts);
        let times = |row: Option<&Row>, same| of((|| Some(row?.gpts? / known(same)?))(), digits);
        let columns: [Column<'_, Compared<'_>>; 10] = [
            ("volume", &|(ladder, ..)| ladder.case.size()),
            ("order", &|(ladder, ..)| (2 * ladder.case.operator.wing()).to_string()),
            ("tile", &|(_, name, ..)| (*name).into()),
            ("S1060", &|(.., same, _)| of(known(*same), |known| format!("{known:.3}"))),
            ("same tile", &|(.., same, _)| gpts(*same)),
            ("times", &|(.., same, _)| times(*same, *same)),
            ("fastest rung", &|(.., best)| of(*best, |row| format!("{} {}", row.rung, row.name))),
            ("Gpts/s", &|(.., best)| gpts(*best)),
            ("times", &|(.., same, best)| times(*best, *same)),
            ("ceiling", &|(.., best)| of(best.and_then(|row| row.of_ceiling), hundredths)),
        ];
        let table = table(rows, 1, &columns);
        let _ = writeln!(text, "Table {}: {}, Gpts/s\n{table}\n", paper.number, paper.what);
    }
    text + "\
S1060: Micikevicius (2009) on a Tesla S1060; same tile: the marching front with his tile, here; times: as fast
as his. ceiling: the fastest rung's share of the stream ceiling, measured with the same arrays."
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        engine::gpu::bench::Update,
        ladder::{Reach, VOLUME_RUNGS, paper},
        render::FigureSize,
        results::ladder::paper::charts,
    };

    /// Ladders of the first case of each table of the paper, each rung twice as fast as the one
    /// before.
    fn ladders() -> Vec<Ladder> {
        let firsts = [Update::Laplacian, Update::Wave].map(|update| {
            paper().into_iter().find(|(of, _)| *of == update).expect("both tables have cases")
        });
        let ladder = |(update, case)| {
            let taken = VOLUME_RUNGS.iter().filter(|rung| Reach::Kernels(update).takes(rung));
            let rows = (0..).zip(taken).map(|(k, rung)| {
                let mut row = Row::new(rung, update, &case);
                row.gpts = Some(f64::from(1 << k));
                row
            });
            Ladder { case, ceiling: None, floor: None, rows: rows.collect() }
        };
        firsts.map(ladder).into()
    }

    #[test]
    fn the_paper_s_figures_stand_beside_ours() {
        let text = tables(&ladders());
        let line = |words: &[&str]| {
            let is = |line: &&str| words.iter().all(|word| line.contains(word));
            text.lines().find(is).unwrap_or_else(|| panic!("{words:?} in {text}")).to_owned()
        };
        // Rungs 2 to 10 are of 1, 2, 4, 8 (16x16), 16 (32x32), 32, 64, 128 and 256 Gpts/s.
        let first = line(&["480 x 480 x 400", "4.455", "256"]);
        let cells: Vec<_> = first.split_whitespace().collect();
        assert!(cells.contains(&"8.00") && cells.contains(&"1.80"), "{first}");
        let wide = line(&["320 x 320 x 400", "32x32", "2.784"]);
        assert!(wide.contains("16.0") && wide.contains("5.75"), "{wide}");
        let pictures = charts(&ladders(), "a GPU");
        let names: Vec<_> = pictures.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names, ["table-1.png", "table-2.png"]);
        assert!(pictures.iter().all(|(_, figure)| figure.draw(FigureSize::default()).is_ok()));
    }
}
