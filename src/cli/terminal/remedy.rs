//! Remedies, in this program's flags and job-file keys.

use huygens::{
    grid::Axes,
    remedy::{NewStep, Remedy},
};
use std::fmt::{Display, Formatter, Result};

/// In flags of `huygens gather`, which has no job.
pub fn in_flags_of_gather(remedy: &Remedy, f: &mut Formatter<'_>) -> Result {
    f.write_str(match remedy {
        Remedy::LengthUnit => "say which it is: --unit m or ft",
        Remedy::Interval => "give --interval, seconds",
        Remedy::Lengths => "if they are lengths all the same, say --coordinates lengths",
        Remedy::Records => "choose others with --records",
        Remedy::KillDead => "leave such traces out with --kill dead",
        Remedy::KillTraces { numbers } => {
            return match joined(numbers, ",") {
                Some(all) => write!(f, "leave {} out with --kill {all}", them(numbers)),
                None => f.write_str("leave them out with --kill"),
            };
        }
        Remedy::Start => "give --start, seconds after the shot",
        Remedy::CoordinateScalar => "give --coordinate-scalar",
        Remedy::ElevationScalar => "give --elevation-scalar",
        Remedy::SegyFields => "say at which bytes numbers and positions are, with --segy",
        Remedy::Positions => {
            "say where the receivers are in the job that reads them (gather.positions)"
        }
        other => return in_flags_and_keys(other, f),
    })
}

/// In flags of `huygens model`, which has no job.
pub fn in_flags_of_model(remedy: &Remedy, f: &mut Formatter<'_>) -> Result {
    f.write_str(match remedy {
        Remedy::ModelAxes => {
            "give --axes, slowest first: xz (z fastest) or zx, in 3-D yxz or any other order of the three"
        }
        Remedy::ModelSpacing => {
            "give --file-spacing, metres between the file's nodes: one number, or z=..., x=... and in 3-D y=..."
        }
        Remedy::FileSpacing => "where the file is wrong, correct it with --file-spacing",
        Remedy::SampleInterval => "give --sample-interval mm, cm, m or ft",
        Remedy::SegyFields => {
            "say at which bytes line numbers and positions are: --segy iline=...,xline=...,cdp_x=...,cdp_y=..."
        }
        Remedy::Nodes => "give --nodes z=...,x=..., with y in 3-D",
        Remedy::Unit => "say which it is with --unit",
        Remedy::Array { name } => return write!(f, "name one of them with --array {name}"),
        other => return in_flags_and_keys(other, f),
    })
}

