//! The order of shots over the devices that share them.

use crate::locked;
use std::{
    ops::Range,
    sync::{Mutex, MutexGuard},
};

/// Shots that devices share: a free device takes the next piece, which it runs at once. The size of
/// a piece follows from the shots that each device has done so far: of all that are not done, as
/// many as it will do while the others do theirs. So none is waited for long at the end.
pub struct Queue(Mutex<State>);

struct State {
    /// Shots not yet taken.
    left: Range<usize>,
    devices: Vec<Device>,
}

#[derive(Default)]
struct Device {
    /// The most that it takes at once.
    size: usize,
    /// Its first piece, reserved so that a device that starts slowly has a part too.
    first: Option<Range<usize>>,
    at_work: usize,
    done: usize,
    /// True if it takes no more.
    is_over: bool,
}

impl Queue {
    /// A queue of `shots` shots for devices with these batch sizes; with several devices, a batch
    /// is at most an equal share.
    pub fn new(shots: usize, batches: &[usize]) -> Self {
        let (count, fair) = (batches.len(), shots.div_ceil(batches.len().max(1)).max(1));
        let mut left = 0..shots;
        let device = |(index, batch): (usize, &usize)| {
            let size = match count {
                1 => *batch,
                _ => fair.div_ceil(fair.div_ceil((*batch).max(1))),
            };
            let at_work = size.min(left.len().div_ceil(count - index));
            let first = left.start..left.start + at_work;
            left.start = first.end;
            Device { size, first: Some(first), at_work, ..Device::default() }
        };
        let devices = batches.iter().enumerate().map(device).collect();
        Queue(Mutex::new(State { left, devices }))
    }

    fn state(&self) -> MutexGuard<'_, State> {
        locked(&self.0)
    }

    /// Number of devices that share them.
    pub fn devices(&self) -> usize {
        self.state().devices.len()
    }

    /// The next piece of a device, once it has done the one before; none if nothing is left, or the
    /// others finish it sooner.
    pub fn take(&self, device: usize) -> Option<Range<usize>> {
        let mut state = self.state();
        let taken = state.take(device);
        state.devices[device].is_over = taken.is_none();
        taken
    }

    /// The piece after that, if known already, to be prepared.
    pub fn ahead(&self, device: usize) -> Option<Range<usize>> {
        self.state().take(device)
    }

    /// Records shots that a device has done.
    pub fn add(&self, device: usize, shots: usize) {
        let of = &mut self.state().devices[device];
        of.at_work = of.at_work.saturating_sub(shots);
        of.done += shots;
    }

    /// Shots that a device has done.
    pub(crate) fn done(&self, device: usize) -> usize {
        self.state().devices[device].done
    }

    /// Empties the queue.
    pub(crate) fn close(&self) {
        let mut state = self.state();
        state.left.start = state.left.end;
        state.devices.iter_mut().for_each(|device| device.first = None);
    }
}

