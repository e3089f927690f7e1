//! The file of remembered measurements: the fastest kernels, batch sizes and speeds of devices.

use super::{Class, Timing};
use crate::{
    Description, Engine,
    gpu::{Gpu, digest},
    plan::Plan,
};
use serde::{Deserialize, Serialize};

/// Format mark of the file.
const FORMAT: &str = "huygens kernels 3";

/// The subject of a measurement.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Key {
    device: String,
    driver: String,
    backend: String,
    /// With run-time checks, or empty.
    variant: String,
    /// Digest of the timed shaders; empty for the speed of a run.
    shaders: String,
    class: Class,
}

impl Key {
    /// A class on a GPU.
    pub(crate) fn new(gpu: &Gpu, class: Class) -> Self {
        Key::of(gpu.describe(), gpu.variant(), class)
    }

    fn of(device: Description, variant: String, class: Class) -> Self {
        let Description { device, driver, backend, .. } = device;
        Key { device, driver, backend, variant, shaders: digest().to_owned(), class }
    }

    /// A class on any engine, whatever its shaders are.
    fn of_run(engine: &Description, class: Class) -> Self {
        Key { shaders: String::new(), ..Key::of(engine.clone(), String::new(), class) }
    }

    /// True if another differs in its shaders at most.
    fn is_like(&self, other: &Key) -> bool {
        *self == Key { shaders: self.shaders.clone(), ..other.clone() }
    }
}

/// What was measured of a subject.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Known<T> {
    #[serde(flatten)]
    key: Key,
    #[serde(flatten)]
    value: T,
}

/// The fastest kernel.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Choice {
    /// Its name.
    pub(crate) kernel: String,
    /// Measured speed on the stand-in of its class, 10^9 nodes/s.
    pub(crate) gpts: f64,
}

/// The speed of an engine in its last run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Speed {
    /// 10^9 nodes/s.
    gpts: f64,
}

/// The best batch size of a survey, whose key has the class of one shot.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct BatchSize {
    /// Nodes of a shot, layers included.
    pub(crate) nodes: usize,
    /// The batch size.
    pub(crate) shots: usize,
    /// The largest batch size tried.
    pub(crate) tried: usize,
}

/// Shots whose node counts differ by at most this fraction share a batch size.
const ALIKE: f64 = 0.2;

/// True if shots of as many nodes share a batch size.
fn are_alike(nodes: usize, other: usize) -> bool {
    let ratio = nodes as f64 / other as f64;
    (1.0 / (1.0 + ALIKE)..=1.0 + ALIKE).contains(&ratio)
}

/// The shortest stepping that gives a speed, s.
const SHORTEST: f64 = 0.01;
/// Speeds that differ by a smaller fraction count as equal.
const SAME_SPEED: f64 = 0.1;

#[derive(Serialize, Deserialize)]
struct File {
    format: String,
    #[serde(flatten)]
    choices: Choices,
}

/// All remembered measurements.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Choices {
    #[serde(default)]
    kernels: Vec<Known<Choice>>,
    #[serde(default)]
    batches: Vec<Known<BatchSize>>,
    #[serde(default)]
    speeds: Vec<Known<Speed>>,
}

impl Choices {
    /// Parses a file; the error tells why the file is foreign or broken. Invalid speeds are left out.
    pub fn parse(text: &str) -> Result<Self, String> {
        let File { format, mut choices } =
            serde_json::from_str(text).map_err(|error| error.to_string())?;
        let is_speed = |gpts: f64| gpts.is_finite() && gpts > 0.0;
        choices.kernels.retain(|known| is_speed(known.value.gpts));
        choices.speeds.retain(|known| is_speed(known.value.gpts));
        match format.as_str() {
            FORMAT => Ok(choices),
            // Of an earlier version, which measured other things.
            other if other.starts_with("huygens kernels ") => Ok(Choices::default()),
            other => Err(format!("its format is \"{other}\", not \"{FORMAT}\"")),
        }
    }

    /// The text of the file.
    pub fn text(&self) -> String {
        let file = File { format: FORMAT.into(), choices: self.clone() };
        serde_json::to_string_pretty(&file).expect("names and numbers can be written")
    }

    /// The remembered kernel.
    pub(crate) fn find(&self, key: &Key) -> Option<&Choice> {
        self.kernels.iter().find(|known| known.key == *key).map(|known| &known.value)
    }

    /// Remembers the first of some timings in place of an older choice, also of one measured with other
    /// shaders.
    pub(crate) fn remember(&mut self, key: Key, timings: &[Timing]) {
        let Some(best) = timings.first() else { return };
        self.kernels.retain(|known| !known.key.is_like(&key));
        let value = Choice { kernel: best.kernel.to_owned(), gpts: best.gpts };
        self.kernels.push(Known { key, value });
    }

    /// The remembered batch size for the shots of a Plan, if measured for as many as fit now, or if
    /// fewer were best.
    pub fn batch(
        &self,
        device: &Description,
        variant: &str,
        plan: &Plan,
        most: usize,
    ) -> Option<usize> {
        let key = Key::of(device.clone(), variant.to_owned(), Class::of(&plan.batch(0..1)));
        let alike = |known: &&Known<BatchSize>| {
            known.key == key && are_alike(plan.grid.cells(), known.value.nodes)
        };
        let BatchSize { shots, tried, .. } = self.batches.iter().find(alike)?.value;
        (shots < tried || tried >= most).then_some(shots)
    }

    /// Replaces an older measurement of like shots.
    pub(crate) fn remember_batch(&mut self, key: Key, value: BatchSize) {
        self.batches.retain(|known| known.key != key || !are_alike(known.value.nodes, value.nodes));
        self.batches.push(Known { key, value });
    }

