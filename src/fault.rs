//! Faults on purpose, for tests: `HUYGENS_FAULT="lost:40"` makes the 40th passage of the point `lost` fail, `lost:40+` that
//! and all later ones; several by commas. Without the feature `faults` there are none.
//!
//! Points: `adapter`, a device that is opened; `memory`, a buffer or a pipeline that is made; `lost`, a step that is sent to a device;
//! `poll`, a wait for a device; `room`, a look for room for several shots at once, of which there is only for one then.

/// True if one of these passages of a point is to fail.
#[cfg(not(feature = "faults"))]
pub const fn strikes(_point: &str, _passages: usize) -> bool {
    false
}

/// True if one of these passages of a point is to fail.
#[cfg(feature = "faults")]
pub fn strikes(point: &str, passages: usize) -> bool {
    let of_point = FAULTS.iter().filter(|fault| fault.point == point);
    // Each counts.
    of_point.filter(|fault| fault.strikes(passages)).count() > 0
}

#[cfg(feature = "faults")]
use std::sync::{
    LazyLock,
    atomic::{AtomicUsize, Ordering},
};

#[cfg(feature = "faults")]
struct Fault {
    point: String,
    /// Its passage, counted from 1, and whether later ones fail too.
    at: usize,
    goes_on: bool,
    passed: AtomicUsize,
}

#[cfg(feature = "faults")]
static FAULTS: LazyLock<Vec<Fault>> = LazyLock::new(|| {
    let told = std::env::var("HUYGENS_FAULT").unwrap_or_default();
    let faults = told.split(',').filter(|one| !one.is_empty());
    faults
        .map(|one| Fault::read(one).expect("HUYGENS_FAULT is POINT:COUNT or POINT:COUNT+"))
        .collect()
});

#[cfg(feature = "faults")]
impl Fault {
    fn read(told: &str) -> Option<Self> {
        let (point, count) = told.split_once(':')?;
        let at = count.trim_end_matches('+').parse().ok()?;
        let (point, goes_on) = (point.to_owned(), count.ends_with('+'));
        Some(Fault { point, at, goes_on, passed: AtomicUsize::new(0) })
    }

    fn strikes(&self, passages: usize) -> bool {
        let before = self.passed.fetch_add(passages, Ordering::Relaxed);
        before + passages >= self.at && (self.goes_on || before < self.at)
    }
}
