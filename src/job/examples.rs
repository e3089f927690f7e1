//! The jobs included in the program.

/// A job in the binary.
pub(crate) struct Example {
    /// Its file, without the extension.
    pub(crate) name: &'static str,
    pub(crate) text: &'static str,
}

macro_rules! examples {
    ($folder:literal: $($name:literal),* $(,)?) => {
        &[$(Example {
            name: $name,
            text: include_str!(concat!("../../assets/", $folder, "/", $name, ".toml")),
        }),*]
    };
}

/// Short jobs to start from, in `assets/templates`.
pub(crate) const STARTERS: &[Example] =
    examples!["templates": "shot", "locate", "rtm", "lsrtm", "invert", "own-data"];

/// Every job of `assets/jobs`.
pub(crate) const EXAMPLES: &[Example] = examples!["jobs":
    "cube512",
    "density",
    "dispersive",
    "ete",
    "fang-320x320x912",
    "fang-ete-320x320x912",
    "lsrtm-layers",
    "marine-line",
    "micikevicius-320x320x400",
    "micikevicius-480x480x480",
    "micikevicius-480x480x800",
    "micikevicius-544x544x400",
    "micikevicius-544x544x544",
    "micikevicius-544x544x800",
    "micikevicius-640x640x400",
    "micikevicius-640x640x640",
    "micikevicius-640x640x800",
    "micikevicius-800x800x200",
    "rtm-layers",
    "rtm-salt",
    "salt3d",
    "scan",
    "seg-eage-salt",
    "sep138",
    "sep138-gathers",
    "survey",
    "thesis",
    "thesis-source-1",
    "thesis-source-3",
    "unstable",
    "vti",
];

/// The default job: the thesis' salt case with source 2.
pub fn thesis() -> &'static str {
    let thesis = EXAMPLES.iter().find(|example| example.name == "thesis");
    thesis.map_or("", |example| example.text)
}

impl Example {
    /// Its title: the beginning of its opening comment.
    pub(crate) fn about(&self) -> String {
        let comment = self.text.lines().map_while(|line| line.strip_prefix("# "));
        let comment = comment.collect::<Vec<_>>().join(" ");
        let ends = [". ", ": "].iter().filter_map(|end| comment.find(end));
        comment[..ends.min().unwrap_or(comment.len())].to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        grid::PerAxis,
        job::{JobFile, OneOrEach},
    };
    use std::path::{Path, PathBuf};

    /// Most nodes planned at full size: more take seconds, and more memory than a small machine
    /// has.
    const MANY: usize = 8_000_000;

    #[test]
    fn every_job_of_the_folder_is_in_the_binary() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/jobs");
        let entries = folder.read_dir().expect("the folder of jobs");
        let paths = entries.map(|entry| entry.expect("an entry").path());
        let stem = |path: PathBuf| path.file_stem().expect("a name").to_string_lossy().into_owned();
        let mut names: Vec<_> = paths.map(stem).collect();
        names.sort();
        let known: Vec<_> = EXAMPLES.iter().map(|job| job.name).collect();
        assert_eq!(names, known);
        assert!(STARTERS.iter().all(|job| !known.contains(&job.name)), "a name is of one job");
        assert!(thesis().contains("Sadahiro"));
    }

    #[test]
    fn every_job_says_what_it_stands_for() {
        for job in STARTERS.iter().chain(EXAMPLES) {
            let about = job.about();
            assert!((10..100).contains(&about.len()), "{}: {about}", job.name);
        }
        let of = |document: &str| {
            let named = EXAMPLES.iter().filter(|job| job.text.contains(document));
            named.map(|job| job.name).collect::<Vec<_>>()
        };
        assert_eq!(of("Sadahiro"), ["scan", "thesis", "thesis-source-1", "thesis-source-3"]);
        assert_eq!(of("Micikevicius (2009), table").len(), 10);
        assert_eq!(of("Fang and others"), ["fang-320x320x912", "fang-ete-320x320x912"]);
        assert_eq!(of("SEP-138"), ["sep138", "sep138-gathers"]);
    }

    #[test]
    fn every_job_is_planned() {
        for example in EXAMPLES {
            let name = example.name;
            let mut file = JobFile::parse(name, example.text, PathBuf::new())
                .unwrap_or_else(|failure| panic!("{name}: {}", failure));
            // One model is not ours to distribute.
            let model = &mut file.job.model;
            if model.velocity.is_none() {
                model.velocity = Some("builtin:homogeneous".into());
                model.nodes = Some(PerAxis { z: 150, x: 645, y: None });
            }
            let coarser = coarser(&mut file);
            file.forced = name == "unstable" || coarser > 1.0;
            let planned = file.inputs();
            let plan = match planned {
                Ok(inputs) => inputs.plan,
                Err(failure) => panic!("{name}: {}", failure),
            };
            // The largest stable step is in proportion to the spacing.
            let stability = plan.time.dt * coarser / plan.time.limit;
            assert_eq!(stability > 1.0, name == "unstable", "{name}: {stability}");
            println!("{name}: {:?} nodes, {coarser} times as coarse, {stability:.2}", plan.grid.n);
        }
    }

    /// Makes a job of very many nodes coarser, over the same volume; returns the factor.
    fn coarser(file: &mut JobFile) -> f64 {
        let model = &mut file.job.model;
        let (Some(n), Some(h)) = (model.nodes, model.spacing) else { return 1.0 };
        let Some(ny) = n.y.filter(|ny| n.z * n.x * ny > MANY) else { return 1.0 };
        let factor = 8;
        // No position leaves the model.
        let fewer = |n: usize| n / factor + 1;
        model.nodes = Some(PerAxis { z: fewer(n.z), x: fewer(n.x), y: Some(fewer(ny)) });
        let wider = |h: f64| h * factor as f64;
        model.spacing = Some(match h {
            OneOrEach::One(h) => OneOrEach::One(wider(h)),
            OneOrEach::Each(PerAxis { z, x, y }) => {
                OneOrEach::Each(PerAxis { z: wider(z), x: wider(x), y: y.map(wider) })
            }
        });
        factor as f64
    }
}
