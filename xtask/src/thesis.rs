//! The pictures of docs/thesis.md: the thesis' experiment, done by the program with the jobs that
//! ship.

use crate::{
    palette::in_256_colours,
    run::{Outcome, cargo, root, run},
};
use std::{fs, path::Path};

const JOBS: &str = "assets/jobs";
const DRAWN: &str = "target/figures/thesis";
const KEPT: &str = "docs/images/thesis";
/// The sources by what their files are called, each with its job.
const SOURCES: [(&str, &str); 3] =
    [("source-1", "thesis-source-1"), ("source-2", "thesis"), ("source-3", "thesis-source-3")];
/// Steps of the figures.
const STEPS: [usize; 5] = [50, 500, 1000, 1500, 1950];
/// Two of these are beside each other on a page.
const SIZE: &str = "--figure-size 600x390 --dpi 110";
/// The animation of source 2; it has half as many pixels.
const COLLAPSE: &str = "[output]\nmovie = { every = 0.1, format = \"gif\", rate = 8 }\n\
                        figures = { size = \"960x580\", dpi = 140 }\n";

/// Does the experiment and keeps its pictures.
pub fn thesis() -> Outcome {
    let root = root();
    let failed = |what: &str, error: std::io::Error| format!("{what}: {error}");
    fs::create_dir_all(root.join(DRAWN)).map_err(|error| failed(DRAWN, error))?;
    let job = format!("{JOBS}/thesis.toml");
    let text = fs::read_to_string(root.join(&job)).map_err(|error| failed(&job, error))?;
    let collapse = format!("{DRAWN}/collapse.toml");
    fs::write(root.join(&collapse), shown(&text)?).map_err(|error| failed(&collapse, error))?;
    for command in commands() {
        let words: Vec<&str> =
            ["run", "--release", "--"].into_iter().chain(command.split(' ')).collect();
        run(&mut cargo(&words))?;
    }
    keep(&root)
}

/// A job with another output, which is its last table.
fn shown(job: &str) -> Result<String, String> {
    let (before, _) = job.split_once("[output]").ok_or("the thesis' job has no [output]")?;
    Ok(format!("{before}{COLLAPSE}"))
}

/// The commands to run.
fn commands() -> Vec<String> {
    let mut commands = vec![format!(
        "model plot builtin:salt --source x=6000,z=0 --source x=6000,z=1000 --source x=6000,z=3000 --out {DRAWN}/survey.png \
         --force {SIZE}"
    )];
    for (name, job) in SOURCES {
        let (job, out) = (format!("{JOBS}/{job}.toml"), format!("{DRAWN}/{name}"));
        commands.push(format!("shot {job} --out {out} --force {SIZE}"));
        commands.push(format!(
            "locate {job} --gather {out}/gather.npy --out {out}-back --force {SIZE}"
        ));
    }
    let job = format!("{JOBS}/thesis.toml");
    let section = format!("{DRAWN}/section/section.npy");
    commands.push(format!(
        "locate {DRAWN}/collapse.toml --gather {DRAWN}/source-2/gather.npy --out {DRAWN}/collapse --force"
    ));
    commands.push(format!("zero-offset {job} --out {DRAWN}/section --force {SIZE}"));
    commands
        .push(format!("zero-offset {job} --migrate {section} --out {DRAWN}/image --force {SIZE}"));
    commands
}

/// The pictures to keep, and their names.
fn pictures() -> Vec<(String, String)> {
    let mut pictures = vec![("survey.png".into(), "survey.png".into())];
    let mut fields = |forward: &str, back: &str| {
        for step in STEPS {
            let step = format!("t{step:07}.png");
            pictures.push((format!("{forward}/snapshots/{step}"), format!("{forward}-{step}")));
            pictures
                .push((format!("{back}/snapshots/back-{step}"), format!("{forward}-back-{step}")));
        }
    };
    SOURCES.iter().for_each(|(name, _)| fields(name, &format!("{name}-back")));
    fields("section", "image");
    for (name, _) in SOURCES {
        pictures.push((format!("{name}/gather.png"), format!("{name}-gather.png")));
        pictures.push((format!("{name}-back/focus.png"), format!("{name}-focus.png")));
    }
    for name in ["section", "image"] {
        pictures.push((format!("{name}/{name}.png"), format!("{name}.png")));
    }
    pictures.push(("collapse/movie.gif".into(), "collapse.gif".into()));
    pictures
}

fn keep(root: &Path) -> Outcome {
    fs::create_dir_all(root.join(KEPT)).map_err(|error| format!("no folder {KEPT}: {error}"))?;
    for (from, to) in pictures() {
        let (from, to) = (format!("{DRAWN}/{from}"), format!("{KEPT}/{to}"));
        let drawn = fs::read(root.join(&from)).map_err(|error| format!("{from}: {error}"))?;
        let kept = match from.ends_with(".png") {
            true => in_256_colours(&drawn).map_err(|error| format!("{from}: {error}"))?,
            false => drawn,
        };
        fs::write(root.join(&to), kept).map_err(|error| format!("{to}: {error}"))?;
        println!("{to}");
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn the_animation_has_the_job_and_another_output() {
        let job = fs::read_to_string(root().join(JOBS).join("thesis.toml")).expect("the job");
        let shown = shown(&job).expect("it has an output");
        assert!(shown.contains("[[source]]") && shown.ends_with(COLLAPSE));
        assert_eq!(shown.matches("[output]").count(), 1);
    }

    /// A picture that no page shows is kept for nothing, and one that is not kept is not shown.
    #[test]
    fn the_page_shows_every_picture() {
        let page = fs::read_to_string(root().join("docs/thesis.md")).expect("the page");
        let shown = page.split("(images/thesis/").skip(1).filter_map(|rest| rest.split(')').next());
        let kept: BTreeSet<String> = pictures().into_iter().map(|(_, to)| to).collect();
        assert_eq!(shown.map(String::from).collect::<BTreeSet<_>>(), kept);
    }
}
