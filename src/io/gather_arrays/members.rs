//! The arrays of a file of gathers, and the gathers that they are.

use super::GatherArraysError;
use crate::{grid::Position, segy::Gather};
use ndarray::{ArrayD, ArrayView2, ArrayViewD, Axis, Ix3, IxDyn};

/// The arrays of a file.
pub(super) struct Members<'a> {
    pub(crate) path: &'a str,
    pub(crate) traces: ArrayD<f32>,
    pub(crate) interval: ArrayD<f64>,
    pub(crate) start: Option<ArrayD<f64>>,
    pub(crate) source: ArrayD<f64>,
    pub(crate) receivers: ArrayD<f64>,
    pub(crate) record: Option<ArrayD<f64>>,
}

fn wrong(path: &str, array: &'static str, value: f64) -> GatherArraysError {
    GatherArraysError::Value { path: path.into(), array, value }
}

/// The values of each record, of the shape `all`, from an array that has those of one, of `shape`,
/// for all records, or those of each; `None` if it has another shape.
fn of_each(values: &ArrayD<f64>, shape: &[usize], all: &[usize]) -> Option<ArrayD<f64>> {
    match values.shape() {
        own if own == all => Some(values.clone()),
        own if own == shape || (shape.is_empty() && own == [1]) => {
            let values = values.to_shape(IxDyn(shape)).expect("as many values");
            Some(values.broadcast(IxDyn(all)).expect("along a new axis").to_owned())
        }
        _ => None,
    }
}

fn position(at: ArrayViewD<'_, f64>) -> Position {
    let [x, y, z] = [0, 1, 2].map(|axis| at[[axis].as_slice()]);
    Position { x, y, z }
}

impl Members<'_> {
    pub(crate) fn gathers(self) -> Result<Vec<Gather>, GatherArraysError> {
        let Members { path, traces, interval, start, source, receivers, record } = self;
        let refused = |array, shape: &[usize], wanted: String| {
            let shape = shape.to_vec();
            GatherArraysError::Shape { path: path.into(), array, shape, wanted }
        };
        let one = traces.ndim() == 2;
        let shape = traces.shape().to_vec();
        let traces = if one { traces.insert_axis(Axis(0)) } else { traces };
        let traces = traces.into_dimensionality::<Ix3>().map_err(|_| {
            refused("traces", &shape, "[receiver][time] or [record][receiver][time]".into())
        })?;
        let (records, count, _) = traces.dim();
        let each = |array, values: &ArrayD<f64>, shape: &[usize]| {
            let finite = values.iter().find(|v| !v.is_finite());
            if let Some(value) = finite {
                return Err(wrong(path, array, *value));
            }
            let all = [&[records], shape].concat();
            let wanted = match one {
                true => format!("{shape:?}"),
                false => format!("{shape:?} or {all:?}"),
            };
            of_each(values, shape, &all).ok_or_else(|| refused(array, values.shape(), wanted))
        };
        let seconds = match interval.len() {
            1 => interval.iter().copied().sum::<f64>(),
            _ => return Err(refused("interval", interval.shape(), "[]".into())),
        };
        if !(seconds.is_finite() && seconds > 0.0) {
            return Err(wrong(path, "interval", seconds));
        }
        let source = each("source", &source, &[3])?;
        let receivers = each("receivers", &receivers, &[count, 3])?;
        let start = start.map(|start| each("start", &start, &[])).transpose()?;
        let record = record.map(|record| each("record", &record, &[])).transpose()?;
        let whole = |v: &&f64| v.fract() != 0.0 || v.abs() > f64::from(i32::MAX);
        if let Some(value) = record.as_ref().and_then(|of| of.iter().find(whole)) {
            return Err(wrong(path, "record", *value));
        }
        let gather = |(n, traces): (usize, ArrayView2<'_, f32>)| {
            let receivers = receivers.index_axis(Axis(0), n);
            let number = |of: &Option<ArrayD<f64>>| of.as_ref().map(|of| of[[n].as_slice()]);
            Gather {
                record: number(&record).map_or(n as i64 + 1, |record| record as i64),
                source: position(source.index_axis(Axis(0), n)),
                receivers: receivers.axis_iter(Axis(0)).map(position).collect(),
                // Whatever the order in the file, time is the fastest axis.
                traces: traces.as_standard_layout().into_owned(),
                interval: seconds,
                start: number(&start).unwrap_or(0.0),
            }
        };
        Ok(traces.outer_iter().enumerate().map(gather).collect())
    }

    /// The arrays of gathers that are alike.
    pub(crate) fn of(gathers: &[Gather]) -> Result<Members<'static>, GatherArraysError> {
        let Some(first) = gathers.first() else { return Err(GatherArraysError::None) };
        let unlike = |what, record: usize, here: String, first: String| {
            Err(GatherArraysError::Unlike { what, record: record + 1, here, first })
        };
        for (record, gather) in gathers.iter().enumerate() {
            let (here, there) = (gather.traces.dim(), first.traces.dim());
            if here != there {
                return unlike("the shape", record, format!("{here:?}"), format!("{there:?}"));
            }
            if gather.interval != first.interval {
                let [here, there] = [gather.interval, first.interval].map(|s| format!("{s} s"));
                return unlike("the interval", record, here, there);
            }
            if gather.receivers.len() != here.0 {
                let [listed, traces] = [gather.receivers.len(), here.0];
                let path = format!("record {}", record + 1);
                return Err(GatherArraysError::Receivers { path, listed, traces });
            }
        }
        let all = |of: &dyn Fn(&Gather) -> Vec<f64>, shape: &[usize], same: bool| {
            let kept = if same { &gathers[..1] } else { gathers };
            let values: Vec<f64> = kept.iter().flat_map(of).collect();
            let records = if same { vec![] } else { vec![gathers.len()] };
            let shape = [&records, shape].concat();
            ArrayD::from_shape_vec(IxDyn(&shape), values).expect("as many values")
        };
        let one = gathers.len() == 1;
        let places = |of: &[Position]| of.iter().flat_map(|at| [at.x, at.y, at.z]).collect();
        let (receivers, samples) = first.traces.dim();
        let mut traces = ArrayD::zeros(IxDyn(&[gathers.len(), receivers, samples]));
        for (mut to, gather) in traces.outer_iter_mut().zip(gathers) {
            to.assign(&gather.traces.view().into_dyn());
        }
        if one {
            traces = traces.index_axis_move(Axis(0), 0);
        }
        let same_start = gathers.iter().all(|gather| gather.start == first.start);
        let same_receivers = gathers.iter().all(|gather| gather.receivers == first.receivers);
        Ok(Members {
            path: "",
            traces,
            interval: all(&|gather| vec![gather.interval], &[], true),
            start: Some(all(&|gather| vec![gather.start], &[], same_start)),
            source: all(&|gather| places(&[gather.source]), &[3], one),
            receivers: all(&|gather| places(&gather.receivers), &[receivers, 3], same_receivers),
            record: Some(all(&|gather| vec![gather.record as f64], &[], false)),
        })
    }

    /// Those of f64 by their names, with their unit.
    pub(crate) fn numbers(&self) -> Vec<(&'static str, &ArrayD<f64>, &'static str)> {
        let (start, record) = (self.start.as_ref(), self.record.as_ref());
        let mut numbers = vec![("interval", &self.interval, "s")];
        numbers.extend(start.map(|start| ("start", start, "s")));
        numbers.extend([("source", &self.source, "m"), ("receivers", &self.receivers, "m")]);
        numbers.extend(record.map(|record| ("record", record, "1")));
        numbers
    }
}
