//! Files of gathers as arrays: whole ones are read, others are refused.

use huygens::{
    grid::Position,
    io::{
        gather_arrays::{GatherArraysError, parse_hdf5, parse_npz, write_hdf5, write_npz},
        segy::Gather,
    },
};
use ndarray::Array2;
use proptest::{prelude::*, test_runner::RngSeed};
use std::io::Cursor;

/// A file of two gathers, of a kind by its extension.
pub fn whole(extension: &str) -> Vec<u8> {
    let at = |n: i64| Position { x: 12.5 * n as f64, y: 0.0, z: 5.0 };
    let gather = |record: i64| Gather {
        record,
        source: at(record),
        receivers: (0..3).map(at).collect(),
        traces: Array2::from_shape_fn((3, 7), |(r, t)| (r + t) as f32),
        interval: 2e-3,
        start: 0.5,
    };
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("whole");
    let write = if extension == "npz" { write_npz } else { write_hdf5 };
    write(&path, &[gather(1), gather(2)], false).expect("written");
    std::fs::read(path).expect("read")
}

/// Reads bytes as a file of a kind.
pub fn read(extension: &str, bytes: &[u8]) -> Result<Vec<Gather>, GatherArraysError> {
    match extension {
        "npz" => parse_npz("g.npz", Cursor::new(bytes)),
        _ => parse_hdf5("g.h5", Cursor::new(bytes.to_vec())),
    }
}

#[test]
fn gathers_cut_anywhere_are_refused() {
    for extension in ["npz", "h5"] {
        let bytes = whole(extension);
        assert_eq!(read(extension, &bytes).expect("a whole file").len(), 2);
        for end in 0..bytes.len() {
            assert!(read(extension, &bytes[..end]).is_err(), "{extension} cut at {end}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig {
        rng_seed: RngSeed::Fixed(11),
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn damaged_gathers_fit_their_receivers_or_are_refused(
        npz in any::<bool>(),
        damage in proptest::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..8),
    ) {
        let extension = if npz { "npz" } else { "h5" };
        let mut bytes = whole(extension);
        for (at, byte) in damage {
            let at = at.index(bytes.len());
            bytes[at] = byte;
        }
        for gather in read(extension, &bytes).into_iter().flatten() {
            prop_assert_eq!(gather.receivers.len(), gather.traces.nrows());
            prop_assert!(gather.interval > 0.0 && gather.start.is_finite());
        }
    }
}
