//! Jobs whose memory is predicted.

use crate::run::{done, printed};
use std::path::Path;

/// A job, by what differs between jobs.
#[derive(Clone)]
pub struct Case {
    pub name: &'static str,
    pub command: &'static str,
    /// Extents of the model: x and z, or x, y and z.
    pub nodes: &'static [usize],
    /// Steps of the run.
    pub steps: usize,
    pub shots: usize,
    pub receivers: usize,
    /// Metres of the first receiver from the left edge: 3 is between nodes.
    pub first: f64,
    /// More lines of its model, of its time, and of the job.
    pub model: &'static str,
    pub time: &'static str,
    pub more: &'static str,
    /// How the traces that a command reads were recorded: more words of their run.
    pub seen: &'static [&'static str],
    /// The ending of their file.
    pub ending: &'static str,
}

pub const SHOT: Case = Case {
    name: "",
    command: "shot",
    nodes: &[],
    steps: 6,
    shots: 1,
    receivers: 5,
    first: 0.0,
    model: "",
    time: "",
    more: "",
    seen: &[],
    ending: "sgy",
};

pub const CASES: [Case; 28] = [
    Case { name: "a plane", nodes: &[4000, 3500], ..SHOT },
    Case { name: "a volume", nodes: &[240, 230, 220], ..SHOT },
    Case {
        name: "a plane whose density varies",
        nodes: &[4000, 3500],
        model: "density = \"gardner\"\n",
        ..SHOT
    },
    Case {
        name: "a volume whose density varies",
        nodes: &[240, 230, 220],
        model: "density = \"gardner\"\n",
        ..SHOT
    },
    Case { name: "traces", nodes: &[60, 50], steps: 4000, receivers: 20_000, ..SHOT },
    Case {
        name: "corrected traces",
        nodes: &[60, 50],
        steps: 4000,
        receivers: 12_000,
        time: "dispersion = \"corrected\"\n",
        ..SHOT
    },
    Case {
        name: "traces in every format",
        nodes: &[60, 50],
        steps: 3000,
        receivers: 20_000,
        more: "[output]\ngathers = [\"npy\", \"sgy\", \"su\"]\n",
        ..SHOT
    },
    Case {
        name: "an archive of traces",
        nodes: &[60, 50],
        steps: 3000,
        receivers: 20_000,
        more: "[output]\ngathers = [\"npz\"]\n",
        ..SHOT
    },
    Case {
        name: "snapshots of a plane",
        nodes: &[3000, 3500],
        steps: 24,
        more: "[output]\nsnapshots = [0.004, 0.006, 0.008, 0.01, 0.012, 0.014, 0.016, 0.018, 0.02]\n",
        ..SHOT
    },
    Case {
        name: "snapshots of a volume",
        nodes: &[230, 200, 210],
        steps: 12,
        more: "[output]\nsnapshots = [0.002, 0.004, 0.006, 0.008, 0.01]\n",
        ..SHOT
    },
    Case {
        name: "receivers between nodes",
        nodes: &[60, 50],
        steps: 4,
        shots: 20,
        receivers: 100_000,
        first: 3.0,
        more: "[survey.spread]\noffsets = { first = 0.0, increment = 0.003, count = 100000 }\nz = 20.0\nends = \"roll-off\"\n",
        ..SHOT
    },
    Case {
        name: "a migration",
        command: "rtm",
        nodes: &[500, 400],
        steps: 1500,
        shots: 3,
        receivers: 50,
        more: "[rtm]\ninterval = 0.004\n",
        ..SHOT
    },
    Case {
        name: "offset gathers",
        command: "rtm",
        nodes: &[400, 300],
        steps: 100,
        shots: 3,
        receivers: 50,
        more: "[rtm.offsets]\nmost = 1000.0\n",
        ..SHOT
    },
    Case {
        name: "a migration of a large plane",
        command: "rtm",
        nodes: &[2000, 1500],
        steps: 30,
        shots: 2,
        receivers: 50,
        more: "[rtm]\nsmooth = 50.0\n",
        ..SHOT
    },
    Case {
        name: "a gradient",
        command: "gradient",
        nodes: &[500, 400],
        steps: 1500,
        shots: 2,
        receivers: 50,
        more: "[gradient]\ninterval = 0.004\n",
        ..SHOT
    },
    Case {
        name: "a gradient in a volume",
        command: "gradient",
        nodes: &[110, 100, 90],
        steps: 100,
        receivers: 50,
        more: "[gradient]\ninterval = 0.002\n",
        ..SHOT
    },
    Case {
        name: "a gradient of many traces",
        command: "gradient",
        nodes: &[60, 50],
        steps: 1500,
        shots: 4,
        receivers: 5000,
        more: "[gradient]\ntaper = 0.1\n",
        ..SHOT
    },
    Case {
        name: "a least-squares migration",
        command: "lsrtm",
        nodes: &[1300, 1000],
        steps: 120,
        receivers: 50,
        more: "[rtm]\nsmooth = 50.0\ndirect = \"kept\"\n[lsrtm]\niterations = 2\n",
        ..SHOT
    },
    Case {
        name: "a least-squares migration of many traces",
        command: "lsrtm",
        nodes: &[60, 50],
        steps: 1500,
        shots: 4,
        receivers: 3000,
        more: "[rtm]\nsmooth = 50.0\ndirect = \"kept\"\n[lsrtm]\niterations = 1\n",
        ..SHOT
    },
    Case {
        name: "an inversion",
        command: "invert",
        nodes: &[1300, 1000],
        steps: 120,
        receivers: 50,
        more: "[invert]\niterations = 2\n",
        ..SHOT
    },
    Case {
        name: "an inversion of many traces",
        command: "invert",
        nodes: &[60, 50],
        steps: 1500,
        shots: 4,
        receivers: 3000,
        more: "[invert]\niterations = 1\n",
        ..SHOT
    },
    Case {
        name: "a gradient of traces that end early",
        command: "gradient",
        nodes: &[60, 50],
        steps: 1500,
        shots: 4,
        receivers: 5000,
        seen: &["--set", "time.duration=1.2"],
        ..SHOT
    },
    Case {
        name: "a gradient of an archive",
        command: "gradient",
        nodes: &[60, 50],
        steps: 2000,
        receivers: 6000,
        seen: &["--set", "output.gathers=[\"npz\"]"],
        ending: "npz",
        ..SHOT
    },
    Case {
        name: "a gradient of traces at half the interval",
        command: "gradient",
        nodes: &[60, 50],
        steps: 600,
        shots: 40,
        receivers: 1500,
        seen: &["--set", "time.step=0.0005"],
        ..SHOT
    },
    Case {
        name: "a search of many traces",
        command: "locate",
        nodes: &[60, 50],
        steps: 2000,
        receivers: 4000,
        ..SHOT
    },
    Case {
        name: "a search in a large plane",
        command: "locate",
        nodes: &[2200, 2000],
        steps: 90,
        more: "[output]\nsnapshots = [0.02, 0.04]\n",
        ..SHOT
    },
    Case {
        name: "a section of many traces",
        command: "zero-offset",
        nodes: &[60, 50],
        steps: 3000,
        receivers: 5000,
        ..SHOT
    },
    Case {
        name: "a section sent back",
        command: "zero-offset",
        nodes: &[60, 50],
        steps: 2000,
        receivers: 4000,
        more: "[output]\nsnapshots = [0.5]\n",
        seen: &["--section"],
        ..SHOT
    },
];

