//! How far the page is from the CPU engine, for its test.

use crate::simulation::{Simulation, nothing, refused};
use huygens::{engine::cpu::Parallel, operations::shot};
use wasm_bindgen::prelude::*;

#[wasm_bindgen]
impl Simulation {
    /// [`Simulation::begin`] with the increments of p in place of the p before, which f32 rounds far
    /// less: how two engines differ then is not how they round.
    pub fn begin_by_increments(&mut self, text: &str) -> Result<Vec<String>, JsError> {
        self.begin_as(text, true)
    }

    /// Bytes of the files that are kept for jobs.
    pub fn kept_bytes(&self) -> usize {
        self.files.values().map(|file| file.len()).sum()
    }

    /// How far the complete gather is from that of the CPU engine, of its largest sample. Blocks the page.
    pub fn against_the_cpu(&self) -> Result<f64, JsError> {
        let plan = self.shown()?.inputs.plan.batch(0..1);
        let expected = &shot::run(&Parallel, &plan).map_err(refused)?.shots[0].gather;
        let gather = self.shown()?.gather().ok_or_else(nothing)?;
        if gather.dim() != expected.dim() {
            return Err(refused("the gather is not complete"));
        }
        let size = |worst: f64, value: f32| worst.max(f64::from(value).abs());
        let largest = expected.iter().fold(0.0, |worst, value| size(worst, *value));
        let worst = gather.iter().zip(expected).fold(0.0, |worst, (a, b)| size(worst, a - b));
        Ok(worst / largest)
    }
}
