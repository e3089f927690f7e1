//! A run on the device as any engine's.

use super::GpuRun;
use crate::{
    EngineError, KeptState, Observer, Run, ShotState, SourceWavefield, State, Timings,
    gpu::{staging::bring, wavefield::Wavefield},
    grid::Axes,
    plan::Plan,
    share::Share,
    state,
};
use ndarray::Array3;
use std::sync::Arc;
use web_time::Instant;

impl Run for GpuRun {
    fn step(&self) -> usize {
        self.step
    }

    fn advance(&mut self, steps: usize, observer: &mut dyn Observer) -> Result<(), EngineError> {
        let started = Instant::now();
        let until = self.step.saturating_add(steps);
        self.complete(&mut |run| run.go_on(until, observer))?;
        self.stepping += started.elapsed().as_secs_f64();
        Ok(())
    }

    fn timings(&self) -> Timings {
        let device = self.clock.as_ref().map(|clock| clock.seconds);
        Timings { setup: 0.0, stepping: self.stepping, device }
    }

    fn finish(&mut self, observer: &mut dyn Observer) -> Result<Timings, EngineError> {
        self.complete(&mut |run| run.end(observer))?;
        Ok(self.timings())
    }

    fn restart(&mut self, plan: &Arc<Plan>) -> Result<bool, EngineError> {
        self.begin_again(Share::whole(plan))
    }

    fn state(&mut self) -> Result<State, EngineError> {
        self.wavefield.check_state()?;
        let shots = self.wavefield.state(&self.device, self.step)?;
        Ok(self.state_of(self.step, shots))
    }

    fn state_of(&self, step: usize, shots: Vec<ShotState>) -> State {
        State::new(&self.wavefield.own.plan, state::GPU, step, shots)
    }

    fn restore(&mut self, state: &State) -> Result<(), EngineError> {
        self.wavefield.check_state()?;
        self.forget();
        self.step = self.wavefield.restore(&self.device, state)?;
        Ok(())
    }

    fn keep(&mut self) -> Result<KeptState, EngineError> {
        self.wavefield.check_state()?;
        Ok(KeptState(Box::new(self.wavefield.keep(&self.device, self.step)?)))
    }

    fn put_back(&mut self, kept: &KeptState) -> Result<(), EngineError> {
        self.forget();
        self.step = self.wavefield.put_back(&self.device, kept.of()?)?;
        Ok(())
    }

    fn source_wavefield(&self) -> Option<SourceWavefield> {
        self.taps.iter().find_map(|tap| tap.source_wavefield())
    }

    fn field(&mut self, shot: usize) -> Result<Array3<f32>, EngineError> {
        let Wavefield { own, slabs, .. } = &self.wavefield;
        let mut field = Array3::zeros(own.plan.grid.shape());
        for slab in slabs {
            let layout = &slab.part.layout;
            let (from, first) = (slab.field(self.step), shot * layout.len());
            let to = slab.part.of_grid(own, &mut field);
            bring(&self.device, from, first, layout.len(), |p| {
                layout.copy_window(p, Axes::default(), to);
            })?;
        }
        own.plan.make_pressure_of_grid(shot, &mut field);
        Ok(field)
    }
}