impl Case {
    pub fn job(&self) -> String {
        let &Case { nodes, steps, shots, receivers, first, model, time, more, ending, .. } = self;
        let (nodes, y) = match *nodes {
            [x, z] => (format!("z = {z}, x = {x}"), ""),
            [x, y, z] => (format!("z = {z}, x = {x}, y = {y}"), "y = 100.0, "),
            _ => panic!("two extents, or three"),
        };
        let seen = if shots > 1 { "seen/gathers" } else { "seen/gather" };
        let wavelet = "wavelet = { kind = \"ricker\", peak_hz = 12.0, delay = 0.001 }";
        let source = match shots {
            1 => format!("[[source]]\nat = {{ x = 100.0, {y}z = 100.0 }}\n{wavelet}\n"),
            _ => format!(
                "[survey]\n{wavelet}\nline = {{ first = {{ x = 100.0, {y}z = 100.0 }}, increment = {{ x = 10.0 }}, \
                 count = {shots} }}\n"
            ),
        };
        let last = first + 300.0;
        let line = match more.contains("spread") {
            true => String::new(),
            false => format!(
                "[receivers]\nline = {{ from = {{ x = {first:?}, {y}z = 20.0 }}, to = {{ x = {last:?}, {y}z = 20.0 }}, \
                 count = {receivers} }}\n"
            ),
        };
        let (table, key) = match self.command {
            "gradient" | "invert" => ("[gradient]\n", "observed"),
            "locate" => ("[locate]\n", "gather"),
            _ => ("", ""),
        };
        let named = format!("{table}{key} = \"{seen}.{ending}\"\n");
        let more = match table {
            "" => more.to_owned(),
            table if more.contains(table) => more.replace(table, &named),
            _ => format!("{more}{named}"),
        };
        let duration = 0.001 * steps as f64;
        format!(
            "[model]\nvelocity = \"builtin:layers\"\nnodes = {{ {nodes} }}\nspacing = 10.0\n{model}\
             [time]\nduration = {duration:?}\nstep = 0.001\n{time}{source}{line}{more}"
        )
    }

    /// Makes what the command reads, and returns its words: of a section that is sent back its file.
    pub fn begin(&self, at: &Path) -> Vec<&'static str> {
        let run = ["job.toml", "--backend", "cpu", "--no-pictures", "--force", "--out"];
        let is_section = self.seen == ["--section"];
        if ["gradient", "invert", "locate"].contains(&self.command) {
            // Of another model, so that there is something to find.
            let other = ["seen", "--set", "model.velocity=\"builtin:homogeneous\""];
            done(at, &[&["shot"][..], &run, &other, self.seen].concat());
        } else if is_section {
            done(at, &[&["zero-offset"][..], &run, &["seen"]].concat());
        }
        let back = if is_section { &["--migrate", "seen/section.npy"][..] } else { &[] };
        [&[self.command][..], back, &run, &["out"]].concat()
    }

    /// What `check` says that the command holds, and the program with it.
    pub fn predicted(&self, at: &Path, more: &[&str]) -> Vec<(String, f64)> {
        let section =
            if self.seen == ["--section"] { &["--section", "seen/section.npy"][..] } else { &[] };
        let check = ["check", "job.toml", "--backend", "cpu", "--json"];
        let report = printed(&done(at, &[&check[..], section, more].concat()));
        let demands = report["demands"].as_array().expect("of each command");
        let demand = demands.iter().find(|demand| demand["command"] == self.command);
        let demand = demand.unwrap_or_else(|| panic!("{} in {demands:?}", self.command));
        let arrays = demand["arrays"].as_array().expect("arrays").iter();
        let program = report["memory"].as_array().expect("arrays").last().expect("the program");
        let of = |array: &serde_json::Value| {
            let name = array["name"].as_str().expect("a name").to_owned();
            (name, array["bytes"].as_f64().expect("bytes"))
        };
        arrays.chain([program]).map(of).collect()
    }
}
