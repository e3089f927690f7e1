//! Receivers along the horizontal axis of a gather.

use super::axes::Axis;
use super::scale::Scale;

/// Metres.
const KILOMETRE: f64 = 1000.0;

/// The horizontal distribution of the receivers.
pub(super) struct ReceiverAxis {
    /// Edges of the trace cells, km, ascending: one more than traces.
    cells: Vec<f64>,
    /// Position of each trace, km, in the order of the traces.
    pub(super) places: Vec<f64>,
    /// True if the first trace is the rightmost.
    reversed: bool,
    /// Label of the axis; `None` if receivers are numbered.
    label: Option<String>,
}

impl ReceiverAxis {
    /// By position (metres, drawn in km) if monotonic, else by index.
    pub(super) fn new(positions: &[f64], label: &str) -> Self {
        Self::at(positions.iter().map(|p| p / KILOMETRE).collect(), label)
    }

    /// The same for positions in drawing units.
    pub(super) fn at(places: Vec<f64>, label: &str) -> Self {
        let mut sorted = places.clone();
        let reversed = sorted.first() > sorted.last();
        if reversed {
            sorted.reverse();
        }
        let rises = sorted.windows(2).all(|pair| pair[0] <= pair[1]);
        let span = sorted.last().zip(sorted.first()).map_or(0.0, |(b, a)| b - a);
        if rises && span.is_finite() && span > 0.0 {
            return Self {
                cells: cells_around(&sorted),
                places,
                reversed,
                label: Some(label.to_owned()),
            };
        }
        Self {
            cells: (0..=places.len()).map(|k| k as f64 - 0.5).collect(),
            places: (0..places.len()).map(|k| k as f64).collect(),
            reversed: false,
            label: None,
        }
    }

    fn ends(&self) -> (f64, f64) {
        let low = self.cells.first().copied().unwrap_or(0.0);
        (low, self.cells.last().copied().unwrap_or(low + 1.0))
    }

    pub(super) fn axis(&self) -> Axis {
        self.wider(0.0)
    }

    /// The axis with space for `traces` more traces at either end.
    pub(super) fn wider(&self, traces: f64) -> Axis {
        let (low, high) = self.ends();
        let free = traces * (high - low) / self.places.len() as f64;
        let scale = Scale::linear(low - free, high + free);
        match &self.label {
            Some(label) if label.contains('(') => Axis::new(scale, label),
            // Without a unit they are numbers, as of records.
            Some(label) => Axis::new(scale.of_numbers(), label),
            None => Axis::new(scale.of_numbers(), "Receiver"),
        }
    }

    /// Edges of the pixels of a panel, as positions in the array of traces.
    pub(super) fn edges(&self, width: usize) -> Vec<f64> {
        let (low, high) = self.ends();
        let traces = self.cells.len() - 1;
        let place = |k: usize| {
            let value = low + (high - low) * k as f64 / width as f64;
            let cell = self.cells.partition_point(|&edge| edge <= value);
            let cell = cell.clamp(1, traces) - 1;
            let (left, right) = (self.cells[cell], self.cells[cell + 1]);
            let within = if right > left { (value - left) / (right - left) } else { 0.5 };
            let place = cell as f64 + within.clamp(0.0, 1.0) - 0.5;
            if self.reversed { traces as f64 - 1.0 - place } else { place }
        };
        (0..=width).map(place).collect()
    }
}

/// Edges half way between neighbours, the outer cells centred on the first and the last position.
fn cells_around(positions: &[f64]) -> Vec<f64> {
    let middles: Vec<f64> =
        positions.windows(2).map(|pair| f64::midpoint(pair[0], pair[1])).collect();
    let outer = |end: Option<&f64>, middle: Option<&f64>| end.zip(middle).map(|(e, m)| 2.0 * e - m);
    let first = outer(positions.first(), middles.first());
    let last = outer(positions.last(), middles.last());
    first.into_iter().chain(middles).chain(last).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_that_make_no_axis_fall_back_to_numbers() {
        for positions in [
            vec![3.0],
            vec![5.0, 5.0],
            vec![0.0, 20.0, 10.0],
            vec![0.0, f64::NAN, 10.0],
            vec![0.0, f64::INFINITY],
        ] {
            let spread = ReceiverAxis::new(&positions, "Offset (km)");
            assert_eq!(spread.axis().label, "Receiver", "{positions:?}");
            assert_eq!(spread.edges(10).len(), 11);
        }
        let falling = ReceiverAxis::new(&[2000.0, 0.0, -1000.0], "Offset (km)");
        assert_eq!(falling.axis().label, "Offset (km)");
        assert_eq!(falling.cells, [-1.5, -0.5, 1.0, 3.0]);
        // Pixels half a kilometre wide; the first trace is the rightmost.
        let edges = falling.edges(9);
        assert_eq!((edges[0], edges[2], edges[5], edges[9]), (2.5, 1.5, 0.5, -0.5));
    }
}