/// In flags and job-file keys.
pub fn in_flags_and_keys(remedy: &Remedy, f: &mut Formatter<'_>) -> Result {
    let words = match remedy {
        Remedy::Order { order, step } => return write!(f, "order = {order}{}", with(step)),
        Remedy::Wing { wing, step } => return write!(f, "wing = {wing}{}", with(step)),
        Remedy::Spacing { spacing: h, nodes, volume, step } => {
            match h.z == h.x && (!volume || h.z == h.y) {
                true => write!(f, "spacing = {}", h.z)?,
                false => write!(f, "spacing = {}", table(h, *volume))?,
            }
            return write!(f, " and nodes = {}{}", table(nodes, *volume), with(step));
        }
        Remedy::Step { step } => return write!(f, "step = {step}"),
        Remedy::StepAtMost { step } => return write!(f, "use step = {step} or less"),
        Remedy::StepAtLeast { step } => return write!(f, "use step = {step:e} or more"),
        Remedy::Frequency { peak_hz } => return write!(f, "peak_hz = {peak_hz}"),
        Remedy::OrderAtMost { order } => {
            return write!(f, "use order = {order} (wing = {}) or less", order / 2);
        }
        Remedy::Wavefields { names } => {
            return write!(f, "choose rtm.wavefield = \"{}\"", names.join("\" or \""));
        }
        Remedy::ImagingInterval { seconds } => return write!(f, "rtm.interval = {seconds:.4}"),
        Remedy::Apart { metres } => {
            return write!(f, "give apart = {metres:.0} under [locate] and more sources");
        }
        Remedy::Devices { known } => {
            return write!(f, "--devices takes all, cpu, and numbers and names of these: {known}");
        }
        Remedy::Array { name } => {
            return write!(
                f,
                "name one of them with array = \"{name}\", or --array of `huygens model`"
            );
        }
        Remedy::Converted { units } => {
            let (first, others) = units.split_first().map_or(("", &[][..]), |(a, b)| (*a, b));
            write!(
                f,
                "convert it first with `{}`",
                format!("huygens model convert --unit {first}").trim_end()
            )?;
            return others.iter().try_for_each(|unit| write!(f, " or `--unit {unit}`"));
        }
        Remedy::KillTraces { numbers } => {
            return match joined(numbers, ", ") {
                Some(all) => write!(f, "leave {} out with gather.kill = [{all}]", them(numbers)),
                None => f.write_str("leave them out with gather.kill, a list of their numbers"),
            };
        }
        Remedy::HighCut { hz } => {
            let [from, to] = [0.8 * hz, *hz].map(|hz| (hz * 1e3).floor() / 1e3);
            return write!(
                f,
                "filter the traces with `huygens gather filter --high-cut {from},{to}`"
            );
        }
        Remedy::Forced { what } => return write!(f, "{what} with --force"),
        Remedy::TaskOf { all } => return write!(f, "give --task I/{all}"),
        Remedy::EachTask { all } => {
            return write!(f, "run each again with --task I/{all}, and it goes on where it was");
        }
        Remedy::TaskAgain { this, all } => {
            return write!(f, "do it again with --task {this}/{all} --force");
        }
        Remedy::Merge { command, folder } => {
            return write!(f, "merge them with huygens {command} JOB --merge --out {folder}");
        }
        Remedy::AutoStep => "step = \"auto\"",
        Remedy::Corrected => "dispersion = \"corrected\" (traces only)",
        Remedy::Uncorrected => "leave dispersion = \"corrected\" out",
        Remedy::NoLayer => "kind = \"zero\"",
        Remedy::ZeroTop => "top = \"zero\"",
        Remedy::RecordLess => "record fewer samples (time.record) or receivers",
        Remedy::RunAnyway => "--force",
        Remedy::MoreMemory => "raise rtm.memory",
        Remedy::HigherLimit => "allow more with --max-memory",
        Remedy::MutedDirect => "rtm.direct = \"muted\" needs no velocity there",
        Remedy::AnotherFolder => "choose another folder with --out",
        Remedy::DataInside => "leave --data-beside out",
        Remedy::Overwrite => "overwrite it with --force",
        Remedy::Resume => "go on with --resume",
        Remedy::NoResume => "leave --resume out",
        Remedy::BeginAgain => "begin again with --force",
        Remedy::BeginOver => "begin again with --force and without --resume",
        Remedy::FolderOfTasks => "name the folder that the tasks were given as --out",
        Remedy::Cpu => "--backend cpu",
        Remedy::NoAdapter => "leave --adapter out with --backend cpu or reference",
        Remedy::AnyAdapter => "choose one that `huygens devices` lists",
        Remedy::SmallerMask => "try a smaller --mask",
        Remedy::FewerSources => "look for fewer --sources",
        Remedy::WiderScan => "widen [scan] factors to see whether one beyond it is better",
        Remedy::MuteByTime => "mute by --delay alone",
        Remedy::OwnSpacing => "leave --spacing out",
        Remedy::NoKernel => "leave --kernel out with a CPU engine",
        Remedy::NoSlabs => "leave --slabs out with a CPU engine",
        Remedy::OneDevice => "leave --devices out, and start a rank for each device",
        Remedy::ShareShots => "have the devices share the shots, without --split",
        Remedy::Velocity => "give velocity, or --model on the command line",
        Remedy::VelocityInAJob => "a velocity model goes behind --model, or into a job",
        Remedy::NewJob => {
            "the built-in one is made for its own salt model; `huygens job new job.toml` writes one in which to say where \
             the sources and receivers of another are"
        }
        Remedy::Gather => "give gather under [locate], or --gather on the command line",
        Remedy::LengthUnit => "say which it is: gather.unit = \"m\" or \"ft\"",
        Remedy::Interval => "give gather.interval, seconds",
        Remedy::Lengths => "if they are lengths all the same, say gather.coordinates = \"lengths\"",
        Remedy::Records => "choose others with gather.records",
        Remedy::KillDead => "leave such traces out with gather.kill = [\"dead\"]",
        Remedy::Start => "give gather.start, seconds after the shot",
        Remedy::CoordinateScalar => "give gather.coordinate_scalar",
        Remedy::ElevationScalar => "give gather.elevation_scalar",
        Remedy::Positions => {
            "say where the receivers are: gather.positions = \"job\", or a .csv of x, z and in 3-D y"
        }
        Remedy::Origin => {
            "say where the model lies on the map (model.origin, model.azimuth), or the headers (gather.origin, \
             gather.azimuth, gather.unit, gather.coordinate_scalar)"
        }
        Remedy::ModelAxes => {
            "give axes = \"xz\" (z fastest, [x][z]) or \"zx\", \"yxz\" or another order of the three in 3-D, or --axes on \
             the command line"
        }
        Remedy::ModelSpacing => {
            "give spacing = { z = ..., x = ... } in metres, with y in 3-D, or on the command line --spacing, or \
             --file-spacing of `huygens model`"
        }
        Remedy::FileSpacing => "where the file is wrong, correct it with --file-spacing of that",
        Remedy::SampleInterval => {
            "give sample_interval = \"mm\", \"cm\", \"m\" or \"ft\", or --sample-interval of `huygens model`"
        }
        Remedy::SegyFields => {
            "say at which bytes line numbers and positions are: segy = { iline = ..., xline = ..., cdp_x = ..., cdp_y = ... }, \
             or --segy of `huygens model`"
        }
        Remedy::Nodes => {
            "give nodes = { z = ..., x = ... }, with y in 3-D, or --nodes of `huygens model`"
        }
        Remedy::Unit => "say which it is with --unit of `huygens model`",
        Remedy::Resampled => {
            "put the model on other nodes first with `huygens model convert --spacing`"
        }
        other => return other.plain(f),
    };
    f.write_str(words)
}

/// Numbers as a list; `None` of many.
fn joined(numbers: &[u64], between: &str) -> Option<String> {
    let all = || numbers.iter().map(u64::to_string).collect::<Vec<_>>().join(between);
    (numbers.len() <= 16).then(all)
}

fn them(numbers: &[u64]) -> &'static str {
    if numbers.len() == 1 { "it" } else { "them" }
}

/// The time step that a change requires.
fn with(step: &Option<NewStep>) -> String {
    step.map_or_else(String::new, |NewStep { seconds, auto }| {
        format!(" with step = {seconds}{}", if auto { " or \"auto\"" } else { "" })
    })
}

/// One value per axis.
fn table(Axes { z, x, y }: &Axes<impl Display>, volume: bool) -> String {
    let y = if volume { format!(", y = {y}") } else { String::new() };
    format!("{{ z = {z}, x = {x}{y} }}")
}
