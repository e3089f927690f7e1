//! Pictures of a run: a wavefield over its velocity model, three planes of one in
//! a volume, a shot gather in grey or as wiggles, a velocity model by itself. Charts of plain numbers: bars and curves.
//!
//! Each figure is a plain struct of what it shows with a `draw` that returns
//! an [`image::RgbImage`] of a [`FigureSize`]; writing it to a file is the caller's affair. The
//! pictures are about 1600 pixels wide where nothing else is asked for, with text that stays legible when
//! they are shown at half that size. Nothing of the system is consulted: the
//! font is part of the program, so that a picture is the same on every machine.
//!
//! Values of a field that are not finite are drawn in magenta, a colour of no
//! map here, so that a run that has gone unstable shows it; a chart refuses
//! them.

use std::ops::RangeInclusive;

mod axes;
mod bars;
mod canvas;
mod colour;
mod curves;
mod figure;
mod focus;
mod font;
mod frame;
mod gain;
mod gather;
mod legend;
mod marker;
mod marks;
mod model;
mod panel;
mod plane;
mod quantity;
mod range;
mod scale;
mod size;
mod snapshot;
mod spread;
mod text;
mod timeline;
mod view_layout;
mod views;
mod wave;
mod wiggle;

pub use bars::{Bar, BarFigure, BarRow};
pub use curves::{Across, Curve, CurveFigure, Line};
pub use figure::Figure;
pub use focus::{FocusFigure, Outline};
pub use gain::Gain;
pub use gather::GatherFigure;
pub use marks::Marks;
pub use model::ModelFigure;
pub use plane::{Extent, Plane};
pub use quantity::Quantity;
pub use size::FigureSize;
pub use snapshot::SnapshotFigure;
pub use timeline::{TimelineFigure, TimelineLane};
pub use views::{Planes, ThreePlaneFigure};
pub use wave::wave_scale;
pub use wiggle::WiggleFigure;

