//! The file of remembered measurements: the fastest kernels, batch sizes and speeds of devices.

use super::{Class, Timing};
use crate::{Description, gpu::digest, plan::Plan};
use serde::{Deserialize, Serialize};

/// Format mark of the file.
const FORMAT: &str = "huygens kernels 3";

/// The subject of a measurement.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Key {
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
    fn new(device: &Description, variant: &str, class: Class) -> Self {
        let Description { device, driver, backend, .. } = device.clone();
        let (variant, shaders) = (variant.to_owned(), digest().to_owned());
        Key { device, driver, backend, variant, shaders, class }
    }

    /// True if another differs in its shaders at most.
    fn is_like(&self, other: &Key) -> bool {
        *self == Key { shaders: self.shaders.clone(), ..other.clone() }
    }
}

/// A remembered choice.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Choice {
    #[serde(flatten)]
    key: Key,
    /// Name of the kernel.
    kernel: String,
    /// Measured speed, 10^9 nodes/s.
    gpts: f64,
}

impl Choice {
    /// The fastest kernel for a class on a device.
    pub fn new(device: &Description, variant: String, class: Class, best: &Timing) -> Self {
        let key = Key::new(device, &variant, class);
        Choice { key, kernel: best.kernel.to_owned(), gpts: best.gpts }
    }

    /// Measured speed on the stand-in of its class, 10^9 nodes/s.
    pub fn gpts(&self) -> f64 {
        self.gpts
    }

    /// Name of the kernel.
    pub fn kernel(&self) -> &str {
        &self.kernel
    }
}

/// The speed of an engine in its last run of a class.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Speed {
    #[serde(flatten)]
    key: Key,
    /// 10^9 nodes/s.
    gpts: f64,
}

impl Speed {
    fn new(engine: &Description, class: Class, gpts: f64) -> Self {
        Speed { key: Key { shaders: String::new(), ..Key::new(engine, "", class) }, gpts }
    }
}

/// The best batch size of a survey.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Together {
    /// With the class of one shot.
    #[serde(flatten)]
    key: Key,
    /// Nodes of a shot, layers included.
    nodes: usize,
    /// The batch size.
    shots: usize,
    /// The largest batch size tried.
    tried: usize,
}

/// Shots whose node counts differ by at most this fraction share a batch size.
const ALIKE: f64 = 0.2;

impl Together {
    /// The best batch size for the shots of a Plan on a device.
    pub fn new(
        device: &Description,
        variant: &str,
        plan: &Plan,
        (shots, tried): (usize, usize),
    ) -> Self {
        let key = Key::new(device, variant, Class::of(&plan.batch(0..1)));
        Together { key, nodes: plan.grid.cells(), shots, tried }
    }

    /// True if another is for like shots on the same device.
    fn is_like(&self, other: &Together) -> bool {
        let ratio = self.nodes as f64 / other.nodes as f64;
        self.key == other.key && (1.0 / (1.0 + ALIKE)..=1.0 + ALIKE).contains(&ratio)
    }
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
    kernels: Vec<Choice>,
    #[serde(default)]
    batches: Vec<Together>,
    #[serde(default)]
    speeds: Vec<Speed>,
}

impl Choices {
    /// Parses a file; the error tells why the file is foreign or broken. Speeds that are none are
    /// left out.
    pub fn parse(text: &str) -> Result<Self, String> {
        let File { format, mut choices } =
            serde_json::from_str(text).map_err(|error| error.to_string())?;
        let is_speed = |gpts: f64| gpts.is_finite() && gpts > 0.0;
        choices.kernels.retain(|choice| is_speed(choice.gpts));
        choices.speeds.retain(|speed| is_speed(speed.gpts));
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

    /// The remembered choice for a class on a device.
    pub fn find(&self, device: &Description, variant: &str, class: &Class) -> Option<&Choice> {
        let key = Key::new(device, variant, *class);
        self.kernels.iter().find(|known| known.key == key)
    }

    /// The remembered batch size for the shots of a Plan, if measured for like shots and for as
    /// many as fit now.
    pub fn batch(
        &self,
        device: &Description,
        variant: &str,
        plan: &Plan,
        most: usize,
    ) -> Option<usize> {
        let wanted = Together::new(device, variant, plan, (0, 0));
        let known = self.batches.iter().find(|known| known.is_like(&wanted))?;
        (known.shots < known.tried || known.tried >= most).then_some(known.shots)
    }

    /// Replaces an older measurement of like shots.
    pub fn remember_together(&mut self, new: Together) {
        self.batches.retain(|known| !known.is_like(&new));
        self.batches.push(new);
    }

    /// Speed of an engine on such a Plan in its last run, 10^9 nodes/s.
    pub fn speed(&self, engine: &Description, plan: &Plan) -> Option<f64> {
        let wanted = Speed::new(engine, Class::of(plan), 0.0);
        self.speeds.iter().find(|known| known.key == wanted.key).map(|known| known.gpts)
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
        let new = known.is_none_or(|known| (gpts / known - 1.0).abs() > SAME_SPEED);
        let told = seconds >= SHORTEST && gpts.is_finite() && gpts > 0.0;
        if told && new {
            let new = Speed::new(engine, Class::of(batch), gpts);
            self.speeds.retain(|known| known.key != new.key);
            self.speeds.push(new);
        }
        told && new
    }

    /// Replaces an older choice.
    pub fn remember(&mut self, choice: Choice) {
        self.kernels.retain(|known| !known.key.is_like(&choice.key));
        self.kernels.push(choice);
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
        let device = |driver: &str| Description {
            backend: "vulkan".into(),
            device: "a device".into(),
            driver: driver.into(),
            kernel: String::new(),
        };
        let class = Class {
            dimensions: 3,
            extent: super::super::Extent::Large,
            radius: 4,
            layers: super::super::Layers::Cpml,
        };
        let best = |kernel| Timing { kernel, seconds: 1e-3, gpts: 1.0, spread: 0.0, ratio: 1.0 };
        let mut choices = Choices::default();
        choices.remember(Choice::new(&device("1"), String::new(), class, &best("old")));
        choices.remember(Choice::new(&device("1"), String::new(), class, &best("new")));
        let read = Choices::parse(&choices.text()).expect("what was written");
        assert_eq!(read, choices);
        assert_eq!(read.find(&device("1"), "", &class).map(Choice::kernel), Some("new"));
        assert_eq!(read.find(&device("2"), "", &class), None);
        assert_eq!(read.find(&device("1"), "", &Class { radius: 5, ..class }), None);
        assert_eq!(read.find(&device("1"), ", checked", &class), None);
        // Speeds of other shaders do not apply.
        let text = read.text().replace(digest(), "0123");
        let mut other = Choices::parse(&text).expect("a file");
        assert_eq!(other.find(&device("1"), "", &class), None);
        other.remember(Choice::new(&device("1"), String::new(), class, &best("newer")));
        assert_eq!(other.kernels.len(), 1, "what is of no use any more is not kept");
    }

    #[test]
    fn an_engine_is_as_fast_as_its_last_run() {
        let layers = super::super::Layers::Zero;
        let class = Class { dimensions: 2, extent: super::super::Extent::Small, radius: 4, layers };
        let plan = class.stand_in();
        let engine = crate::Engine::describe(&crate::cpu::Parallel);
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
