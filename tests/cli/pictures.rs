//! Pictures: that they are there, of the size asked for, say what made them, and move.

use crate::run::{self, SMALL, done, folder, huygens, names, says, small_volume, with_job};
use image::{AnimationDecoder, RgbImage, codecs::gif::GifDecoder};
use ndarray::Array3;
use png::Decoder;
use std::{fs::File, io::BufReader, ops::Range, path::Path};

/// The small job with more under `[output]`.
fn with(more: &str) -> String {
    format!("{SMALL}{more}\n")
}

/// Runs a job in a folder, on the CPU.
#[track_caller]
fn shot(folder: &Path, job: &str, more: &[&str]) {
    std::fs::write(folder.join("job.toml"), job).expect("written");
    let arguments = ["shot", "job.toml", "--backend", "cpu"];
    done(folder, &[&arguments, more].concat());
}

/// Runs a command that must be refused before it writes anything; returns what the user reads.
#[track_caller]
fn refused(job: &str, arguments: &[&str]) -> String {
    run::refused(with_job(job).path(), arguments)
}

fn reader(path: &Path) -> png::Reader<BufReader<File>> {
    let file = File::open(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    Decoder::new(BufReader::new(file)).read_info().expect("a PNG")
}

/// The frames of a movie, in the order in which they are shown.
#[track_caller]
pub fn frames(path: &Path) -> Vec<RgbImage> {
    let mut reader = reader(path);
    let (width, height) = (reader.info().width, reader.info().height);
    let control = reader.info().animation_control.expect("an animation");
    let frame = |_| {
        let mut pixels = vec![0; reader.output_buffer_size().expect("small")];
        reader.next_frame(&mut pixels).expect("a frame");
        RgbImage::from_raw(width, height, pixels).expect("as many pixels as a frame has")
    };
    (0..control.num_frames).map(frame).collect()
}

/// The fraction of a part of a frame that has the colours of a wave; across and down are fractions
/// of the frame.
pub fn coloured(frame: &RgbImage, across: Range<f64>, down: Range<f64>) -> f64 {
    let pixel = |part: f64, of: u32| (part * f64::from(of)) as u32;
    let rows = pixel(down.start, frame.height())..pixel(down.end, frame.height());
    let columns = pixel(across.start, frame.width())..pixel(across.end, frame.width());
    let strong = |x, y| frame.get_pixel(x, y).0[0].abs_diff(frame.get_pixel(x, y).0[2]) > 60;
    let all = rows.len() * columns.len();
    let strong =
        rows.flat_map(|y| columns.clone().map(move |x| (x, y))).filter(|&(x, y)| strong(x, y));
    strong.count() as f64 / all as f64
}

/// A text chunk of a picture.
#[track_caller]
pub fn text(path: &Path, keyword: &str) -> String {
    let reader = reader(path);
    let chunks = &reader.info().uncompressed_latin1_text;
    let found = chunks.iter().find(|chunk| chunk.keyword == keyword);
    found.unwrap_or_else(|| panic!("{keyword} in {}", path.display())).text.clone()
}

#[test]
fn a_movie_has_a_frame_every_so_often_and_leaves_the_snapshots_as_they_were() {
    let folder = folder();
    let movie = "movie = { every = 0.05, format = \"both\", rate = 10 }";
    shot(folder.path(), &with(movie), &[]);
    let out = folder.path().join("out");
    assert_eq!(
        names(&out),
        [
            "gather-wiggle.png",
            "gather.npy",
            "gather.png",
            "gather.sgy",
            "movie.apng",
            "movie.gif",
            "run.json",
            "snapshots",
            "snapshots.npy"
        ]
    );
    let kept: Array3<f32> = ndarray_npy::read_npy(out.join("snapshots.npy")).expect("an array");
    assert_eq!(kept.dim(), (1, 80, 60), "frames are no snapshots");

    // 0, 0.05, ... 0.4 s.
    let mut reader = reader(&out.join("movie.apng"));
    assert_eq!(reader.info().animation_control.map(|control| control.num_frames), Some(9));
    let mut frames = Vec::new();
    for _ in 0..9 {
        let mut pixels = vec![0; reader.output_buffer_size().expect("small")];
        reader.next_frame(&mut pixels).expect("a frame");
        let control = reader.info().frame_control.expect("a frame");
        assert_eq!((control.delay_num, control.delay_den), (1, 10));
        frames.push(pixels);
    }
    assert!(frames.windows(2).all(|pair| pair[0] != pair[1]), "each has its own time");
    // The picture of a snapshot, drawn as a frame is: of half as many pixels.
    let still = image::open(out.join("snapshots/t0000100.png")).expect("a picture");
    assert_eq!(
        (reader.info().width, reader.info().height),
        (still.width() / 2, still.height().div_ceil(2))
    );

    let file = BufReader::new(File::open(out.join("movie.gif")).expect("there"));
    let frames = GifDecoder::new(file).expect("a GIF").into_frames();
    let frames = frames.collect_frames().expect("frames");
    assert_eq!(frames.len(), 9);
    assert_eq!(frames[0].delay().numer_denom_ms(), (100, 1));
    let record = std::fs::read_to_string(out.join("run.json")).expect("a record");
    assert!(record.contains("\"movie.apng\"") && record.contains("\"every\": 0.05"));
}

#[test]
fn a_flag_requests_a_movie() {
    let folder = folder();
    let movie = |job: &[&str], more: &[&str]| {
        let words = [&["shot", "--backend", "cpu", "--out", "flag", "--force"], job, more].concat();
        done(folder.path(), &words);
        let movie = folder.path().join("flag/movie.apng");
        movie.exists().then(|| frames(&movie).len())
    };
    // The built-in job has a frame every 0.1 s.
    let built_in = ["--set", "time.duration=0.4", "--set", "output.snapshots=[]"];
    assert_eq!(movie(&built_in, &[]), None);
    assert_eq!(movie(&built_in, &["--movie"]), Some(5));
    assert_eq!(movie(&built_in, &["--set", "output.movie.every=0.2"]), Some(3));
    std::fs::write(folder.path().join("job.toml"), SMALL).expect("written");
    assert_eq!(movie(&["job.toml"], &[]), None);
    assert_eq!(movie(&["job.toml"], &["--movie"]), Some(41));
    std::fs::write(folder.path().join("job.toml"), with("movie = { every = 0.2 }"))
        .expect("written");
    for flag in [&[][..], &["--movie"]] {
        assert_eq!(movie(&["job.toml"], flag), Some(3), "the key decides");
    }
    let both = ["shot", "job.toml", "--movie", "--no-pictures"];
    says(&run::refused(folder.path(), &both), &["--no-pictures"]);
}

#[test]
fn the_frames_of_a_movie_may_be_the_snapshots_and_each_shot_has_its_own() {
    let folder = folder();
    let one = SMALL
        .replace("[[source]]", "[[shot]]\n[[shot.source]]")
        .replace("[0.2]", "[0.1, 0.2, 0.3]\nmovie = {}");
    let other = "[[shot]]\n[[shot.source]]\nat = { x = 0.0, z = 0.0 }\n\
                 wavelet = { kind = \"ricker\", peak_hz = 12.0, delay = 0.1 }\n";
    shot(folder.path(), &format!("{one}\n{other}"), &[]);
    let movie = |shot: &str| folder.path().join("out").join(shot).join("movie.apng");
    for shot in ["shot0001", "shot0002"] {
        let control = reader(&movie(shot)).info().animation_control;
        assert_eq!(control.map(|control| control.num_frames), Some(3), "{shot}");
        assert!(text(&movie(shot), "Title").contains(&format!(", shot {},", &shot[7..])));
    }
    let bytes = |shot| std::fs::read(movie(shot)).expect("there");
    assert_ne!(bytes("shot0001"), bytes("shot0002"));
}

#[test]
fn a_volume_moves_in_three_planes() {
    let folder = folder();
    let job = small_volume().replace("[0.2]", "[0.2]\nmovie = { every = 0.1 }");
    shot(folder.path(), &job, &[]);
    let out = folder.path().join("out");
    assert_eq!(names(&out.join("snapshots")), ["t0000100.npy", "t0000100.png"]);
    let movie = reader(&out.join("movie.apng"));
    assert_eq!(movie.info().animation_control.map(|control| control.num_frames), Some(5));
    let still = image::open(out.join("snapshots/t0000100.png")).expect("a picture");
    assert!(movie.info().width.abs_diff(still.width() / 2) <= 1);
}

#[test]
fn invalid_movies_are_refused() {
    let refused = |movie: &str| {
        refused(&with(&format!("movie = {{ {movie} }}")), &["shot", "job.toml", "--backend", "cpu"])
    };
    says(&refused("every = 0.0"), &["frames is 0 s", "above 0", "job.toml:20:"]);
    says(&refused("every = nan"), &["above 0"]);
    says(&refused("every = 1e-9"), &["at most 2000", "every = 0.00021 or more", "job.toml:20:"]);
    says(&refused(""), &["has 1 as snapshots", "every = 0.05", "job.toml:20:"]);
    says(&refused("every = 0.5"), &["one every 0.5 s of 0.4 s is 1", "shorter", "job.toml:20:"]);
    says(&refused("every = 0.1, rate = 0"), &["0 frames a second", "1 to 50"]);
    says(&refused("every = 0.1, rate = 51"), &["51 frames a second", "1 to 50"]);
    says(&refused("every = 0.1, format = \"mp4\""), &["mp4", "apng"]);
}

#[test]
fn every_picture_has_the_size_asked_for_and_says_what_made_it() {
    let folder = folder();
    let job = with("movie = { every = 0.1 }");
    shot(folder.path(), &job, &["--figure-size", "16x14cm", "--dpi", "100", "--out", "in cm"]);
    let out = folder.path().join("in cm");
    for name in ["gather.png", "gather-wiggle.png", "snapshots/t0000100.png", "movie.apng"] {
        let path = out.join(name);
        let size = (reader(&path).info().width, reader(&path).info().height);
        assert_eq!(size, if name == "movie.apng" { (315, 275) } else { (630, 551) }, "{name}");
        let command =
            "huygens shot job.toml --backend cpu --figure-size 16x14cm --dpi 100 --out 'in cm'";
        assert_eq!(text(&path, "Command"), command);
        assert_eq!(text(&path, "Job"), job);
        assert!(text(&path, "Title").starts_with("builtin:layers"), "{name}");
        assert!(
            text(&path, "Software").starts_with(&format!("huygens {}", env!("CARGO_PKG_VERSION")))
        );
        let dims = reader(&path).info().pixel_dims.map(|dims| dims.xppu);
        assert_eq!(dims, Some(if name == "movie.apng" { 1969 } else { 3937 }), "{name}");
    }

    // A job says it too; the command line goes before it.
    let job = with("figures = { size = \"1000x800\", dpi = 100 }");
    shot(folder.path(), &job, &["--out", "job"]);
    shot(folder.path(), &job, &["--out", "flag", "--figure-size", "900x700"]);
    let size = |out: &str| {
        image::image_dimensions(folder.path().join(out).join("gather.png")).expect("a picture")
    };
    assert_eq!((size("job"), size("flag")), ((1000, 800), (900, 700)));
    shot(folder.path(), SMALL, &["--out", "plain"]);
    shot(folder.path(), SMALL, &["--out", "fine", "--dpi", "225"]);
    let (plain, fine) = (size("plain"), size("fine"));
    assert_eq!((plain.0 * 3 / 2, plain.1 * 3 / 2), fine, "as large on paper");

    let plot = ["model", "plot", "builtin:layers", "--out", "m.png", "--figure-size", "800x600"];
    assert!(huygens(folder.path(), &plot).status.success());
    let check = ["check", "job.toml", "--out", "check", "--figure-size", "1000x700"];
    assert!(huygens(folder.path(), &check).status.success());
    for (name, size) in [("m.png", (800, 600)), ("check/check.png", (1000, 700))] {
        let path = folder.path().join(name);
        assert_eq!(image::image_dimensions(&path).ok(), Some(size), "{name}");
        assert!(text(&path, "Command").starts_with("huygens ") && !text(&path, "Title").is_empty());
    }
}

#[test]
fn a_gain_changes_the_pictures_of_gathers_alone_and_a_bad_one_is_refused() {
    let folder = folder();
    shot(folder.path(), SMALL, &["--out", "plain"]);
    let gains = [("power", "gain = 2"), ("agc", "agc = 0.1"), ("clip", "clip = 50")];
    let bytes =
        |out: &str, name: &str| std::fs::read(folder.path().join(out).join(name)).expect("a file");
    for (out, gain) in gains {
        shot(folder.path(), &with(&format!("figures = {{ {gain} }}")), &["--out", out]);
        let pixels = |out: &str, name: &str| {
            image::open(folder.path().join(out).join(name)).expect("a picture").to_rgb8()
        };
        assert_eq!(bytes("plain", "gather.npy"), bytes(out, "gather.npy"), "{gain}");
        for (name, same) in
            [("gather.png", false), ("gather-wiggle.png", false), ("snapshots/t0000100.png", true)]
        {
            assert_eq!(pixels("plain", name) == pixels(out, name), same, "{gain}, {name}");
        }
    }
    for (bad, words) in [
        ("font_size = 2", ["2 points", "5 to 20"]),
        ("gain = -1", ["-1", "0 to 10"]),
        ("agc = 0.0", ["0 s", "above 0"]),
        ("clip = 101", ["101", "98.5"]),
    ] {
        says(&refused(&with(&format!("figures = {{ {bad} }}")), &["shot", "job.toml"]), &words);
    }
}

#[test]
fn sizes_that_leave_no_room_are_refused_before_the_run() {
    let size = |arguments: &[&str]| {
        refused(SMALL, &[&["shot", "job.toml", "--backend", "cpu"], arguments].concat())
    };
    says(&size(&["--figure-size", "300x200"]), &["300 x 200", "600 x 450", "at most 66 dpi"]);
    says(&size(&["--figure-size", "900x700", "--dpi", "300"]), &["too small", "1200 x 900"]);
    says(&size(&["--figure-size", "4x3cm"]), &["4x3cm", "at least 4.9x3.7cm"]);
    says(&size(&["--figure-size", "20000x700"]), &["too large", "16384"]);
    says(&size(&["--figure-size", "16in"]), &["16in", "16x9cm"]);
    says(&size(&["--dpi", "5000"]), &["5000 dpi", "30 to 1200"]);
    says(&size(&["--dpi", "-1"]), &["-1 dpi", "30 to 1200"]);
    let job = with("figures = { size = \"wide\" }");
    says(&refused(&job, &["shot", "job.toml"]), &["wide", "16x9cm", "job.toml:20:"]);
    let plot = ["model", "plot", "builtin:salt3d", "--out", "m.png", "--figure-size", "700x700"];
    says(&refused(SMALL, &plot), &["700 x 700", "900 x 850"]);
}
