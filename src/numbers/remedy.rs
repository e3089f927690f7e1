//! Remedies of refusals, as data: each program prints them with the names of its own settings.

use crate::grid::{Axes, GridError};
use serde::Serialize;
use std::{borrow::Cow, fmt, sync::OnceLock};

/// An error or a warning with its remedies. Its message gives them after the mistake and the limit.
pub trait Refusal: fmt::Display {
    /// Each is sufficient by itself; empty if the limit says all.
    fn remedies(&self) -> Vec<Remedy> {
        Vec::new()
    }
}

impl<R: Refusal> Refusal for &R {
    fn remedies(&self) -> Vec<Remedy> {
        (*self).remedies()
    }
}

impl Refusal for GridError {}

/// A sufficient change, all else unchanged. `Display` prints it in plain words, or in those of
/// [`say_as`].
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case", tag = "change")]
#[allow(missing_docs, reason = "Display says what each is")]
#[non_exhaustive]
pub enum Remedy {
    /// A Taylor operator of a higher order, with the time step that it needs.
    Order {
        order: usize,
        step: Option<NewStep>,
    },
    /// A windowed sinc of a longer wing, cells on every axis, with the time step that it needs.
    Wing {
        wing: usize,
        step: Option<NewStep>,
    },
    /// A finer grid over the same model, metres, with nodes that cover it; for a model that is
    /// sampled anew.
    Spacing {
        spacing: Axes<f64>,
        nodes: Axes<usize>,
        volume: bool,
        step: Option<NewStep>,
    },
    /// A time step, s.
    Step {
        step: f64,
    },
    StepAtMost {
        step: f64,
    },
    StepAtLeast {
        step: f64,
    },
    AutoStep,
    /// Time dispersion corrected in the traces.
    Corrected,
    Uncorrected,
    /// The highest peak frequency, Hz, if all sources have one wavelet that is given by it.
    Frequency {
        peak_hz: f64,
    },
    /// A factor on all frequencies of all wavelets.
    Frequencies {
        factor: f64,
    },
    OrderAtMost {
        order: usize,
    },
    NoLayer,
    ZeroTop,
    RecordLess,
    RunAnyway,
    /// Storage of the source wavefields, by the names of the choices.
    Wavefields {
        names: Vec<&'static str>,
    },
    MoreMemory,
    /// [`crate::host::limit_memory`].
    HigherLimit,
    /// Of the process.
    MoreAddresses,
    /// The longest time between imaging steps, s.
    ImagingInterval {
        seconds: f64,
    },
    MutedDirect,
    AnotherFolder,
    AnotherFile,
    /// Of an .rsf, in one file with its header.
    DataInside,
    Overwrite,
    Resume,
    NoResume,
    BeginAgain,
    /// Begins again what would be resumed.
    BeginOver,
    /// Something to do that overwrites what is there.
    Forced {
        what: &'static str,
    },
    /// A task of as many as there are already.
    TaskOf {
        all: usize,
    },
    /// Each of so many tasks.
    EachTask {
        all: usize,
    },
    /// Task `this` of `all`, from its beginning.
    TaskAgain {
        this: usize,
        all: usize,
    },
    /// The folder that tasks share.
    FolderOfTasks,
    /// The tasks of a command merged, in the folder that they share.
    Merge {
        command: String,
        folder: String,
    },
    Cpu,
    NoAdapter,
    AnyAdapter,
    Devices {
        known: String,
    },
    /// A smaller mask around the receivers.
    SmallerMask,
    FewerSources,
    /// Sources looked for nearer to each other, metres, and more of them.
    Apart {
        metres: f64,
    },
    /// Factors of a scan beyond the end of their range.
    WiderScan,
    /// A mute at one time for all offsets.
    MuteByTime,
    /// The spacing of the job.
    OwnSpacing,
    /// No kernel named, on a CPU engine.
    NoKernel,
    /// No slabs, on a CPU engine.
    NoSlabs,
    /// One device in each of several ranks.
    OneDevice,
    ShareShots,
    Velocity,
    VelocityInAJob,
    NewJob,
    Gather,
    LengthUnit,
    Interval,
    Lengths,
    Records,
    KillDead,
    /// Recorded traces without frequencies above this, Hz.
    HighCut {
        hz: f64,
    },
    /// Traces of these numbers in their file left out.
    KillTraces {
        numbers: Vec<u64>,
    },
    Start,
    CoordinateScalar,
    ElevationScalar,
    Positions,
    Origin,
    ModelAxes,
    ModelSpacing,
    FileSpacing,
    SampleInterval,
    /// Where a SEG-Y file has its numbers.
    SegyFields,
    Nodes,
    Array {
        name: String,
    },
    Unit,
    /// From one of these units; any if there are none.
    Converted {
        units: &'static [&'static str],
    },
    Resampled,
    /// A remedy without a setting, in words.
    #[serde(untagged)]
    Other(Cow<'static, str>),
}

