//! Deepwave and Devito, in the Python that `HUYGENS_PEERS` names; `cargo xtask test --peers`
//! installs them.

use super::models::Case;
use huygens::io::npy;
use ndarray::{Array2, Array3, Axis, Ix2};
use std::{
    ffi::OsString,
    fs,
    path::{Path, PathBuf},
    process::Command,
};

/// A code, and the numbers that it computes in.
pub const DEEPWAVE: [&str; 2] = ["deepwave", "float64"];
pub const DEEPWAVE_F32: [&str; 2] = ["deepwave", "float32"];
pub const DEVITO: [&str; 2] = ["devito", "float64"];
/// Deepwave's propagator of variable density.
pub const ACOUSTIC: [&str; 2] = ["acoustic", "float64"];

pub struct Peers(OsString);

impl Peers {
    /// The peers, if they are installed; otherwise prints a note.
    pub fn here() -> Option<Self> {
        let python = std::env::var_os("HUYGENS_PEERS");
        if python.is_none() {
            println!("NOT RUN: Deepwave and Devito are not here; run cargo xtask test --peers");
        }
        python.map(Peers)
    }

    /// The window of Marmousi, beside the Python's `bin`.
    pub fn marmousi(&self) -> PathBuf {
        let folder = Path::new(&self.0).ancestors().nth(2).expect("bin and its folder");
        folder.join("models/marmousi.npz")
    }

    /// The gathers of these codes, `[receiver][time]`, in our amplitudes.
    pub fn gathers<const N: usize>(&self, case: &Case, codes: [[&str; 2]; N]) -> [Array2<f64>; N] {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let skipped = usize::from(!case.is_volume());
        let told = serde_json::json!({
            "spacing": case.spacing,
            "step": case.step,
            "peak": case.peak_hz,
            "wavelet": case.wavelet(),
            "source": case.source[skipped..],
            "receivers": case.receivers.iter().map(|r| &r[skipped..]).collect::<Vec<_>>(),
            "free": case.free,
            "layer": case.layer,
            "beyond": case.beyond,
            "clear": case.clear(),
        });
        let write = |name: &str, bytes: &[u8]| fs::write(folder.path().join(name), bytes);
        write("case.json", told.to_string().as_bytes()).expect("a place");
        let bytes = |values: &Array3<f32>| match case.is_volume() {
            true => npy::bytes(values.view().into_dyn()),
            false => npy::bytes(values.index_axis(Axis(0), 0).into_dyn()),
        };
        write("velocity.npy", &bytes(&case.velocity)).expect("a place");
        if let Some(density) = &case.density {
            write("density.npy", &bytes(density)).expect("a place");
        }
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/physics/held_out/peer.py");
        codes.map(|[code, kind]| {
            let mut python = Command::new(&self.0);
            python.arg(&script).arg(folder.path()).args([code, kind]);
            let output = python.output().expect("it runs");
            assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
            let gather = folder.path().join(format!("{code}-{kind}.npy"));
            let gather = npy::read::<f64>(&gather).expect("a whole file");
            gather.into_dimensionality::<Ix2>().expect("two axes")
        })
    }
}