/// Why a figure cannot be drawn.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum RenderError {
    /// An array has no elements.
    #[error(
        "the {what} has shape {rows} x {columns}, and a figure needs at least 1 x 1: \
         pass an array with one element or more along each axis"
    )]
    Empty {
        /// Which array.
        what: &'static str,
        /// Its length along the first axis.
        rows: usize,
        /// Its length along the second axis.
        columns: usize,
    },
    /// Two arrays that cover the same grid have unequal shapes.
    #[error(
        "the wavefield has shape {wavefield:?} and the velocity {velocity:?}, which must be \
         equal: cut both to the same window of the grid, without the absorbing layer"
    )]
    Shape {
        /// Shape of the wavefield.
        wavefield: Vec<usize>,
        /// Shape of the velocity.
        velocity: Vec<usize>,
    },
    /// A plane that does not cut the volume.
    #[error(
        "the plane through node {node} along {axis} does not cut a volume of {nodes} nodes along \
         {axis}: give a node below that"
    )]
    Plane {
        /// Name of the axis.
        axis: char,
        /// The node given.
        node: usize,
        /// Nodes along the axis.
        nodes: usize,
    },
    /// An axis that is reversed or not finite.
    #[error(
        "the extent along {axis} runs from {first} m to {last} m; both must be finite and \
         the last not below the first: give the positions of the first and the last node"
    )]
    Extent {
        /// Name of the axis.
        axis: &'static str,
        /// Position of the first node, metres.
        first: f64,
        /// Position of the last node, metres.
        last: f64,
    },
    /// A sampling interval that is no positive number.
    #[error(
        "the sampling interval is {interval} s and must be finite and above 0: \
         give the seconds between two samples of a trace"
    )]
    Interval {
        /// The interval given, seconds.
        interval: f64,
    },
    /// Receivers and positions differ in number.
    #[error(
        "{positions} receiver positions for {traces} traces, which must be equal in number: \
         give one position for each row of the gather"
    )]
    Positions {
        /// Number of positions given.
        positions: usize,
        /// Number of traces given.
        traces: usize,
    },
    /// A percentile outside of its range.
    #[error(
        "the clip percentile is {percentile} and must be above 0 and at most 100: \
         98.5 is usual, 100 clips nothing"
    )]
    Percentile {
        /// The percentile given.
        percentile: f64,
    },
    /// A gain out of range.
    #[error(
        "the gain is the power {power} of time and must be 0 to {most}: 2 is usual for reflections, 0 leaves amplitudes as \
         they are"
    )]
    Gain {
        /// The power given.
        power: f64,
        /// The largest that is taken.
        most: f64,
    },
    /// A window that is no positive number.
    #[error(
        "the window of the gain control is {window} s and must be finite and above 0: \
         some periods of the wave are usual, such as 0.5"
    )]
    Window {
        /// The window given, seconds.
        window: f64,
    },
    /// A chart of nothing, or of more than it has room for.
    #[error(
        "the chart has {count} {what} and must have {least} to {most}: give at least {least}, \
         and spread more than {most} over several charts"
    )]
    Count {
        /// What is counted.
        what: &'static str,
        /// How many were given.
        count: usize,
        /// Fewest that make a chart.
        least: usize,
        /// Most that a chart has room for.
        most: usize,
    },
    /// A row of bars that does not match the series.
    #[error(
        "row {row:?} has {bars} bars for {series} series, which must be equal in number: \
         give one for each series, without a value where there is none"
    )]
    Bars {
        /// Label of the row.
        row: String,
        /// Number of bars given.
        bars: usize,
        /// Number of series.
        series: usize,
    },
    /// A value that has no place on its axis.
    #[error(
        "a value of {what:?} is {value:?} and must lie within {least:?} to {most:?} on its \
         axis: leave it out, or where it is 0 make the axis linear"
    )]
    Value {
        /// Label of the row, curve or line with the value.
        what: String,
        /// The value given.
        value: f64,
        /// Least value that has a place on the axis.
        least: f64,
        /// Greatest value that has a place on the axis.
        most: f64,
    },
    /// A point of a curve that belongs to no category.
    #[error(
        "curve {curve:?} has a point at {at:?} across, which must be the number of one of the \
         {categories} categories: count them from 0, and name as many as there are"
    )]
    Category {
        /// Name of the curve.
        curve: String,
        /// Where the point lies.
        at: f64,
        /// Number of categories.
        categories: usize,
    },
    /// A resolution out of range.
    #[error(
        "{dpi} dpi is out of range: give pixels to the inch from {least} to {most}; 150 is usual, 300 for print"
    )]
    Dpi {
        /// The resolution given, pixels to the inch.
        dpi: f64,
        /// Least that is taken.
        least: f64,
        /// Most that is taken.
        most: f64,
    },
    /// A figure too large to be of use.
    #[error(
        "a figure of {width} x {height} pixels is too large: give at most {most} along either side, \
         or centimetres at fewer dpi"
    )]
    TooLarge {
        /// Width asked for, pixels.
        width: u32,
        /// Height asked for, pixels.
        height: u32,
        /// Most pixels along a side.
        most: u32,
    },
    /// A figure too small for its text.
    #[error(
        "a figure of {width} x {height} pixels is too small for its text at {dpi} dpi: give at least \
         {least_width} x {least_height} pixels{remedy}"
    )]
    TooSmall {
        /// Width asked for, pixels.
        width: u32,
        /// Height asked for, pixels.
        height: u32,
        /// Pixels to the inch.
        dpi: f64,
        /// Fewest pixels across that do.
        least_width: u32,
        /// Fewest pixels down that do.
        least_height: u32,
        /// What else would do.
        remedy: String,
    },
}

impl RenderError {
    /// Refuses an array of no elements.
    fn if_empty(what: &'static str, (rows, columns): (usize, usize)) -> Result<(), Self> {
        if rows == 0 || columns == 0 {
            return Err(Self::Empty { what, rows, columns });
        }
        Ok(())
    }

    /// Refuses too few or too many of something.
    fn if_count(
        what: &'static str,
        count: usize,
        range: RangeInclusive<usize>,
    ) -> Result<(), Self> {
        if !range.contains(&count) {
            let (least, most) = range.into_inner();
            return Err(Self::Count { what, count, least, most });
        }
        Ok(())
    }

    /// Refuses a value of `what` that is outside of the range of its axis.
    fn if_value(what: &str, value: f64, range: RangeInclusive<f64>) -> Result<(), Self> {
        if !range.contains(&value) {
            let (least, most) = range.into_inner();
            return Err(Self::Value { what: what.to_owned(), value, least, most });
        }
        Ok(())
    }
}