/// The time step of a change.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct NewStep {
    /// Time step, s.
    pub seconds: f64,
    /// True if an automatic step would do as well.
    pub auto: bool,
}

impl From<&'static str> for Remedy {
    fn from(words: &'static str) -> Self {
        Remedy::Other(words.into())
    }
}

impl From<String> for Remedy {
    fn from(words: String) -> Self {
        Remedy::Other(words.into())
    }
}

/// A program's wording of remedies; [`Remedy::plain`] words those for which it has no setting.
pub type Words = fn(&Remedy, &mut fmt::Formatter<'_>) -> fmt::Result;

static WORDS: OnceLock<Words> = OnceLock::new();

/// Words remedies this way from now on, in every message of this process; the first call counts.
pub fn say_as(words: Words) {
    let _ = WORDS.set(words);
}

impl fmt::Display for Remedy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match WORDS.get() {
            Some(words) => words(self, f),
            None => self.plain(f),
        }
    }
}

impl Remedy {
    /// Prints it in words that name no setting.
    pub fn plain(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let with = |step: &Option<NewStep>| match step {
            Some(NewStep { seconds, auto: true }) => {
                format!(" with a step of {seconds} s, or a chosen one")
            }
            Some(NewStep { seconds, .. }) => format!(" with a step of {seconds} s"),
            None => String::new(),
        };
        let words = match self {
            Remedy::Order { order, step } => {
                return write!(f, "a Taylor operator of order {order}{}", with(step));
            }
            Remedy::Wing { wing, step } => return write!(f, "wings of {wing} cells{}", with(step)),
            Remedy::Spacing { spacing: Axes { z, x, y }, nodes: n, volume, step } => {
                write!(f, "{} nodes {z} m apart along z, {} {x} m along x", n.z, n.x)?;
                if *volume {
                    write!(f, ", {} {y} m along y", n.y)?;
                }
                return f.write_str(&with(step));
            }
            Remedy::Step { step } => return write!(f, "a step of {step} s"),
            Remedy::StepAtMost { step } => return write!(f, "use a step of {step} s or less"),
            Remedy::StepAtLeast { step } => return write!(f, "use a step of {step:e} s or more"),
            Remedy::Frequency { peak_hz } => return write!(f, "a peak frequency of {peak_hz} Hz"),
            Remedy::Frequencies { factor } => {
                return write!(f, "wavelets of frequencies {factor} times as high");
            }
            Remedy::OrderAtMost { order } => return write!(f, "use order {order} or less"),
            Remedy::Wavefields { names } => return write!(f, "keep {}", names.join(" or ")),
            Remedy::ImagingInterval { seconds } => return write!(f, "{seconds:.4} s"),
            Remedy::Apart { metres } => {
                return write!(f, "look for more sources, {metres:.0} m apart");
            }
            Remedy::Devices { known } => return write!(f, "there are: {known}"),
            Remedy::Array { name } => return write!(f, "name one of them, such as \"{name}\""),
            Remedy::TaskOf { all } => return write!(f, "do a task of {all}"),
            Remedy::TaskAgain { this, all } => return write!(f, "do task {this} of {all} again"),
            Remedy::HighCut { hz } => {
                return write!(f, "filter the traces to frequencies below {hz:.6} Hz");
            }
            Remedy::AutoStep => "let the step be chosen",
            Remedy::Corrected => "time dispersion corrected in the traces",
            Remedy::Uncorrected => "keep the time dispersion",
            Remedy::NoLayer => "take no layer",
            Remedy::ZeroTop => "let the top be no free surface",
            Remedy::RecordLess => "record fewer samples or receivers",
            Remedy::RunAnyway => "run it all the same",
            Remedy::MoreMemory => "allow more memory",
            Remedy::HigherLimit => "allow more memory",
            Remedy::MoreAddresses => "raise that limit",
            Remedy::MutedDirect => "a direct wave that is muted needs no velocity there",
            Remedy::AnotherFolder => "choose another folder",
            Remedy::AnotherFile => "name another file",
            Remedy::DataInside => "keep the data in the same file",
            Remedy::Overwrite => "overwrite it",
            Remedy::Resume => "go on with it",
            Remedy::NoResume => "begin without resuming",
            Remedy::BeginAgain | Remedy::BeginOver => "begin again",
            Remedy::Forced { what } => what,
            Remedy::EachTask { .. } => "run each again, and it goes on where it was",
            Remedy::FolderOfTasks => "name the folder that the tasks share",
            Remedy::Merge { .. } => "merge them with that command",
            Remedy::Cpu => "a CPU engine",
            Remedy::NoAdapter => "leave the adapter out",
            Remedy::AnyAdapter => "choose one that there is",
            Remedy::SmallerMask => "try a smaller mask",
            Remedy::FewerSources => "look for fewer sources",
            Remedy::WiderScan => "widen it to see whether one beyond it is better",
            Remedy::MuteByTime => "mute at one time",
            Remedy::OwnSpacing => "keep that",
            Remedy::NoKernel => "name none with a CPU engine",
            Remedy::NoSlabs => "ask for none with a CPU engine",
            Remedy::OneDevice => "start a rank for each device",
            Remedy::ShareShots => "have the devices share the shots",
            Remedy::Velocity => "name one",
            Remedy::VelocityInAJob => "a velocity model goes into a job",
            Remedy::NewJob => {
                "the built-in one is made for its own salt model: write one for another"
            }
            Remedy::Gather => "name one",
            Remedy::LengthUnit => "say which it is",
            Remedy::Interval => "say how far samples are apart, seconds",
            Remedy::Lengths => "say that they are lengths if they are",
            Remedy::Records => "choose others",
            Remedy::KillDead => "leave such traces out",
            Remedy::KillTraces { .. } => "leave them out",
            Remedy::Start => "say when the traces start",
            Remedy::CoordinateScalar => "give the scalar of coordinates",
            Remedy::ElevationScalar => "give the scalar of elevations",
            Remedy::Positions => "say where the receivers are",
            Remedy::Origin => "say where the model lies on the map",
            Remedy::ModelAxes => {
                "give them, slowest first, such as \"xz\" (z fastest, [x][z]), or \"yxz\" in 3-D"
            }
            Remedy::ModelSpacing => "give the spacing in metres along each axis",
            Remedy::FileSpacing => {
                "where the file is wrong, give the right spacing instead of its own"
            }
            Remedy::SampleInterval => "say whether it counts mm, cm, m or ft",
            Remedy::SegyFields => "say at which bytes line numbers and positions are",
            Remedy::Nodes => "give the nodes along each axis",
            Remedy::Unit => "say which it is",
            Remedy::Converted { .. } => "convert it to m/s first",
            Remedy::Resampled => "put the model on other nodes first",
            Remedy::Other(words) => words,
        };
        f.write_str(words)
    }
}

