//! Model files that are none: exit code 2, what is wrong, and nothing left behind.

use crate::run::{SMALL, refused, says, with_job};

/// Runs the small job with a model file; returns what the user reads.
fn refused_model(bytes: Option<&[u8]>, more: &[&str]) -> String {
    let folder = with_job(SMALL.replace("nodes = { z = 60, x = 80 }\n", ""));
    if let Some(bytes) = bytes {
        std::fs::write(folder.path().join("v.npy"), bytes).expect("written");
    }
    let arguments = ["shot", "job.toml", "--backend", "cpu", "--model", "v.npy"];
    refused(folder.path(), &[&arguments, more].concat())
}

/// An array of f32 as a file, with something done to it first.
fn model(change: impl FnOnce(&mut ndarray::Array2<f32>)) -> Vec<u8> {
    let mut velocity = ndarray::Array2::from_elem((80, 60), 2000.0f32);
    change(&mut velocity);
    huygens::io::npy::bytes(velocity.view().into_dyn())
}

#[test]
fn mistakes_in_a_model_file_are_named() {
    let xz = ["--axes", "xz"];
    says(&refused_model(None, &xz), &["cannot read", "v.npy"]);
    let whole = model(|_| ());
    says(
        &refused_model(Some(&whole[..whole.len() - 10]), &xz),
        &["not a whole .npy file", "[80, 60]", "bytes follow"],
    );
    says(&refused_model(Some(&whole[..40]), &xz), &["not a whole .npy file"]);
    says(&refused_model(Some(b""), &xz), &["not a whole .npy file"]);
    let long = [whole.clone(), vec![0; 4]].concat();
    says(&refused_model(Some(&long), &xz), &["bytes follow"]);
    says(
        &refused_model(Some(&model(|v| v[[3, 5]] = f32::NAN)), &xz),
        &["x = 3, z = 5", "NaN", "positive"],
    );
    says(
        &refused_model(Some(&model(|v| v[[79, 59]] = -1500.0)), &xz),
        &["x = 79, z = 59", "-1500"],
    );
    says(&refused_model(Some(&whole), &[]), &["does not name its axes", "xz", "zx"]);
    says(&refused_model(Some(&whole), &["--axes", "xz", "--spacing", "-5"]), &["spacing", "-5"]);
    // The axes the wrong way round: the receivers no longer fit.
    says(&refused_model(Some(&whole), &["--axes", "zx"]), &["outside the model"]);
    let bomb =
        String::from_utf8_lossy(&whole[10..128]).replace("(80, 60)", "(99999999999, 99999999999)");
    let mut file = whole[..8].to_vec();
    file.extend((bomb.len() as u16).to_le_bytes());
    file.extend(bomb.as_bytes());
    says(&refused_model(Some(&file), &xz), &["not a whole .npy file"]);
    let mut typed = whole.clone();
    let at = typed.windows(3).position(|w| w == b"<f4").expect("a type");
    typed[at..at + 3].copy_from_slice(b"<i4");
    says(&refused_model(Some(&typed), &xz), &["<i4", "f32 or f64"]);
}
