//! Remedies, in the keywords of this package.

use huygens::remedy::{NewStep, Remedy};
use std::fmt::{Formatter, Result};

/// In keywords of Python; where there is none, in plain words.
pub fn in_python(remedy: &Remedy, f: &mut Formatter<'_>) -> Result {
    f.write_str(match remedy {
        Remedy::Order { order, step } => {
            let step = with(step);
            return write!(f, "operator={{\"kind\": \"taylor\", \"order\": {order}}}{step}");
        }
        Remedy::Wing { wing, step } => {
            let step = with(step);
            return write!(f, "operator={{\"kind\": \"windowed-sinc\", \"wing\": {wing}}}{step}");
        }
        Remedy::Step { step } => return write!(f, "step={step}"),
        Remedy::StepAtMost { step } => return write!(f, "use step={step} or less"),
        Remedy::StepAtLeast { step } => return write!(f, "use step={step:e} or more"),
        Remedy::Frequency { peak_hz } => return write!(f, "peak_hz={peak_hz}"),
        Remedy::Wavefields { names } => {
            return write!(f, "choose wavefield=\"{}\"", names.join("\" or \""));
        }
        Remedy::ImagingInterval { seconds } => return write!(f, "interval={seconds:.4}"),
        Remedy::Apart { metres } => return write!(f, "give apart={metres:.0} and more sources"),
        Remedy::Array { name } => return write!(f, "name one of them with array=\"{name}\""),
        Remedy::Forced { what } => return write!(f, "{what} with force=True"),
        Remedy::KillTraces { numbers } if numbers.len() <= 16 => {
            return write!(f, "read_gathers leaves them out with kill={numbers:?}");
        }
        Remedy::Converted { units } if !units.is_empty() => {
            return write!(f, "read it with unit=\"{}\"", units.join("\" or \""));
        }
        Remedy::AutoStep => "step=\"auto\"",
        Remedy::Corrected => "dispersion=\"corrected\" (traces only)",
        Remedy::Uncorrected => "leave dispersion=\"corrected\" out",
        Remedy::NoLayer => "boundary={\"sides\": {\"kind\": \"zero\"}}",
        Remedy::ZeroTop => "boundary={\"top\": \"zero\"}",
        Remedy::RecordLess => "record fewer samples, with record=, or receivers",
        Remedy::RunAnyway => "give the Survey force=True",
        Remedy::MoreMemory => "raise memory=, GB",
        Remedy::MutedDirect => "direct=\"muted\" needs no velocity there",
        Remedy::Overwrite => "overwrite it with force=True",
        Remedy::Cpu => "engine=\"cpu\"",
        Remedy::NoAdapter => "leave adapter out with \"cpu\" or \"reference\"",
        Remedy::AnyAdapter => "choose one that huygens.devices() lists",
        Remedy::SmallerMask => "try a smaller mask=",
        Remedy::FewerSources => "look for fewer sources=",
        Remedy::Velocity => "give a huygens.Model, or the name of one",
        Remedy::VelocityInAJob => "a velocity model is read by huygens.Model.read",
        Remedy::Gather => "give a huygens.Gather, or locate={\"gather\": ...}",
        Remedy::LengthUnit => "say which it is: unit=\"m\" or \"ft\"",
        Remedy::Interval => "give interval=, seconds",
        Remedy::Lengths => "if they are lengths all the same, say so: lengths=True of read_gathers",
        Remedy::Records => "choose others with records=",
        Remedy::KillDead => "read_gathers leaves such traces out with kill=[\"dead\"]",
        Remedy::KillTraces { .. } => {
            "read_gathers leaves them out with kill=, a list of their numbers"
        }
        Remedy::Start => "give start=, seconds after the shot",
        Remedy::CoordinateScalar => "give coordinate_scalar=",
        Remedy::ElevationScalar => "give elevation_scalar=",
        Remedy::Origin => {
            "say where the model lies on the map: origin= and azimuth= of huygens.Model"
        }
        Remedy::ModelAxes => {
            "give axes=\"xz\" (z fastest, [x][z]), or \"yxz\" or another order of the three in 3-D"
        }
        Remedy::ModelSpacing => {
            "give spacing=, metres: one number, or those of x and z, in 3-D of x, y and z"
        }
        Remedy::FileSpacing => {
            "where the file is wrong, read its array and give a huygens.Model the right spacing"
        }
        Remedy::SampleInterval => {
            "say whether it counts mm, cm, m or ft, with model={\"sample_interval\": ...} of a job"
        }
        Remedy::Nodes => "give the nodes along each axis, with model={\"nodes\": ...} of a job",
        Remedy::Unit => "say which it is with unit=",
        other => return other.plain(f),
    })
}

/// The time step that a change requires.
fn with(step: &Option<NewStep>) -> String {
    step.map_or_else(String::new, |NewStep { seconds, auto }| {
        format!(" with step={seconds}{}", if auto { " or \"auto\"" } else { "" })
    })
}
