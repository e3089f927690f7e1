//! Injects faults for tests. Does nothing without the feature `faults`.
//!
//! `HUYGENS_FAULT` lists them, separated by commas. `lost:40` makes the 40th passage of the point
//! `lost` fail, `lost:40+` that and all later ones. `journal:2@FILE` holds the run at the second and
//! all later passages of `journal` while FILE exists, so that a test finds it there however fast the
//! machine is.
//!
//! Points that fail: `adapter`, a device that is opened; `memory`, a buffer or a pipeline that is
//! made; `lost`, a step that is sent to a device; `poll`, a wait for a device; `room`: pretend that
//! memory holds only one shot; `save`, an image that waits for the next time at which the
//! stack is saved: it is saved at once.
//! Points that hold: `journal`, a line that was added to a journal; `state`, parts of a
//! result, such as the state of an inversion, that were written.
//!
//! To add a point: `fault::strikes("POINT", passages)` where the real failure would begin, a word
//! above, and a test in `tests/cli/faults.rs`.

/// True if one of these passages of a point is to fail.
#[cfg(not(feature = "faults"))]
pub const fn strikes(_point: &str, _passages: usize) -> bool {
    false
}

/// Waits at a passage of a point that is held.
#[cfg(not(feature = "faults"))]
pub const fn hold(_point: &str) {}

#[cfg(feature = "faults")]
pub use on_purpose::{hold, strikes};

#[cfg(feature = "faults")]
mod on_purpose {
    use std::{
        path::PathBuf,
        sync::{
            LazyLock,
            atomic::{AtomicUsize, Ordering},
        },
        thread,
        time::Duration,
    };

    struct Fault {
        point: String,
        /// The first passage that it is for, counted from 1.
        at: usize,
        kind: Kind,
        passed: AtomicUsize,
    }

    #[derive(Debug, PartialEq)]
    enum Kind {
        FailsOnce,
        Fails,
        HoldsWhileThereIs(PathBuf),
    }

    static FAULTS: LazyLock<Vec<Fault>> = LazyLock::new(|| {
        let list = std::env::var("HUYGENS_FAULT").unwrap_or_default();
        let faults = list.split(',').filter(|one| !one.is_empty());
        let read = |one| Fault::read(one).expect("POINT:COUNT, POINT:COUNT+ or POINT:COUNT@FILE");
        faults.map(read).collect()
    });

    /// True if one of these passages of a point is to fail.
    pub fn strikes(point: &str, passages: usize) -> bool {
        let of_point = FAULTS.iter().filter(|fault| fault.point == point);
        // Each counts.
        of_point.filter(|fault| fault.strikes(passages)).count() > 0
    }

    /// Waits at a passage of a point that is held.
    pub fn hold(point: &str) {
        for fault in FAULTS.iter().filter(|fault| fault.point == point) {
            let Kind::HoldsWhileThereIs(file) = &fault.kind else { continue };
            let passage = fault.passed.fetch_add(1, Ordering::Relaxed) + 1;
            while passage >= fault.at && file.exists() {
                thread::sleep(Duration::from_millis(1));
            }
        }
    }

    impl Fault {
        fn read(text: &str) -> Option<Self> {
            let (point, count) = text.split_once(':')?;
            let (count, kind) = match (count.split_once('@'), count.strip_suffix('+')) {
                (Some((count, file)), _) => (count, Kind::HoldsWhileThereIs(file.into())),
                (None, Some(count)) => (count, Kind::Fails),
                (None, None) => (count, Kind::FailsOnce),
            };
            let (point, at) = (point.to_owned(), count.parse().ok()?);
            Some(Fault { point, at, kind, passed: AtomicUsize::new(0) })
        }

        fn strikes(&self, passages: usize) -> bool {
            let before = self.passed.fetch_add(passages, Ordering::Relaxed);
            let is_first = before < self.at;
            match self.kind {
                Kind::FailsOnce => is_first && before + passages >= self.at,
                Kind::Fails => before + passages >= self.at,
                Kind::HoldsWhileThereIs(_) => false,
            }
        }
    }

    #[cfg(test)]
    mod tests {
        use super::*;

        #[test]
        fn faults_are_read() {
            let read = |text| Fault::read(text).map(|fault| (fault.point, fault.at, fault.kind));
            assert_eq!(read("lost:40"), Some(("lost".into(), 40, Kind::FailsOnce)));
            assert_eq!(read("lost:40+"), Some(("lost".into(), 40, Kind::Fails)));
            let held = Kind::HoldsWhileThereIs("/a/b".into());
            assert_eq!(read("journal:2@/a/b"), Some(("journal".into(), 2, held)));
            assert_eq!((read("lost"), read("lost:x")), (None, None));
        }

        #[test]
        fn one_passage_or_all_later_ones_fail() {
            let strikes = |text: &str| -> Vec<bool> {
                let fault = Fault::read(text).expect("a fault");
                [1, 3, 1, 2].map(|passages| fault.strikes(passages)).into()
            };
            assert_eq!(strikes("lost:4"), [false, true, false, false]);
            assert_eq!(strikes("lost:4+"), [false, true, true, true]);
            assert_eq!(strikes("lost:4@file"), [false; 4]);
        }
    }
}
