//! `huygens plot`, `huygens gather qc` and several records in one picture.

use crate::{
    pictures::text,
    rtm,
    run::{SMALL, done, folder, huygens, names, refused, said, says, small_volume, with_job},
    survey::SURVEY,
};
use std::{fs, path::Path};

fn pixels(path: impl AsRef<Path>) -> image::RgbImage {
    image::open(path.as_ref()).expect("a picture").into_rgb8()
}

/// Runs a job on the CPU into the folder `out`, and draws a result of it.
fn plotted(at: &Path, result: &str, more: &[&str]) -> image::RgbImage {
    let plot = ["plot", result, "--out", "plot.png", "--force"];
    done(at, &[&plot, more].concat());
    pixels(at.join("plot.png"))
}

/// Pixel for pixel: the run draws before it writes, and `plot` reads what it wrote.
#[test]
fn a_result_is_drawn_as_its_run_draws_it() {
    let folder = with_job(SMALL);
    let at = folder.path();
    done(at, &["shot", "job.toml", "--backend", "cpu"]);
    for (result, picture) in
        [("gather.npy", "gather.png"), ("snapshots.npy", "snapshots/t0000100.png")]
    {
        let drawn = plotted(at, &format!("out/{result}"), &[]);
        assert!(drawn == pixels(at.join("out").join(picture)), "{result}");
        for more in [
            &["--colours", "grey"][..],
            &["--clip", "50"],
            &["--largest", "1e-3"],
            &["--units", "m"],
            &["--title", "another"],
            &["--font-size", "9"],
        ] {
            let other = plotted(at, &format!("out/{result}"), more);
            // A gather is grey by default, up to rounding.
            let is_grey = result == "gather.npy" && more[1] == "grey";
            let pairs = other.as_raw().iter().zip(drawn.as_raw());
            let apart = pairs.map(|(one, other)| one.abs_diff(*other)).max().unwrap_or(0);
            let is_same = other.dimensions() == drawn.dimensions() && apart <= 1;
            assert_eq!(is_same, is_grey, "{result} {more:?}: {apart}");
        }
    }
    assert!(
        plotted(at, "out/snapshots.npy", &["--overlays", "off"])
            != plotted(at, "out/snapshots.npy", &[])
    );
    let words = ["plot", "out/snapshots.npy", "--number", "2", "--out", "no.png"];
    says(&refused(at, &words), &["1 snapshot;", "--number from 1 to 1"]);
}

/// Angle gathers are panels with their own axis, as many as fit; in a section each record of SEG-Y has a trace.
#[test]
fn gathers_and_sections_are_drawn_as_their_run_draws_them() {
    let folder = with_job(rtm::JOB);
    let at = folder.path();
    let sets = [
        "rtm.offsets={ along = \"both\", most = 40.0, step = 20.0 }",
        "rtm.angles={ most = 30.0, step = 10.0 }",
        "survey.line.count=1",
    ];
    let sets: Vec<_> = sets.iter().flat_map(|set| ["--set", *set]).collect();
    done(at, &[&["rtm", "job.toml", "--backend", "cpu"], &sets[..]].concat());
    let drawn = plotted(at, "out/angles.npy", &[]);
    assert!(drawn == pixels(at.join("out/angles.png")));
    for name in ["offsets-x", "offsets-z"] {
        assert!(plotted(at, &format!("out/{name}.npy"), &[]) != drawn, "{name}");
    }
    // A small picture has fewer panels.
    for size in ["800x700", "600x450"] {
        let more = ["--out", size, "--figure-size", size];
        done(at, &[&["rtm", "job.toml", "--backend", "cpu"], &more[..], &sets].concat());
        let (width, height) = pixels(at.join(size).join("angles.png")).dimensions();
        assert_eq!(format!("{width}x{height}"), size);
    }
    done(at, &["zero-offset", "job.toml", "--backend", "cpu", "--out", "section"]);
    plotted(at, "section/section.sgy", &[]);
    assert_eq!(text(&at.join("plot.png"), "Title"), "section.sgy");
}

