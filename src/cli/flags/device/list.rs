//! Lists of devices, opened in the background.

use super::Device;
use crate::{
    cli::flags::named::named,
    engine::{
        Engine, EngineError, Fallback, Split, prove_once,
        select::{self, Choice, SelectError},
        share::MOST_GHOST_STEPS,
    },
    job::FieldsOnHost,
    message::mistake,
    plan::Plan,
    run::RunError,
};
use clap::{Args, builder::RangedU64ValueParser};
use std::{
    panic::resume_unwind,
    str::FromStr,
    sync::Arc,
    thread::{self, JoinHandle},
    time::Instant,
};

/// The flags that say where to run what several devices can share.
#[derive(Args, Clone, Debug)]
pub(crate) struct Devices {
    #[command(flatten)]
    pub(crate) one: Device,
    /// Share the work among several devices of this host: all (every GPU that --backend auto would use), or a list of numbers from
    /// `huygens devices`, names and backends, such as 0,1 or H200,cpu.
    #[arg(long, value_name = "all|LIST", conflicts_with_all = ["backend", "adapter"])]
    devices: Option<List>,
    /// Steps between exchanges of ghost planes in a split shot. More steps mean less waiting and more computing.
    #[arg(long, value_name = "STEPS", default_value_t = 1, value_parser = ghost_steps())]
    pub(crate) ghost_steps: usize,
    /// Backend that takes over if a device fails twice, has no memory left, or does not open.
    #[arg(long, value_name = "BACKEND", value_parser = named(FALLBACKS))]
    pub(crate) fallback: Option<Choice>,
}

static CHOICES: [(&str, Choice); 7] = Choice::NAMED;
/// All but auto, which may be the device that failed.
static FALLBACKS: &[(&str, Choice)] = CHOICES.split_at(1).1;

/// How several devices take the shots of a survey.
#[derive(Args, Clone, Copy, Debug, Default)]
pub(crate) struct Splitting {
    /// Split every shot over the devices along its slowest axis, instead of sharing shots among them. A shot that
    /// does not fit on a device is always split.
    #[arg(long, requires = "devices")]
    split: bool,
}

impl Splitting {
    /// True if shots are split over the engines.
    pub(crate) fn splits(self, engines: &[Box<dyn Engine>], plan: &Plan) -> bool {
        if self.split && engines.len() < 2 {
            tracing::warn!(
                "--split needs two devices or more, and there is one; name more with --devices"
            );
        }
        engines.len() > 1 && (self.split || Split::is_needed(engines, plan))
    }
}

/// The valid numbers of ghost steps.
fn ghost_steps() -> RangedU64ValueParser<usize> {
    RangedU64ValueParser::new().range(1..=MOST_GHOST_STEPS as u64)
}

#[derive(Clone, Debug, PartialEq)]
enum List {
    All,
    Each(Vec<String>),
}

/// Maximum number of devices in a list.
const MOST: usize = 64;

impl FromStr for List {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let names: Vec<_> = text.split(',').map(|name| name.trim().to_owned()).collect();
        match &names[..] {
            [one] if one == "all" => Ok(List::All),
            _ if names.iter().any(|name| name == "all") => {
                Err("all leaves none to be named beside it; give all, or a list".into())
            }
            _ if names.iter().any(String::is_empty) => {
                Err("a device is without a name; give all, or numbers and names such as 0,1".into())
            }
            _ if names.len() > MOST => {
                Err(format!("{} devices are not available; name at most {MOST}", names.len()))
            }
            _ => Ok(List::Each(names)),
        }
    }
}

impl Devices {
    /// True if a list, or `all`, was given.
    pub(crate) fn are_listed(&self) -> bool {
        self.devices.is_some()
    }

    /// [`Device::fields_on_host`]; of listed devices it is not known before they are opened.
    pub(crate) fn fields_on_host(&self) -> FieldsOnHost {
        if self.are_listed() { Arc::new(|| false) } else { self.one.fields_on_host() }
    }

