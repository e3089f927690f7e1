//! What the pictures of a ladder show, and what was published of others.

pub(crate) mod copies;
pub(crate) mod devices;
pub(crate) mod ete;
mod head;
pub(crate) mod imaging;
pub(crate) mod paper;
pub mod rungs;
pub(crate) mod snapshots;
pub(crate) mod sweeps;

pub use head::Head;

use super::numbers::digits;
use crate::{
    ladder::Case,
    render::{Bar, Figure},
};

/// File names and pictures.
pub(crate) type Pictures = Vec<(String, Box<dyn Figure>)>;

/// A chart of every case, by the first part of its file's name.
fn each<T, F: Figure + 'static>(
    name: &str,
    all: &[T],
    case: impl Fn(&T) -> &Case,
    draw: impl Fn(&T) -> F,
) -> Pictures {
    let each = (0..).zip(all);
    each.map(|(k, of)| (named(name, k, case(of)), Box::new(draw(of)) as Box<dyn Figure>)).collect()
}

/// A bar of a speed, if it was measured.
fn speed(gpts: Option<f64>) -> Bar {
    Bar { value: gpts, text: gpts.map_or_else(|| "not run".into(), digits) }
}

/// The file of the first case has no suffix.
fn named(name: &str, index: usize, case: &Case) -> String {
    match index {
        0 => format!("{name}.png"),
        _ => {
            let size = case.size().replace(' ', "");
            format!("{name}-{size}-wing{}.png", case.operator.wing())
        }
    }
}

/// The device, the size and the operator.
fn subtitle(case: &Case, device: &str) -> String {
    let device = if device.is_empty() { "CPU" } else { device };
    format!("{device}; {}, {}", size(case), case.operator)
}

/// The name of a case in a title.
fn size(case: &Case) -> String {
    format!("{} nodes", case.size())
}
