//! The runs whose outputs are compared.

/// A run on each engine.
pub struct Case {
    pub name: &'static str,
    /// The command; the job is found by its name in `assets/jobs`, or here in [`JOBS`].
    pub words: &'static [&'static str],
    /// Keys of the job that make it small.
    pub set: &'static [&'static str],
}

const fn case(
    name: &'static str,
    words: &'static [&'static str],
    set: &'static [&'static str],
) -> Case {
    Case { name, words, set }
}

/// Jobs of this chore, for commands that no shipped job is for.
pub const JOBS: [(&str, &str); 1] = [(
    "observed",
    r#"
[model]
velocity = "builtin:homogeneous"
nodes = { x = 61, z = 51 }
spacing = 20.0

[time]
duration = 0.8
record = 0.004

[survey]
line = { first = { x = 200.0, z = 40.0 }, increment = { x = 400.0 }, count = 3 }
wavelet = { kind = "ricker", peak_hz = 8.0 }

[receivers]
line = { from = { x = 40.0, z = 960.0 }, to = { x = 1160.0, z = 960.0 }, count = 57 }

[invert]
bands = [6.0, 12.0]
iterations = 2
"#,
)];

/// Commands on the CPU that make what some cases read: models and observed traces.
pub const INPUTS: [&[&str]; 5] = [
    &["model", "build", "layers", "--nodes", "z=51,x=61", "--spacing", "20", "--out", "true.rsf"],
    &["model", "convert", "true.rsf", "start.rsf", "--smooth", "200"],
    &[
        "shot",
        "observed.toml",
        "--model",
        "true.rsf",
        "--backend",
        "cpu",
        "--out",
        "observed",
        "--no-pictures",
    ],
    &[
        "shot",
        "thesis.toml",
        "--set",
        "time.duration=2.0",
        "--set",
        "output.snapshots=[]",
        "--backend",
        "cpu",
        "--out",
        "recorded",
        "--no-pictures",
    ],
    &[
        "zero-offset",
        "thesis.toml",
        "--set",
        "time.duration=1.5",
        "--set",
        "output.snapshots=[]",
        "--backend",
        "cpu",
        "--out",
        "section",
        "--no-pictures",
    ],
];

/// A small volume in place of a large one.
const VOLUME: &[&str] = &[
    "model.nodes={z=40,x=48,y=36}",
    "time.duration=0.1",
    "source[0].at={x=200.0,y=150.0,z=100.0}",
    "receivers.line={from={x=0.0,y=150.0,z=20.0},to={x=350.0,y=150.0,z=20.0},count=36}",
];

