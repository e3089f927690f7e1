//! What a share's observer hears, as a message to rank 0: six numbers of 8 bytes, and values.

use super::World;
use crate::engine::{FocusMap, Image, Observer, SnapshotView, TraceBlock};
use bytemuck::{Pod, cast_slice, pod_collect_to_vec};
use ndarray::{Array2, Array3, ArrayView, Dimension};
use std::{
    ops::ControlFlow,
    time::{Duration, Instant},
};

/// Numbers before the values.
const NUMBERS: usize = 6;
/// Progress is told this often.
const OFTEN: Duration = Duration::from_millis(50);

const PROGRESS: u64 = 0;
const TRACES: u64 = 1;
const SNAPSHOT: u64 = 2;
const IMAGE: u64 = 3;
const FOCUS: u64 = 4;

/// The observer of a share whose rank is not the first.
pub struct Teller<'w> {
    world: &'w World,
    /// The step of which rank 0 surely hears.
    last: usize,
    told: Instant,
}

impl<'w> Teller<'w> {
    pub fn new(world: &'w World, last: usize) -> Self {
        Teller { world, last, told: Instant::now() }
    }

    fn tell(&self, numbers: &[u64], values: &[&[u8]]) {
        let mut header = [0; NUMBERS];
        header[..numbers.len()].copy_from_slice(numbers);
        self.world.tell_heard(&[&[cast_slice(&header)], values].concat());
    }
}

fn values<T: Pod, D: Dimension>(of: &ArrayView<'_, T, D>) -> Vec<T> {
    of.iter().copied().collect()
}

/// Three lengths.
fn lengths(shape: (usize, usize, usize)) -> [u64; 3] {
    [shape.0 as u64, shape.1 as u64, shape.2 as u64]
}

impl Observer for Teller<'_> {
    fn progress(&mut self, step: usize) -> ControlFlow<()> {
        if step == self.last || self.told.elapsed() > OFTEN {
            self.told = Instant::now();
            self.tell(&[PROGRESS, step as u64], &[]);
        }
        ControlFlow::Continue(())
    }

    fn traces(&mut self, TraceBlock { shot, first, traces }: TraceBlock<'_>) {
        let (receivers, samples) = traces.dim();
        let numbers = [TRACES, shot as u64, first as u64, receivers as u64, samples as u64];
        self.tell(&numbers, &[cast_slice(&values(&traces))]);
    }

    fn snapshot(&mut self, SnapshotView { shot, step, field }: SnapshotView<'_>) {
        let [y, x, z] = lengths(field.dim());
        let numbers = [SNAPSHOT, shot as u64, step as u64, y, x, z];
        self.tell(&numbers, &[cast_slice(&values(&field))]);
    }

    fn image(&mut self, Image { of, values: image }: Image) {
        let [y, x, z] = lengths(image.dim());
        self.tell(&[IMAGE, of as u64, 0, y, x, z], &[cast_slice(&values(&image.view()))]);
    }

    fn focus(&mut self, FocusMap { set, largest, step }: FocusMap) {
        let [y, x, z] = lengths(largest.dim());
        let (largest, step) = (values(&largest.view()), values(&step.view()));
        self.tell(&[FOCUS, set as u64, 0, y, x, z], &[cast_slice(&largest), cast_slice(&step)]);
    }
}

/// Tells an observer what was sent, which is what a [`Teller`] made.
pub fn hear(message: &[u8], observer: &mut dyn Observer) {
    let (numbers, rest) = message.split_at(8 * NUMBERS);
    let numbers: Vec<usize> =
        pod_collect_to_vec::<u8, u64>(numbers).into_iter().map(|number| number as usize).collect();
    let [kind, of, at, y, x, z] = numbers[..] else { return };
    let cube = |bytes: &[u8]| of_shape((y, x, z), pod_collect_to_vec::<u8, f32>(bytes));
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
            let step = of_shape((y, x, z), pod_collect_to_vec::<u8, u32>(step));
            observer.focus(FocusMap { set: of, largest: cube(largest), step });
        }
        // What it answers ends rank 0's share, and then its neighbours'.
        _ => drop(observer.progress(of)),
    }
}

fn of_shape<T>(shape: (usize, usize, usize), values: Vec<T>) -> Array3<T> {
    Array3::from_shape_vec(shape, values).expect("as many as were sent")
}
