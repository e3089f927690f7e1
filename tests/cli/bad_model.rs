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

/// Runs the small job with a density; `None` writes no file.
fn refused_density(density: &str, bytes: Option<&[u8]>) -> String {
    let key = format!("axes = \"xz\"\ndensity = {density}\n[time]");
    let folder = with_job(SMALL.replace("[time]", &key));
    if let Some(bytes) = bytes {
        let name = density.trim_matches('"');
        std::fs::write(folder.path().join(name), bytes).expect("written");
    }
    refused(folder.path(), &["shot", "job.toml", "--backend", "cpu"])
}

/// Densities of the small job's nodes as a header of Madagascar and its data.
fn rsf(spacing: u32, unit: &str) -> Vec<u8> {
    let axis = |index: u32, n: usize, label: &str| {
        format!(
            "n{index}={n} d{index}={spacing} o{index}=0 label{index}=\"{label}\" unit{index}=\"m\"\n"
        )
    };
    let header = format!(
        "{}{}unit=\"{unit}\" esize=4 data_format=\"native_float\" in=\"stdin\"\n\x0c\x0c\x04",
        axis(1, 60, "Depth"),
        axis(2, 80, "X")
    );
    let values = std::iter::repeat_n(2300f32.to_le_bytes(), 80 * 60).flatten();
    header.into_bytes().into_iter().chain(values).collect()
}

/// A density in the job, the file that it names, and parts of the message.
type Row<'a> = (&'a str, Option<Vec<u8>>, &'a [&'a str]);

#[test]
fn mistakes_in_a_density_are_named() {
    let density = |value: f32| model(|v| v.fill(value));
    let short = {
        let values = ndarray::Array2::from_elem((80, 59), 2300.0f32);
        huygens::io::npy::bytes(values.view().into_dyn())
    };
    let heavy = density(2.3e6);
    let air = model(|v| {
        v.indexed_iter_mut().for_each(|((_, z), v)| *v = if z < 4 { 1.2 } else { 1000.0 })
    });
    let rows: [Row<'_>; 16] = [
        ("\"rho.npy\"", None, &["cannot read", "rho.npy", "job.toml:8:11"]),
        ("\"rho.npy\"", Some(density(2300.0)[..40].to_vec()), &["not a whole .npy file"]),
        (
            "\"rho.npy\"",
            Some(model(|v| v[[3, 5]] = f32::NAN)),
            &["rho.npy: the density at cell x = 3, z = 5 is NaN kg/m3", "positive"],
        ),
        (
            "\"rho.npy\"",
            Some(model(|v| v[[79, 59]] = -1500.0)),
            &["rho.npy: the density at cell x = 79, z = 59 is -1500 kg/m3"],
        ),
        (
            "\"rho.npy\"",
            Some(short),
            &["rho.npy: the density has 80 x 59 nodes, but the velocity has 80 x 60", "same nodes"],
        ),
        (
            "\"rho.npy\"",
            Some(density(2.3)),
            &[
                "rho.npy: densities from 2.3 to 2.3",
                "look like g/cm3",
                "--quantity density --unit g/cm3",
            ],
        ),
        ("\"rho.npy\"", Some(heavy), &["rho.npy: densities from 2300000", "no rock or fluid"]),
        (
            "\"rho.npy\"",
            Some(air),
            &["1 to 1000 kg/m3", "x = 0, z = 3 and x = 0, z = 4", "order 2 or 4"],
        ),
        (
            "\"rho.rsf\"",
            Some(rsf(10, "kg/m3")),
            &["rho.rsf: it has 10 m between nodes along", "the velocity 20 m", "same nodes"],
        ),
        (
            "\"rho.rsf\"",
            Some(rsf(20, "m/s")),
            &["rho.rsf has its values in \"m/s\"", "kg/m3 or g/cm3"],
        ),
        ("\"rho.txt\"", Some(b"2300".to_vec()), &["rho.txt is of no known format"]),
        ("\"builtin:granite\"", None, &["no built-in model \"granite\""]),
        ("0", None, &["a density of 0 kg/m3 is not possible", "positive"]),
        ("nan", None, &["a density of NaN kg/m3 is not possible"]),
        ("2.3", None, &["a density of 2.3 kg/m3 looks like g/cm3; give 2300"]),
        ("[2300.0]", None, &["density is a list of 1", "a number, or text"]),
    ];
    for (given, bytes, parts) in rows {
        says(&refused_density(given, bytes.as_deref()), parts);
    }
    let fitted =
        SMALL.replace("[time]", "density = \"gardner\"\n[operator]\nkind = \"ete\"\n[time]");
    let folder = with_job(fitted);
    let told = refused(folder.path(), &["shot", "job.toml", "--backend", "cpu"]);
    says(&told, &["explicit time evolution is fitted to a constant density", "Taylor"]);
}