impl State {
    fn take(&mut self, device: usize) -> Option<Range<usize>> {
        if let Some(first) = self.devices[device].first.take() {
            return (!first.is_empty()).then_some(first);
        }
        let at_work: usize = self.devices.iter().map(|device| device.at_work).sum();
        let going_on = || self.devices.iter().filter(|device| !device.is_over);
        let done: usize = going_on().map(|device| device.done).sum();
        let of = &self.devices[device];
        let part = match done {
            0 => 1.0 / going_on().count().max(1) as f64,
            _ => of.done as f64 / done as f64,
        };
        let share = ((at_work + self.left.len()) as f64 * part).round() as usize;
        // Some device must take the last ones.
        let share = share.saturating_sub(of.at_work).max(usize::from(at_work == 0));
        let count = share.min(of.size).min(self.left.len());
        if count == 0 {
            return None;
        }
        let first = self.left.start;
        self.left.start += count;
        self.devices[device].at_work += count;
        Some(first..first + count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Pieces of devices with these seconds per shot, taken in the order in which they become free,
    /// and the time at which the last one is done.
    fn taken(shots: usize, devices: &[(usize, f64)]) -> (Vec<Vec<Range<usize>>>, f64) {
        let batches: Vec<_> = devices.iter().map(|(batch, _)| *batch).collect();
        let queue = Queue::new(shots, &batches);
        let mut taken = vec![Vec::new(); devices.len()];
        let mut free: Vec<(f64, _, _)> =
            (0..devices.len()).map(|device| (0.0, device, 0)).collect();
        let mut last = 0.0;
        while let Some(next) = (0..free.len()).min_by(|a, b| free[*a].0.total_cmp(&free[*b].0)) {
            let (now, device, before) = free.remove(next);
            queue.add(device, before);
            last = now;
            if let Some(piece) = queue.take(device) {
                let until = now + piece.len() as f64 * devices[device].1;
                free.push((until, device, piece.len()));
                taken[device].push(piece);
            }
        }
        let mut all: Vec<_> = taken.iter().flatten().flat_map(Clone::clone).collect();
        all.sort_unstable();
        assert!(all.iter().copied().eq(0..shots), "{taken:?}");
        (taken, last)
    }

    fn sizes(shots: usize, devices: &[(usize, f64)]) -> Vec<Vec<usize>> {
        let (taken, _) = taken(shots, devices);
        taken.iter().map(|pieces| pieces.iter().map(Range::len).collect()).collect()
    }

    #[test]
    fn equal_devices_have_as_many() {
        let two = |shots, batch| sizes(shots, &[(batch, 1.0); 2]);
        assert_eq!(two(256, 128), [[128], [128]]);
        assert_eq!(two(256, 256), [[128], [128]]);
        assert_eq!(two(300, 128), [[75, 75], [75, 75]]);
        assert_eq!(two(256, 64), [[64, 64], [64, 64]]);
        assert_eq!(sizes(5, &[(8, 1.0); 4]), [[2], [1], [1], [1]]);
        assert_eq!(sizes(2, &[(8, 1.0); 3]), [vec![1], vec![1], vec![]]);
        assert_eq!(two(0, 8), [[0; 0]; 2]);
    }

    #[test]
    fn one_device_takes_whole_batches() {
        assert_eq!(sizes(300, &[(128, 1.0)]), [[128, 128, 44]]);
    }

    /// All of them end at about the same time, whatever their speeds and batches are.
    #[test]
    fn a_slow_device_is_not_waited_for() {
        for (batch, slower) in [(64, 1.1), (64, 2.0), (64, 5.0), (16, 30.0)] {
            let (taken, last) = taken(1000, &[(batch, 1.0), (batch, slower)]);
            let best = 1000.0 / (1.0 + 1.0 / slower);
            // Half of the largest piece.
            let half = batch as f64 * slower / 2.0;
            assert!(last < best + half, "{slower}: {last} of {best}, {taken:?}");
        }
        // A CPU beside a GPU.
        let (taken, last) = taken(256, &[(128, 0.01), (1, 0.2)]);
        assert!(last < 2.7, "{last}, {taken:?}");
    }

    #[test]
    fn what_is_made_ready_ahead_is_run_once() {
        let queue = Queue::new(8, &[1, 1]);
        assert_eq!((queue.take(0), queue.take(1)), (Some(0..1), Some(1..2)));
        assert_eq!((queue.ahead(0), queue.ahead(1)), (Some(2..3), Some(3..4)));
        queue.add(0, 1);
        assert_eq!((queue.ahead(0), queue.done(0)), (Some(4..5), 1));
        queue.close();
        assert_eq!((queue.take(0), queue.take(1)), (None, None));
        // A device that has begun nothing yet has nothing to do either.
        let queue = Queue::new(8, &[1, 1]);
        queue.close();
        assert_eq!(queue.take(0), None);
    }
}