#[test]
fn a_volume_and_a_job_with_keys_of_look_are_drawn_as_their_run_draws_them() {
    let keys = "figures = { font_size = 10, units = \"m\", overlays = false, colours = \"magma\" }";
    let folder = with_job(format!("{}volumes = true\n{keys}\n", small_volume()));
    let at = folder.path();
    done(at, &["shot", "job.toml", "--backend", "cpu"]);
    let drawn = pixels(at.join("out/snapshots/t0000100.png"));
    assert!(plotted(at, "out/snapshots/t0000100.npy", &[]) == drawn);
    let usual = ["--out", "usual", "--set", "output.figures.colours=grey"];
    done(at, &[&["shot", "job.toml", "--backend", "cpu"], &usual[..]].concat());
    assert!(pixels(at.join("usual/snapshots/t0000100.png")) != drawn);
}

/// 8.4 cm at 150 pixels to the inch: 496 pixels, as 8.4 / 2.54 x 150 = 496.06.
#[test]
fn a_figure_fits_the_column_of_a_journal() {
    let folder = folder();
    let column = ["--figure-size", "8.4x8cm"];
    let image = |words: &[&str]| {
        done(folder.path(), &[words, &column[..], &["--out", "c.png", "--force"]].concat());
        pixels(folder.path().join("c.png"))
    };
    for model in ["builtin:salt", "builtin:salt3d"] {
        let drawn = image(&["plot", model]);
        assert_eq!(drawn.dimensions(), (496, 472));
        // Nothing is cut at the edges.
        let white = |x: u32, y: u32| drawn.get_pixel(x, y).0 == [255; 3];
        assert!((0..472).all(|y| white(0, y) && white(495, y)), "{model}");
        assert!((0..496).all(|x| white(x, 0) && white(x, 471)), "{model}");
    }
}

#[test]
fn pictures_that_can_be_enlarged_have_outlines_and_an_image() {
    let folder = folder();
    let at = folder.path();
    done(at, &["plot", "builtin:layers", "--out", "m.svg"]);
    done(at, &["plot", "builtin:layers", "--out", "m.pdf"]);
    let text = fs::read_to_string(at.join("m.svg")).expect("a text");
    let elements = |name: &str| {
        let reader = xml::EventReader::from_str(&text);
        let named = reader.into_iter().filter(|event| match event.as_ref().expect("XML") {
            xml::reader::XmlEvent::StartElement { name: own, .. } => own.local_name == name,
            _ => false,
        });
        named.count()
    };
    // The model and its colour bar; frames, ticks and letters.
    assert_eq!(elements("image"), 2);
    assert!(elements("path") > 20);
    let bytes = fs::read(at.join("m.pdf")).expect("a file");
    assert!(bytes.starts_with(b"%PDF-") && bytes.trim_ascii_end().ends_with(b"%%EOF"));
    let count = |word: &[u8]| bytes.windows(word.len()).filter(|of| *of == word).count();
    assert_eq!(count(b"/Subtype /Image") + count(b"/Subtype/Image"), 2);
}