    /// Speed of an engine on such a Plan in its last run, 10^9 nodes/s.
    pub fn speed(&self, engine: &Description, plan: &Plan) -> Option<f64> {
        let key = Key::of_run(engine, Class::of(plan));
        self.speeds.iter().find(|known| known.key == key).map(|known| known.value.gpts)
    }

    /// Remembers the speed of an engine's run, `updates` node updates in `seconds` s, for its
    /// batch; ignores a run that is too short. Returns true if anything is new.
    pub fn remember_run(
        &mut self,
        engine: &Description,
        batch: &Plan,
        updates: f64,
        seconds: f64,
    ) -> bool {
        let gpts = 1e-9 * updates / seconds;
        let known = self.speed(engine, batch);
        let differs = known.is_none_or(|known| (gpts / known - 1.0).abs() > SAME_SPEED);
        let is_new = differs && seconds >= SHORTEST && gpts.is_finite() && gpts > 0.0;
        if is_new {
            let key = Key::of_run(engine, Class::of(batch));
            self.speeds.retain(|known| known.key != key);
            self.speeds.push(Known { key, value: Speed { gpts } });
        }
        is_new
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn broken_and_foreign_files_are_refused() {
        let refused = |text: &str| Choices::parse(text).expect_err("not ours");
        assert!(refused("{").contains("EOF"));
        // Those of an earlier version are forgotten.
        let earlier = r#"{"format": "huygens kernels 2", "choices": []}"#;
        assert_eq!(Choices::parse(earlier), Ok(Choices::default()));
        assert!(refused("[]").contains("invalid"));
        assert!(refused(r#"{"format": "other", "kernels": []}"#).contains("other"));
    }

    #[test]
    fn what_is_remembered_is_found_again_for_its_device_alone() {
        let key = |driver: &str, variant: &str, class| {
            let (backend, device, kernel) = ("vulkan".into(), "a device".into(), String::new());
            let device = Description { backend, device, driver: driver.into(), kernel };
            Key::of(device, variant.to_owned(), class)
        };
        let class = Class {
            dimensions: 3,
            extent: super::super::class::Extent::Large,
            radius: 4,
            layers: super::super::class::Layers::Cpml,
        };
        let best = |kernel| [Timing { kernel, seconds: 1e-3, gpts: 1.0, spread: 9.0, ratio: 1.0 }];
        let mut choices = Choices::default();
        choices.remember(key("1", "", class), &best("old"));
        choices.remember(key("1", "", class), &best("new"));
        let read = Choices::parse(&choices.text()).expect("what was written");
        assert_eq!(read, choices);
        let found = read.find(&key("1", "", class)).map(|choice| choice.kernel.as_str());
        assert_eq!(found, Some("new"));
        assert_eq!(read.find(&key("2", "", class)), None);
        assert_eq!(read.find(&key("1", "", Class { radius: 5, ..class })), None);
        assert_eq!(read.find(&key("1", ", checked", class)), None);
        // Speeds of other shaders do not apply.
        let text = read.text().replace(digest(), "0123");
        let mut other = Choices::parse(&text).expect("a file");
        assert_eq!(other.find(&key("1", "", class)), None);
        other.remember(key("1", "", class), &best("newer"));
        assert_eq!(other.kernels.len(), 1, "what is of no use any more is not kept");
    }

    /// Rounds of a device that others use: some take ten times as long.
    #[test]
    fn noisy_rounds_are_remembered() {
        let loads = [1.0, 7.0, 3.0, 10.0, 1.5, 2.0, 9.0];
        let mut turn = 0;
        let mut time = |_, kernel: usize| {
            turn += 1;
            Ok(Some([1.2, 1.0][kernel] * loads[turn % loads.len()]))
        };
        let timings = super::super::rounds::interleaved(&["a", "b"], 7, 1e9, &mut time);
        let timings = timings.expect("no error");
        assert!(timings[0].spread > 0.5, "{timings:?}");
        let device = crate::cpu::Parallel.describe();
        let layers = super::super::class::Layers::Zero;
        let class =
            Class { dimensions: 2, extent: super::super::class::Extent::Small, radius: 4, layers };
        let key = Key::of(device, String::new(), class);
        let mut choices = Choices::default();
        choices.remember(key.clone(), &timings);
        let read = Choices::parse(&choices.text()).expect("what was written");
        assert_eq!(read.find(&key).map(|choice| choice.kernel.as_str()), Some("b"));
    }

    #[test]
    fn an_engine_is_as_fast_as_its_last_run() {
        let layers = super::super::class::Layers::Zero;
        let class =
            Class { dimensions: 2, extent: super::super::class::Extent::Small, radius: 4, layers };
        let plan = class.stand_in();
        let engine = crate::cpu::Parallel.describe();
        let mut choices = Choices::default();
        assert_eq!(choices.speed(&engine, &plan), None);
        // A run that is too short, or as fast as the last, adds nothing.
        for (updates, seconds, new, speed) in [
            (1e9, 0.001, false, None),
            (1e9, 1.0, true, Some(1.0)),
            (1.05e9, 1.0, false, Some(1.0)),
            (4e9, 2.0, true, Some(2.0)),
        ] {
            assert_eq!(choices.remember_run(&engine, &plan, updates, seconds), new);
            assert_eq!(choices.speed(&engine, &plan), speed);
        }
        let read = Choices::parse(&choices.text()).expect("what was written");
        assert_eq!(read.speed(&engine, &plan), Some(2.0));
    }
}