/// The end of a message: any one of several remedies.
pub fn remedies(refusal: &dyn Refusal) -> String {
    any_of(&refusal.remedies())
}

/// A list of remedies, any one of which would do.
pub fn any_of(remedies: &[Remedy]) -> String {
    match remedies {
        [] => String::new(),
        [one] => one.to_string(),
        [first, last] => format!("{first}, or {last}"),
        [first, rest @ ..] => format!("{first}, {}", any_of(rest)),
    }
}

/// A text in which no number has very many digits, as 1e300 has when it is printed.
pub fn with_exponents(text: &str) -> String {
    const MANY: usize = 40;
    let is_digit = |c: char| c.is_ascii_digit() || c == '.';
    let (mut short, mut rest) = (String::new(), text);
    while let Some(start) = rest.find(is_digit) {
        let (before, from) = rest.split_at(start);
        let (number, after) = from.split_at(from.find(|c| !is_digit(c)).unwrap_or(from.len()));
        short.push_str(before);
        match number.parse::<f64>() {
            Ok(value) if number.len() > MANY && value.is_finite() => {
                let stop = if number.ends_with('.') { "." } else { "" };
                short.push_str(&format!("{value:e}{stop}"));
            }
            _ => short.push_str(number),
        }
        rest = after;
    }
    short + rest
}

/// The message of a refusal: the whole sentence and, by itself, the remedy.
#[derive(Clone, Debug)]
pub struct Message {
    /// The whole sentence.
    pub text: String,
    /// Its end; empty if the limit says all.
    pub remedy: String,
}

impl Message {
    /// The message, which begins with what it is of unless it names that.
    #[must_use]
    pub fn of(self, what: impl fmt::Display) -> Self {
        let what = what.to_string();
        let mut words = self.mistake().split(|c: char| c.is_whitespace() || ":;,\"()".contains(c));
        match words.any(|word| word == what) {
            true => self,
            false => Message { text: format!("{what}: {}", self.text), remedy: self.remedy },
        }
    }
}

impl Message {
    /// The sentence without the remedy.
    #[must_use]
    pub fn mistake(&self) -> &str {
        let mistake = self.text.strip_suffix(&self.remedy).unwrap_or(&self.text);
        mistake.trim_end_matches(|c: char| c == ';' || c.is_whitespace())
    }
}

impl<R: Refusal> From<R> for Message {
    fn from(refusal: R) -> Self {
        Message { text: refusal.to_string(), remedy: remedies(&refusal) }
    }
}

impl From<&str> for Message {
    fn from(text: &str) -> Self {
        text.to_owned().into()
    }
}

impl From<String> for Message {
    fn from(text: String) -> Self {
        Message { text, remedy: String::new() }
    }
}

/// The mistake, and the remedy.
impl<W: fmt::Display, R: fmt::Display> From<(W, R)> for Message {
    fn from((wrong, remedy): (W, R)) -> Self {
        Message { text: format!("{wrong}; {remedy}"), remedy: remedy.to_string() }
    }
}
