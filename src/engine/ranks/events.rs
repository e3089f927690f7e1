//! The events of a share's observer as messages to rank 0: six 8-byte numbers, then values.

use crate::{FocusMap, Image, Observer, SnapshotView, TraceBlock};
use bytemuck::{Pod, cast_slice, pod_collect_to_vec};
use ndarray::{Array2, Array3, ArrayView, Dimension};
use std::{
    ops::ControlFlow,
    time::{Duration, Instant},
};

/// Numbers before the values.
const NUMBERS: usize = 6;
/// The interval of progress messages.
const OFTEN: Duration = Duration::from_millis(50);

const PROGRESS: u64 = 0;
const TRACES: u64 = 1;
const SNAPSHOT: u64 = 2;
const IMAGE: u64 = 3;
const FOCUS: u64 = 4;

/// The observer of a share on a rank other than 0.
pub(crate) struct EventSender<'s> {
    /// Sends the parts of a message.
    send: &'s (dyn Fn(&[&[u8]]) + Sync),
    /// The last step sure to be reported to rank 0.
    last: usize,
    reported: Instant,
}

impl<'s> EventSender<'s> {
    pub(crate) fn new(send: &'s (dyn Fn(&[&[u8]]) + Sync), last: usize) -> Self {
        EventSender { send, last, reported: Instant::now() }
    }

    fn send_event(&self, numbers: &[u64], values: &[&[u8]]) {
        let mut header = [0; NUMBERS];
        header[..numbers.len()].copy_from_slice(numbers);
        (self.send)(&[&[cast_slice(&header)], values].concat());
    }
}

fn values<T: Pod, D: Dimension>(of: &ArrayView<'_, T, D>) -> Vec<T> {
    of.iter().copied().collect()
}

/// Three lengths.
fn lengths(shape: (usize, usize, usize)) -> [u64; 3] {
    [shape.0 as u64, shape.1 as u64, shape.2 as u64]
}

impl Observer for EventSender<'_> {
    fn progress(&mut self, step: usize) -> ControlFlow<()> {
        if step == self.last || self.reported.elapsed() > OFTEN {
            self.reported = Instant::now();
            self.send_event(&[PROGRESS, step as u64], &[]);
        }
        ControlFlow::Continue(())
    }

    fn traces(&mut self, TraceBlock { shot, first, traces }: TraceBlock<'_>) {
        let (receivers, samples) = traces.dim();
        let numbers = [TRACES, shot as u64, first as u64, receivers as u64, samples as u64];
        self.send_event(&numbers, &[cast_slice(&values(&traces))]);
    }

    fn snapshot(&mut self, SnapshotView { shot, step, field }: SnapshotView<'_>) {
        let [y, x, z] = lengths(field.dim());
        let numbers = [SNAPSHOT, shot as u64, step as u64, y, x, z];
        self.send_event(&numbers, &[cast_slice(&values(&field))]);
    }

    fn image(&mut self, Image { of, values: image }: Image) {
        let [y, x, z] = lengths(image.dim());
        self.send_event(&[IMAGE, of as u64, 0, y, x, z], &[cast_slice(&values(&image.view()))]);
    }

    fn focus(&mut self, FocusMap { set, largest, step }: FocusMap) {
        let [y, x, z] = lengths(largest.dim());
        let (largest, step) = (values(&largest.view()), values(&step.view()));
        self.send_event(
            &[FOCUS, set as u64, 0, y, x, z],
            &[cast_slice(&largest), cast_slice(&step)],
        );
    }
}

/// Calls an observer with an event that a [`EventSender`] sent.
pub(crate) fn deliver(message: &[u8], observer: &mut dyn Observer) {
    let (numbers, rest) = message.split_at(8 * NUMBERS);
    let numbers: Vec<usize> =
        pod_collect_to_vec::<u8, u64>(numbers).into_iter().map(|number| number as usize).collect();
    let [kind, of, at, y, x, z] = numbers[..] else { return };
    let cube = |bytes: &[u8]| of_shape([y, x, z], pod_collect_to_vec::<u8, f32>(bytes));
    match kind as u64 {
        TRACES => {
            let traces = Array2::from_shape_vec((y, x), pod_collect_to_vec::<u8, f32>(rest));
            let traces = traces.expect("as many as were sent");
            observer.traces(TraceBlock { shot: of, first: at, traces: traces.view() });
        }
        SNAPSHOT => {
            let field = cube(rest);
            observer.snapshot(SnapshotView { shot: of, step: at, field: field.view() });
        }
        IMAGE => observer.image(Image { of, values: cube(rest) }),
        FOCUS => {
            let (largest, step) = rest.split_at(rest.len() / 2);
            let step = of_shape([y, x, z], pod_collect_to_vec::<u8, u32>(step));
            observer.focus(FocusMap { set: of, largest: cube(largest), step });
        }
        // A `Break` ends rank 0's share, and then its neighbours'.
        _ => drop(observer.progress(of)),
    }
}

fn of_shape<T>(shape: [usize; 3], values: Vec<T>) -> Array3<T> {
    Array3::from_shape_vec(shape, values).expect("as many as were sent")
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Mutex;

    fn said<T: std::fmt::Debug, D: Dimension>(array: ArrayView<'_, T, D>) -> String {
        format!("{:?} {:?}", array.shape(), array.iter().collect::<Vec<_>>())
    }

    /// All events, as text.
    #[derive(Default, PartialEq, Debug)]
    struct Record(Vec<String>);

    impl Observer for Record {
        fn progress(&mut self, step: usize) -> ControlFlow<()> {
            self.0.push(format!("{step}"));
            ControlFlow::Continue(())
        }

        fn traces(&mut self, TraceBlock { shot, first, traces }: TraceBlock<'_>) {
            self.0.push(format!("{shot} {first} {}", said(traces)));
        }

        fn snapshot(&mut self, SnapshotView { shot, step, field }: SnapshotView<'_>) {
            self.0.push(format!("{shot} {step} {}", said(field)));
        }

        fn image(&mut self, Image { of, values }: Image) {
            self.0.push(format!("{of} {}", said(values.view())));
        }

        fn focus(&mut self, FocusMap { set, largest, step }: FocusMap) {
            self.0.push(format!("{set} {} {}", said(largest.view()), said(step.view())));
        }
    }

    fn report_all(observer: &mut dyn Observer) {
        let field = Array3::from_shape_fn((2, 3, 4), |(y, x, z)| (y * 100 + x * 10 + z) as f32);
        let traces =
            Array2::from_shape_fn((2, 3), |(receiver, sample)| (receiver * 10 + sample) as f32);
        let _ = observer.progress(7);
        observer.traces(TraceBlock { shot: 1, first: 40, traces: traces.view() });
        // Not contiguous in memory.
        observer.snapshot(SnapshotView { shot: 2, step: 30, field: field.view().reversed_axes() });
        observer.image(Image { of: 3, values: field.clone() });
        let step = field.mapv(|value| value as u32 + 1);
        observer.focus(FocusMap { set: 4, largest: field, step });
    }

    #[test]
    fn sent_events_are_delivered() {
        let messages = Mutex::new(Vec::new());
        let send = |parts: &[&[u8]]| messages.lock().expect("no panic").push(parts.concat());
        report_all(&mut EventSender::new(&send, 7));
        let (mut direct, mut sent) = (Record::default(), Record::default());
        report_all(&mut direct);
        messages
            .into_inner()
            .expect("no panic")
            .iter()
            .for_each(|message| deliver(message, &mut sent));
        assert_eq!(direct, sent);
        assert_eq!(direct.0.len(), 5);
    }
}