/// A run writes each picture in each format, with one title; and `plot` takes the job's title.
#[test]
fn a_job_names_the_formats_and_the_title_of_its_pictures() {
    let figures = "figures = { title = \"Layers <a>\", formats = [\"png\", \"svg\", \"pdf\"] }\n";
    let folder = with_job(SMALL.to_owned() + figures);
    let at = folder.path();
    done(at, &["shot", "job.toml", "--backend", "cpu"]);
    let files = names(&at.join("out"));
    for of in ["gather", "gather-wiggle"] {
        for ending in ["png", "svg", "pdf"] {
            assert!(files.contains(&format!("{of}.{ending}")), "{files:?}");
        }
    }
    assert_eq!(text(&at.join("out/gather.png"), "Title"), "Layers <a>");
    let svg = fs::read_to_string(at.join("out/snapshots/t0000100.svg")).expect("a picture");
    assert!(
        svg.contains("<title>Layers &lt;a></title>")
            || svg.contains("<title>Layers &lt;a&gt;</title>")
    );
    plotted(at, "out/gather.npy", &[]);
    assert_eq!(text(&at.join("plot.png"), "Title"), "Layers <a>");
    plotted(at, "out/gather.npy", &["--title", "other"]);
    assert_eq!(text(&at.join("plot.png"), "Title"), "other");
    // Without PNG there is none.
    let only = ["--set", "output.figures.formats=[\"pdf\"]", "--out", "only"];
    done(at, &[&["shot", "job.toml", "--backend", "cpu"], &only[..]].concat());
    assert!(!names(&at.join("only")).iter().any(|name| name.ends_with(".png")));
    let none = ["--set", "output.figures.formats=[]", "--out", "none"];
    let words = [&["shot", "job.toml", "--backend", "cpu"], &none[..]].concat();
    says(&refused(at, &words), &["formats is empty", "output.pictures"]);
}

/// Six panels in rows of two; in a column one below the other.
#[test]
fn a_page_of_panels_fits_the_column_of_a_journal() {
    let folder = with_job(SURVEY);
    let at = folder.path();
    done(at, &["shot", "job.toml", "--backend", "cpu", "--no-pictures"]);
    let page = |size: &str| {
        let words = ["gather", "qc", "out/gathers.sgy", "--out", "qc.png", "--force"];
        huygens(at, &[&words[..], &["--figure-size", size]].concat())
    };
    let output = page("8.4x24cm");
    assert!(output.status.success(), "{}", said(&output));
    let drawn = pixels(at.join("qc.png"));
    assert_eq!(drawn.width(), 496);
    // The bars of the offsets, blue, are wider than half of the page.
    let blue = drawn.rows().map(|row| row.filter(|pixel| pixel.0 == [24, 84, 148]).count());
    assert!(blue.max() > Some(250));
    let output = page("8.4x8cm");
    says(&said(&output), &["too small", "at least"]);
}

/// Twelve shots at 100, 220 ... 1420 m, with receivers to 400 m on both sides, as far as the model goes.
#[test]
fn the_quality_of_a_file_is_on_one_page_and_in_a_table() {
    let folder = with_job(SURVEY);
    let at = folder.path();
    done(at, &["shot", "job.toml", "--backend", "cpu", "--no-pictures"]);
    let output = done(at, &["gather", "qc", "out/gathers.sgy", "--out", "qc.png"]);
    let table = String::from_utf8(output.stdout).expect("text");
    let row = |name: &str| -> Vec<String> {
        let line = table.lines().find(|line| line.trim_start().starts_with(name));
        let line = line.unwrap_or_else(|| panic!("{name} in {table}"));
        line.trim_start()[name.len()..].split_whitespace().map(str::to_owned).collect()
    };
    assert_eq!(row("source x, m"), ["100", "820", "1420"]);
    assert_eq!(row("offset, m")[0], "0");
    assert_eq!(row("offset, m")[2], "400");
    says(&table, &["228 traces: ", "0 with samples that are not finite"]);
    assert!(pixels(at.join("qc.png")).width() == 1600);
    says(&refused(at, &["gather", "qc", "out/gathers.sgy", "--out", "qc.png"]), &["--force"]);

    let plot = ["gather", "plot", "out/gathers.sgy", "--out", "r.png", "--force"];
    let one = {
        done(at, &plot);
        pixels(at.join("r.png"))
    };
    done(at, &[&plot[..], &["--records", "1,6,12"]].concat());
    assert!(pixels(at.join("r.png")) != one);
    let small = ["--records", "1,6,12", "--figure-size", "8x3cm"];
    says(&said(&huygens(at, &[&plot[..], &small].concat())), &["8x3cm", "at least"]);
}