/// Every job that ships, made small, and every command that runs one.
pub const CASES: [Case; 34] = [
    case(
        "thesis",
        &["shot", "thesis.toml"],
        &["time.duration=1.0", "output.snapshots=[0.1,1.0]", "output.movie.every=0.25"],
    ),
    case(
        "thesis-source-1",
        &["shot", "thesis-source-1.toml"],
        &["time.duration=0.5", "output.snapshots=[0.5]"],
    ),
    case(
        "thesis-source-3",
        &["shot", "thesis-source-3.toml"],
        &["time.duration=0.5", "output.snapshots=[0.5]"],
    ),
    case("ete", &["shot", "ete.toml"], &["time.duration=0.6", "output.snapshots=[0.6]"]),
    case("density", &["shot", "density.toml"], &["time.duration=0.4"]),
    case("vti", &["shot", "vti.toml"], &["time.duration=0.2", "output.snapshots=[0.2]"]),
    case(
        "dispersive",
        &["shot", "dispersive.toml"],
        &["time.duration=1.0", "output.snapshots=[1.0]"],
    ),
    case(
        "dispersion-corrected",
        &["shot", "dispersive.toml"],
        &["time.duration=1.0", "time.dispersion=\"corrected\"", "output.snapshots=[]"],
    ),
    case(
        "unstable",
        &["shot", "unstable.toml", "--force"],
        &["time.duration=0.9", "output.snapshots=[0.3]"],
    ),
    case(
        "survey",
        &["shot", "survey.toml"],
        &["time.duration=0.6", "survey.line={first={x=400.0,z=20.0},increment={x=3000.0},count=4}"],
    ),
    case(
        "sinc-of-short-wing",
        &["shot", "thesis.toml"],
        &["time.duration=0.3", "operator.wing=3", "output.snapshots=[0.3]"],
    ),
    case(
        "sinc-of-long-wing",
        &["shot", "thesis.toml"],
        &["time.duration=0.3", "operator.wing=13", "output.snapshots=[0.3]"],
    ),
    case(
        "order-2",
        &["shot", "survey.toml"],
        &["time.duration=0.3", "operator.order=2", "survey.line.count=2"],
    ),
    case(
        "order-12",
        &["shot", "survey.toml"],
        &["time.duration=0.3", "operator.order=12", "survey.line.count=2"],
    ),
    case(
        "wing-9",
        &["shot", "survey.toml"],
        &["time.duration=0.3", "operator={kind=\"windowed-sinc\",wing=9}", "survey.line.count=2"],
    ),
    case(
        "wing-16",
        &["shot", "survey.toml"],
        &["time.duration=0.3", "operator={kind=\"windowed-sinc\",wing=16}", "survey.line.count=2"],
    ),
    case(
        "marine-line",
        &["shot", "marine-line.toml"],
        &[
            "model.nodes={x=401,z=101}",
            "window.margin=300",
            "survey.line.count=3",
            "time.duration=0.5",
        ],
    ),
    case("cube512", &["shot", "cube512.toml"], VOLUME),
    case("cube-of-order-4", &["shot", "cube512.toml", "--set", "operator.order=4"], VOLUME),
    case(
        "cube-of-wing-10",
        &["shot", "cube512.toml", "--set", "operator={kind=\"windowed-sinc\",wing=10}"],
        VOLUME,
    ),
    case(
        "fang-320x320x912",
        &["shot", "fang-320x320x912.toml", "--set", "output.snapshots=[0.05]"],
        VOLUME,
    ),
    case(
        "fang-ete-320x320x912",
        &["shot", "fang-ete-320x320x912.toml", "--set", "output.snapshots=[0.05]"],
        VOLUME,
    ),
    case("micikevicius-480x480x480", &["shot", "micikevicius-480x480x480.toml"], VOLUME),
    case(
        "salt3d",
        &["shot", "salt3d.toml"],
        &[
            "model.nodes={z=50,x=60,y=44}",
            "time.duration=0.35",
            "source[0].at={x=1200.0,y=800.0,z=80.0}",
            "receivers.grid={from={x=0.0,y=160.0,z=40.0},to={x=2360.0,y=1600.0,z=40.0},count={x=60,y=10}}",
            "output.snapshots=[0.35]",
            "output.movie.every=0.07",
            "output.slices={x=[1000.0],y=[800.0],z=[1480.0]}",
        ],
    ),
    case(
        "locate",
        &["locate", "thesis.toml", "--gather", "recorded/gather.sgy"],
        &["time.duration=2.0", "output.movie.every=0.5"],
    ),
    case(
        "scan",
        &["locate", "scan.toml", "--gather", "recorded/gather.sgy"],
        &["time.duration=2.0", "scan.factors={from=0.95,to=1.05,count=3}"],
    ),
    case(
        "section",
        &["zero-offset", "thesis.toml"],
        &["time.duration=0.6", "output.snapshots=[0.3]", "output.movie.every=0.3"],
    ),
    case(
        "migrated-section",
        &["zero-offset", "thesis.toml", "--migrate", "section/section.sgy"],
        &["time.duration=1.5", "output.snapshots=[]"],
    ),
    case("rtm-layers", &["rtm", "rtm-layers.toml"], &["time.duration=0.8", "survey.line.count=3"]),
    case(
        "rtm-salt",
        &["rtm", "rtm-salt.toml", "--spacing", "60"],
        &[
            "time.duration=1.6",
            "survey.line={first={x=3000.0,z=60.0},increment={x=4000.0},count=2}",
            "receivers.line={from={x=0.0,z=60.0},to={x=13440.0,z=60.0},count=225}",
            "rtm.offsets={along=\"both\",most=240.0,drawn=[3000.0]}",
        ],
    ),
    case(
        "sep138",
        &["rtm", "sep138.toml", "--spacing", "60"],
        &[
            "time.duration=0.5",
            "receivers.line={from={x=0.0,z=60.0},to={x=13440.0,z=60.0},count=225}",
            "time.step=0.004",
            "output.snapshots=[]",
        ],
    ),
    case(
        "lsrtm-layers",
        &["lsrtm", "lsrtm-layers.toml"],
        &["survey.line.count=3", "lsrtm.iterations=2"],
    ),
    case(
        "gradient",
        &[
            "gradient",
            "observed.toml",
            "--model",
            "start.rsf",
            "--observed",
            "observed/gathers.sgy",
        ],
        &[],
    ),
    case(
        "invert",
        &["invert", "observed.toml", "--model", "start.rsf", "--observed", "observed/gathers.sgy"],
        &[],
    ),
];

/// Jobs that are not run, and why.
pub const LEFT_OUT: [(&str, &str); 11] = [
    ("micikevicius-320x320x400", SAME),
    ("micikevicius-480x480x800", SAME),
    ("micikevicius-544x544x400", SAME),
    ("micikevicius-544x544x544", SAME),
    ("micikevicius-544x544x800", SAME),
    ("micikevicius-640x640x400", SAME),
    ("micikevicius-640x640x640", SAME),
    ("micikevicius-640x640x800", SAME),
    ("micikevicius-800x800x200", SAME),
    ("seg-eage-salt", "its model does not ship"),
    ("sep138-gathers", "made small, it is sep138"),
];
const SAME: &str = "made small, it is micikevicius-480x480x480";
