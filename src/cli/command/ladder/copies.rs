//! What copies between host and device cost, as text.

use super::table::us;
use crate::{
    cli::terminal::table::{Column, NONE, add, percent, table, tenths},
    engine::gpu::bench::Copies,
    ladder::{CopyTimes, Measured, Thesis, TripTimes},
    results::{ladder::copies::of_copies, numbers::digits},
};
use comfy_table::Table;
use std::fmt::Write;

pub(crate) fn tables(copies: &[CopyTimes]) -> String {
    let mut text = String::new();
    for copied in copies {
        let _ = writeln!(
            text,
            "{}: the field to the device and the Laplacian back, at every step",
            copied.case
        );
        let columns: [Column<'_, &TripTimes>; 9] = [
            ("kernel", &|trip| trip.name.into()),
            ("copies", &|trip| of_copies(trip.copies).into()),
            ("upload", &|trip| us(trip.upload)),
            ("kernel", &|trip| us(trip.kernel)),
            ("download", &|trip| us(trip.download)),
            ("round trip", &|trip| us(trip.round_trip)),
            ("outside kernel", &|trip| percent(trip.share_outside, 0)),
            ("resident", &|trip| us(trip.resident)),
            ("residency buys", &|trip| format!("{:.1} x", trip.gain)),
        ];
        let mut table = table(&copied.trips, 2, &columns);
        if let Some(thesis) = copied.comparable() {
            add_thesis(&mut table, thesis);
        }
        let _ = writeln!(
            text,
            "{table}\nmicroseconds a step; an empty submit and the wait for it take {} us of each part",
            us(copied.submit)
        );
        for trip in copied.trips.iter().filter(|trip| trip.copies == Copies::Whole) {
            let _ = writeln!(text, "{}", shares(trip, copied.case.nodes()));
        }
    }
    text + "GB/s: 4 bytes a node up and down, 8 in the kernel.\n\
            As in Sadahiro (2014), the field is on the host, which makes the time step; its arithmetic there is not counted.\n\
            Kernels by the device's clock where it has one, the rest by the wall. Resident: a step of the wave equation."
}

/// Adds the rows of the K20m.
fn add_thesis(table: &mut Table, thesis: &Thesis) {
    for (index, copies) in ["1-D memcpy", "2-D memcpy"].into_iter().enumerate() {
        // Fractions and predictions refer to the final version, which pads.
        let padded = |text: String| if index == 1 { text } else { NONE.into() };
        let cells = [
            "5 two passes, K20m".into(),
            copies.into(),
            tenths(thesis.upload_us[index]),
            tenths(thesis.kernel_us),
            tenths(thesis.download_us[index]),
            NONE.into(),
            padded(percent(thesis.share_of_transfers, 0)),
            NONE.into(),
            padded(format!("hoped: {:.0} x", thesis.hoped_for)),
        ];
        add(table, cells, 2);
    }
}

/// The share and the rate of each part of a round trip of so many nodes.
fn shares(trip: &TripTimes, nodes: f64) -> String {
    let part = |time: Measured, bytes: f64| {
        let share = percent(time.seconds / trip.round_trip.seconds, 0);
        (share, digits(1e-9 * bytes * nodes / time.seconds))
    };
    let [up, kernel, down] =
        [part(trip.upload, 4.0), part(trip.kernel, 8.0), part(trip.download, 4.0)];
    format!(
        "{}, {}: up {} of the round trip, {} GB/s; kernel {}, {} GB/s; down {}, {} GB/s",
        trip.name,
        of_copies(trip.copies),
        up.0,
        up.1,
        kernel.0,
        kernel.1,
        down.0,
        down.1
    )
}
