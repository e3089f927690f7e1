//! Traces as a picture, several records beside each other.

use crate::{
    cli::{
        failure::Failure,
        flags::picture::FigureArguments,
        terminal::{
            picture,
            progress::{self, tell},
        },
    },
    io::segy::Gather,
    job::Figures,
    ndarray::{self, Array2, Axis},
    operations::shot::files::{PlacedBy, along},
    render::{Figure, FigureSize, GatherFigure, PageFigure, Quantity, SampleAxis, WiggleFigure},
    results::gain,
};
use std::path::Path;

/// How traces are drawn.
pub(crate) struct Drawn {
    pub(crate) figures: Figures,
    pub(crate) title: String,
    pub(crate) wiggles: bool,
}

/// Maximum number of records in one picture.
const MOST: usize = 12;

impl Drawn {
    pub(crate) fn size(
        &self,
        figure: &FigureArguments,
        records: usize,
    ) -> Result<FigureSize, Failure> {
        let least = match (records, self.wiggles) {
            (1, true) => WiggleFigure::LEAST,
            (1, false) => GatherFigure::LEAST,
            _ => PageFigure::least(records, columns(records), GatherFigure::LEAST),
        };
        Ok(figure.over(&self.figures, least)?)
    }

    /// Draws traces, several records beside each other.
    pub(crate) fn save(
        &self,
        mut shown: Vec<Shown>,
        figure: &FigureArguments,
        out: &Path,
        force: bool,
    ) -> Result<(), Failure> {
        let _drawing = progress::doing("drawing");
        let all = shown.len();
        if all > MOST {
            tell(format_args!("the first {MOST} of {all} records are drawn; --records chooses"));
            shown.truncate(MOST);
        }
        let size = self.size(figure, shown.len())?;
        let alone = shown.len() == 1;
        let panels = shown.iter().map(|shown| {
            let (positions, across) = shown.positions.clone();
            let which = shown.which.trim_start_matches(", ");
            let gather = GatherFigure {
                traces: shown.traces.view(),
                quantity: Quantity::AMPLITUDE,
                samples: shown.samples,
                interval: shown.interval,
                positions,
                across: across.into(),
                title: match alone {
                    true => format!("{}{}", self.title, shown.which),
                    false => which.to_owned(),
                },
                gain: gain(&self.figures),
                largest: self.figures.largest(),
                zero_line: false,
            };
            match self.wiggles {
                true => Box::new(WiggleFigure { gather }) as Box<dyn Figure + '_>,
                false => Box::new(gather) as Box<dyn Figure + '_>,
            }
        });
        let mut panels: Vec<_> = panels.collect();
        let figure: Box<dyn Figure + '_> = match alone {
            true => panels.remove(0),
            false => {
                let records = panels.len();
                Box::new(page(self.title.clone(), panels, records))
            }
        };
        picture::save(out, figure.as_ref(), size, force)?;
        for of in shown.iter().filter_map(|shown| shown.of.as_ref()) {
            tell(format_args!("{of} is drawn"));
        }
        Ok(())
    }
}

/// Records in a row.
fn columns(records: usize) -> usize {
    records.clamp(1, 3)
}

/// Records beside each other.
fn page(title: String, panels: Vec<Box<dyn Figure + '_>>, records: usize) -> PageFigure<'_> {
    let columns = columns(records);
    PageFigure { title, panels, columns, least: GatherFigure::LEAST, height: 1.1 }
}

/// The traces that are drawn.
pub(crate) struct Shown {
    /// `[x][z]` or `[x][time]`.
    pub(crate) traces: Array2<f32>,
    pub(crate) samples: SampleAxis,
    /// Metres or seconds between samples.
    pub(crate) interval: f64,
    /// Position of each trace, metres, or 1000 times its number, and the label of the axis.
    pub(crate) positions: (Vec<f64>, &'static str),
    /// Their name, for the title.
    pub(crate) which: String,
    /// Their name among several, if there are.
    pub(crate) of: Option<String>,
}

/// The records of a file, or the first.
pub(crate) fn of_records(
    path: &Path,
    gathers: Vec<Gather>,
    several: bool,
) -> Result<Vec<Shown>, Failure> {
    let count = gathers.len();
    if count == 0 {
        return Err(Failure::input(format!("{} has no record", path.display())));
    }
    if let Some(section) = zero_offset(&gathers).filter(|_| !several) {
        return Ok(vec![section]);
    }
    let shown = gathers.into_iter().take(if several { count } else { 1 });
    let shown = shown.map(|gather| Shown {
        samples: SampleAxis::Time,
        interval: gather.interval,
        positions: along(&gather.receivers, PlacedBy::recorded(&[gather.source])),
        traces: gather.traces,
        which: format!(", record {}", gather.record),
        of: (count > 1 && !several).then(|| format!("record {} of {count}", gather.record)),
    });
    Ok(shown.collect())
}

/// Records of one trace at its source each, as a section.
fn zero_offset(gathers: &[Gather]) -> Option<Shown> {
    let [first, _, ..] = gathers else { return None };
    let is_like = |of: &Gather| {
        let is_alone = of.traces.dim() == (1, first.traces.ncols());
        is_alone && of.interval == first.interval && of.receivers == [of.source]
    };
    if !gathers.iter().all(is_like) {
        return None;
    }
    let receivers: Vec<_> = gathers.iter().map(|of| of.source).collect();
    let traces: Vec<_> = gathers.iter().map(|of| of.traces.view()).collect();
    Some(Shown {
        samples: SampleAxis::TwoWayTime,
        interval: first.interval,
        positions: along(&receivers, PlacedBy::Coordinate),
        traces: ndarray::concatenate(Axis(0), &traces).ok()?,
        which: String::new(),
        of: None,
    })
}
