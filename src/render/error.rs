//! Reasons why a figure was not drawn.

use ndarray::ArrayView2;
use std::ops::RangeInclusive;

/// An error of a figure that cannot be drawn.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[allow(missing_docs, reason = "the messages say it")]
#[non_exhaustive]
pub enum RenderError {
    #[error(
        "the {what} has shape {rows} x {columns}, and a figure needs at least 1 x 1; pass an array with one element \
         or more along each axis"
    )]
    Empty { what: &'static str, rows: usize, columns: usize },
    #[error(
        "the wavefield has shape {wavefield:?} and the velocity {velocity:?}, which must be equal; cut both to the \
         same window of the grid, without the absorbing layer"
    )]
    Shape { wavefield: Vec<usize>, velocity: Vec<usize> },
    #[error(
        "the plane through node {node} along {axis} does not cut a volume of {nodes} nodes along {axis}; give a node \
         below that"
    )]
    Plane { axis: char, node: usize, nodes: usize },
    #[error(
        "the extent along {axis} runs from {first} m to {last} m; both must be finite and the last not below the \
         first; give the positions of the first and the last node"
    )]
    Extent { axis: &'static str, first: f64, last: f64 },
    #[error(
        "the sampling interval is {interval} s and must be finite and above 0; give the seconds between two samples \
         of a trace"
    )]
    Interval { interval: f64 },
    #[error(
        "{positions} receiver positions for {traces} traces, which must be equal in number; give one position for \
         each row of the gather"
    )]
    Positions { positions: usize, traces: usize },
    #[error(
        "the clip percentile is {percentile} and must be above 0 and at most 100; 98.5 is usual, 100 clips nothing"
    )]
    Percentile { percentile: f64 },
    #[error(
        "the gain is the power {power} of time and must be 0 to {most}; 2 is usual for reflections, 0 leaves \
         amplitudes as they are"
    )]
    Gain { power: f64, most: f64 },
    #[error(
        "the window of the gain control is {window} s and must be finite and above 0; some periods of the wave are \
         usual, such as 0.5"
    )]
    Window { window: f64 },
    #[error(
        "the chart has {count} {what} and must have {least} to {most}; give at least {least}, and spread more than \
         {most} over several charts"
    )]
    Count { what: &'static str, count: usize, least: usize, most: usize },
    #[error(
        "row {row:?} has {bars} bars for {series} series, which must be equal in number; give one for each series, \
         without a value where there is none"
    )]
    Bars { row: String, bars: usize, series: usize },
    #[error(
        "a value of {what:?} is {value:?} and must lie within {least:?} to {most:?} on its axis; leave it out, or \
         where it is 0 make the axis linear"
    )]
    Value { what: String, value: f64, least: f64, most: f64 },
    #[error(
        "curve {curve:?} has a point at {at:?} across, which must be the number of one of the {categories} \
         categories; count them from 0, and name as many as there are"
    )]
    Category { curve: String, at: f64, categories: usize },
    #[error(
        "{dpi} dpi is out of range; give pixels to the inch from {least} to {most} (150 is usual, 300 for print)"
    )]
    Dpi { dpi: f64, least: f64, most: f64 },
    #[error("letters of {points} points are out of range; give {least} to {most} points")]
    Letters { points: f64, least: f64, most: f64 },
    #[error(
        "a figure of {width} x {height} pixels is too large; give at most {most} along either side, or centimetres at fewer dpi"
    )]
    TooLarge { width: u32, height: u32, most: u32 },
    /// With the other remedies, if there are some.
    #[error("a figure of {size} is too small for its text; give at least {least}{others}")]
    TooSmall { size: String, least: String, others: String },
}

impl RenderError {
    /// Returns an error for an empty array.
    pub(super) fn if_empty(what: &'static str, rows: usize, columns: usize) -> Result<(), Self> {
        if rows == 0 || columns == 0 {
            return Err(Self::Empty { what, rows, columns });
        }
        Ok(())
    }

    /// Returns an error for an empty array, or one of another shape than its velocities.
    pub(super) fn if_unlike(
        what: &'static str,
        values: ArrayView2<'_, f32>,
        velocity: ArrayView2<'_, f32>,
    ) -> Result<(), Self> {
        Self::if_empty(what, values.nrows(), values.ncols())?;
        match values.dim() == velocity.dim() {
            true => Ok(()),
            false => Err(Self::Shape {
                wavefield: values.shape().into(),
                velocity: velocity.shape().into(),
            }),
        }
    }

    /// Returns an error for a count out of range.
    pub(super) fn if_count(
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

    /// Returns an error for a value of `what` outside the range of its axis.
    pub(super) fn if_value(what: &str, value: f64, range: RangeInclusive<f64>) -> Result<(), Self> {
        if !range.contains(&value) {
            let (least, most) = range.into_inner();
            return Err(Self::Value { what: what.to_owned(), value, least, most });
        }
        Ok(())
    }
}