    /// Opens the requested engines, one or more.
    pub(crate) fn open(&self) -> Opened {
        let _opening = tracing::info_span!(target: "timeline", "opening devices").entered();
        let (began, checked) = (Instant::now(), self.one.checked);
        let wanted = match &self.devices {
            None => return Ok(vec![self.open_one()?]),
            Some(List::All) => None,
            Some(List::Each(names)) => {
                Some(names.iter().map(|name| select::wanted(name)).collect())
            }
        };
        let opened = select::open_several(wanted, checked, &prove_once);
        tracing::debug!(seconds = began.elapsed().as_secs_f64(), "devices opened");
        Ok(opened?)
    }

    /// Opens the requested engine, or what is given in place of one that does not open.
    fn open_one(&self) -> Result<Box<dyn Engine>, SelectError> {
        let opened = self.one.open();
        let is_missing = |error: &SelectError| {
            matches!(
                error,
                SelectError::NoAdapter { .. } | SelectError::Engine(EngineError::NotOpened { .. })
            )
        };
        if let Err(error) = &opened
            && is_missing(error)
            && let Some(engine) = self.fallback()()
        {
            let (error, device) = (error.to_string(), engine.describe().device);
            tracing::warn!("{}; {device} takes its place", mistake(&error));
            return Ok(engine);
        }
        opened
    }

    /// Opens the engine to fall back on, if one was given.
    pub(crate) fn fallback(&self) -> Arc<Fallback> {
        let (fallback, checked) = (self.fallback, self.one.checked);
        Arc::new(move || {
            let opened = select::open(fallback?, None, checked, &prove_once);
            opened.inspect_err(|error| tracing::warn!("--fallback: {error}")).ok()
        })
    }

    /// The number of steps between exchanges, if shots are split.
    pub(crate) fn ghosts(&self, split: bool) -> Result<Option<usize>, RunError> {
        match (split, self.ghost_steps) {
            (false, steps @ 2..) => Err(RunError::input(format!(
                "--ghost-steps {steps} is for a shot that several devices split: over --devices \
                 with one shot or --split, or under mpirun; leave it out"
            ))),
            (split, steps) => Ok(split.then_some(steps)),
        }
    }

    /// Opens the engines in the background; none if that is fast, or if no thread can be started.
    pub(crate) fn begin_to_open(&self) -> Option<Opening> {
        if matches!(self.one.backend, Choice::Cpu | Choice::Reference) {
            return None;
        }
        let devices = self.clone();
        let thread = thread::Builder::new().name("opening".into()).spawn(move || devices.open());
        Some(Opening(Some(thread.ok()?)))
    }
}

/// The result of opening engines.
type Opened = Result<Vec<Box<dyn Engine>>, RunError>;

/// Engines that a thread opens.
pub(crate) struct Opening(Option<JoinHandle<Opened>>);

impl Opening {
    /// Waits for the engines.
    pub(crate) fn end(mut self) -> Opened {
        let thread = self.0.take().expect("a thread that is joined once");
        thread.join().unwrap_or_else(|panic| resume_unwind(panic))
    }
}

impl Drop for Opening {
    fn drop(&mut self) {
        // The program must not exit inside a driver call.
        let _ = self.0.take().map(JoinHandle::join);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_read_and_refused() {
        assert_eq!("all".parse(), Ok(List::All));
        assert_eq!("0, CPU".parse(), Ok(List::Each(vec!["0".into(), "CPU".into()])));
        let many = ["0"; 65].join(",");
        for (bad, part) in
            [("all,0", "give all"), ("0,,1", "0,1"), ("", "0,1"), (&many, "at most 64")]
        {
            let said = bad.parse::<List>().expect_err(bad);
            assert!(said.contains(part), "{bad}: {said}");
        }
    }
}
