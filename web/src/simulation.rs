//! What the page calls: a job in, steps, pictures and files out. Every error is a text for its reader.

use crate::{
    back::Back,
    device,
    heard::Heard,
    notes,
    screen::{Scene, Screen},
};
use huygens::{
    engine::{
        EngineError, Run,
        gpu::{Gpu, GpuRun},
    },
    io::png,
    job::{Inputs, JobFile, examples},
    ndarray::{Array2, Array3, ArrayView3, ShapeBuilder, array, s},
    operations::shot::{ShotResult, ShotRun, files},
    plan::Plan,
    render::{Figure, FigureSize, model_greys, wave_colours},
    run::{Operation, PreparedJob},
};
use std::{
    collections::BTreeMap,
    fmt::Display,
    path::PathBuf,
    sync::{Arc, Mutex},
};
use wasm_bindgen::prelude::*;

/// More nodes than a page steps at the pace of a film.
const MOST_NODES: usize = 16_000_000;

/// An error for the reader.
pub fn refused(why: impl Display) -> JsError {
    JsError::new(&why.to_string())
}

/// A simulation in the page.
#[wasm_bindgen]
pub struct Simulation {
    screen: Screen,
    gpu: Gpu,
    pub(crate) files: BTreeMap<String, Arc<[u8]>>,
    shown: Option<Shown>,
}

/// The run on the screen.
pub struct Shown {
    pub file: JobFile,
    pub inputs: Inputs,
    pub plan: Arc<Plan>,
    /// The gather of the job's shot, which a run back does not record anew.
    pub heard: Heard,
    run: GpuRun,
    scene: Scene,
    /// The way back, if the gather is sent back.
    pub back: Option<Back>,
    pub ended: bool,
}

#[wasm_bindgen]
impl Simulation {
    /// Opens the browser's device to draw on a canvas.
    pub async fn open(canvas: web_sys::HtmlCanvasElement) -> Result<Simulation, JsError> {
        console_error_panic_hook::set_once();
        notes::listen();
        let screen = Screen::open(canvas).await.map_err(refused)?;
        let gpu = Gpu::on(screen.device.clone(), screen.queue.clone(), false).map_err(refused)?;
        Ok(Simulation { screen, gpu, files: BTreeMap::new(), shown: None })
    }

    /// The name of the device, as far as the browser tells it.
    pub fn device(&self) -> String {
        device::name(&self.gpu)
    }

    /// The built-in job of `huygens shot`.
    pub fn thesis() -> String {
        examples::thesis().to_owned()
    }

    /// Keeps a file for jobs that name it.
    pub fn give(&mut self, name: String, bytes: Vec<u8>) {
        self.files.insert(name, bytes.into());
    }

    /// Frees all files, once the run that reads them is replaced.
    pub fn forget(&mut self) {
        self.files.clear();
    }

    /// The colours of the wave, as a gradient of a style sheet is written.
    pub fn wave_bar() -> String {
        let (colours, ground) = (wave_colours(), greys()[1]);
        let shown = colours.iter().step_by(colours.len() / 32);
        let colour = |[r, g, b, kept]: &[f32; 4]| {
            let [r, g, b] = [r, g, b].map(|c| c + ground * kept);
            format!("rgb({r:.0} {g:.0} {b:.0})")
        };
        shown.map(colour).collect::<Vec<_>>().join(", ")
    }

    /// The greys of the slowest and the fastest velocity, likewise.
    pub fn velocity_bar() -> String {
        let [slow, _, fast] = greys();
        format!("rgb({slow:.0} {slow:.0} {slow:.0}), rgb({fast:.0} {fast:.0} {fast:.0})")
    }

    /// Reads a job and stands at t = 0 of its first shot; returns the warnings.
    pub fn begin(&mut self, text: &str) -> Result<Vec<String>, JsError> {
        self.begin_as(text, false)
    }

    /// Sends steps up to one, and receives what is finished; true once it is there. Never waits.
    pub fn go_on(&mut self, until: usize) -> Result<bool, JsError> {
        // A run that is over would not notice.
        self.gpu.poll().map_err(refused)?;
        let shown = self.shown.as_mut().ok_or_else(nothing)?;
        shown.go_on(until).map_err(refused)
    }

    /// The step of the field on the device.
    pub fn step(&self) -> usize {
        self.shown.as_ref().map_or(0, |shown| shown.run.step())
    }

    /// The last step.
    pub fn steps(&self) -> usize {
        self.shown.as_ref().map_or(0, |shown| shown.plan.time.steps)
    }

    /// Seconds of a step.
    pub fn interval(&self) -> f64 {
        self.shown.as_ref().map_or(0.0, |shown| shown.plan.time.dt)
    }

    /// Seconds that the gather lasts.
    pub fn duration(&self) -> f64 {
        self.shown.as_ref().map_or(0.0, |shown| {
            let time = &shown.inputs.plan.time;
            time.at(time.steps)
        })
    }

    /// Time of the field, s; of a gather that is sent back, that of the gather.
    pub fn time(&self) -> f64 {
        self.shown.as_ref().map_or(0.0, |shown| {
            let time = shown.plan.time.at(shown.run.step());
            shown.back.as_ref().map_or(time, |back| back.duration - time)
        })
    }

    /// True if the run and its gather are complete.
    pub fn ended(&self) -> bool {
        self.shown.as_ref().is_some_and(|shown| shown.ended)
    }

    /// Metres of the model along x and z, then nodes along them.
    pub fn size(&self) -> Vec<f64> {
        let Some(shown) = &self.shown else { return Vec::new() };
        let grid = shown.inputs.model.grid();
        let last = |n: usize, h: f64| n.saturating_sub(1) as f64 * h;
        vec![last(grid.n.x, grid.h.x), last(grid.n.z, grid.h.z), grid.n.x as f64, grid.n.z as f64]
    }

    /// The slowest and the fastest velocity, m/s.
    pub fn velocities(&self) -> Vec<f32> {
        self.shown.as_ref().map_or(Vec::new(), |shown| {
            let (slowest, fastest) = shown.inputs.model.range();
            vec![slowest, fastest]
        })
    }

    /// Draws the field on a canvas of so many pixels.
    pub fn draw(&mut self, width: u32, height: u32) -> bool {
        self.screen.resize(width, height);
        let Some(shown) = &self.shown else { return false };
        let field = shown.run.on_device(0);
        field.is_some_and(|field| self.screen.draw(&shown.scene, field))
    }

    /// Begins to copy the field to the host for [`Simulation::wave_png`].
    pub fn copy(&self) -> Result<Copied, JsError> {
        let shown = self.shown.as_ref().ok_or_else(nothing)?;
        let field = shown.run.on_device(0).ok_or_else(nothing)?;
        let n = shown.inputs.model.grid().n;
        let values = (n.x - 1) * field.apart.x + n.z;
        let what = (field.apart.x, shown.told_step());
        Ok(self.copied(field.buffer, (field.first, values), what))
    }

    /// Begins to copy the pressure at the ends of the colours to the host for [`Copied::largest`].
    pub fn scale(&self) -> Result<Copied, JsError> {
        let shown = self.shown()?;
        Ok(self.copied(shown.scene.scale(), (1, 1), (1, shown.told_step())))
    }

    /// The picture of a copied field with its axes, as the command line draws it: PNG.
    pub fn wave_png(&self, copied: &Copied) -> Result<Vec<u8>, JsError> {
        let shown = self.shown.as_ref().ok_or_else(nothing)?;
        let n = shown.inputs.model.grid().n;
        let values = copied.buffer.get_mapped_range(..).map_err(refused)?;
        let shape = (1, n.x, n.z).strides((1, copied.column, 1));
        let values: &[f32] = bytemuck::cast_slice(&values);
        let field = ArrayView3::from_shape(shape, values).map_err(refused)?;
        let mut field = field.as_standard_layout().into_owned();
        shown.plan.make_pressure(0, &mut field);
        let (file, step) = (&shown.file, copied.step);
        let figure = files::snapshot_figure(file, &shown.inputs, 0, step, field.view());
        shown.png(&*figure.map_err(refused)?)
    }
}

impl Simulation {
    /// The run on the screen.
    pub fn shown(&self) -> Result<&Shown, JsError> {
        self.shown.as_ref().ok_or_else(nothing)
    }

    /// [`Simulation::begin`], with p kept by its increments if asked for.
    pub fn begin_as(&mut self, text: &str, by_increments: bool) -> Result<Vec<String>, JsError> {
        self.shown = None;
        drop(notes::take());
        let mut file = JobFile::parse("this job", text, PathBuf::new()).map_err(refused)?;
        file.supplied.files = self.files.clone();
        let operation = ShotRun::of(PreparedJob::new(&file).map_err(refused)?);
        let warnings = operation.warnings();
        let mut inputs = operation.job().inputs.clone();
        inputs.plan.by_increments |= by_increments;
        let plan = Arc::new(inputs.plan.batch(0..1));
        if plan.grid.is_volume() {
            return Err(refused(
                "the page shows planes; a volume is modelled by the command line, from the same job",
            ));
        }
        let nodes = plan.grid.n.x * plan.grid.n.z;
        if nodes > MOST_NODES {
            return Err(refused(format_args!(
                "the model has {nodes} nodes with its layers, and the page shows up to {MOST_NODES}; take a wider spacing, or the command line"
            )));
        }
        let heard = Heard::new(&plan);
        let (run, scene) = self.started(&inputs, plan.clone())?;
        self.shown =
            Some(Shown { file, inputs, plan, heard, run, scene, back: None, ended: false });
        Ok(notes::take().into_iter().chain(warnings).collect())
    }

    /// Shows the way back of the gather.
    pub fn turn(&mut self, plan: Arc<Plan>, back: Back) -> Result<(), JsError> {
        let (run, scene) = self.started(&self.shown()?.inputs, plan.clone())?;
        if let Some(shown) = &mut self.shown {
            (shown.plan, shown.run, shown.scene) = (plan, run, scene);
            (shown.back, shown.ended) = (Some(back), false);
        }
        Ok(())
    }

    fn copied(
        &self,
        from: &huygens::engine::gpu::wgpu::Buffer,
        part: (usize, usize),
        (column, step): (usize, usize),
    ) -> Copied {
        let told = Told::default();
        let tell = told.clone();
        let done = move |mapped| drop(tell.lock().map(|mut told| *told = Some(mapped)));
        Copied { buffer: self.screen.copied(from, part, done), told, column, step }
    }

    fn started(&self, inputs: &Inputs, plan: Arc<Plan>) -> Result<(GpuRun, Scene), JsError> {
        let n = inputs.model.grid().n;
        let nodes = if plan.medium.name().is_some() { (1, n.x, n.z) } else { (1, 1, 1) };
        let mut factors = Array3::ones(nodes);
        plan.make_pressure(0, &mut factors);
        let run = self.gpu.begin(plan).map_err(refused)?;
        let field = run.on_device(0).ok_or_else(|| {
            refused("the field does not fit one buffer of the device; take a wider spacing")
        })?;
        let velocity = inputs.model.velocity();
        let factors: Vec<f32> = factors.into_iter().collect();
        let scene = self.screen.scene(velocity.slice(s![0, .., ..]), &factors, field);
        Ok((run, scene))
    }
}

/// Whether a copy is there, or why it will not be.
type Told = Arc<Mutex<Option<Result<(), String>>>>;

/// A field, or the pressure at the ends of its colours, on its way to the host.
#[wasm_bindgen]
pub struct Copied {
    buffer: huygens::engine::gpu::wgpu::Buffer,
    told: Told,
    column: usize,
    step: usize,
}

#[wasm_bindgen]
impl Copied {
    /// True once it is there.
    pub fn is_there(&self) -> Result<bool, JsError> {
        match self.told.lock().map_err(refused)?.clone() {
            Some(told) => told.map(|()| true).map_err(refused),
            None => Ok(false),
        }
    }

    /// The first value of a copy that is there.
    pub fn largest(&self) -> Result<f32, JsError> {
        let values = self.buffer.get_mapped_range(..).map_err(refused)?;
        Ok(bytemuck::cast_slice(&values)[0])
    }
}

impl Shown {
    fn go_on(&mut self, until: usize) -> Result<bool, EngineError> {
        let steps = self.plan.time.steps;
        if self.run.step() < steps {
            let there = self.run.go_on(until, &mut self.heard)?;
            if self.run.step() < steps {
                return Ok(there);
            }
        }
        if self.ended {
            return Ok(true);
        }
        // From the last step on this alone: to go on would receive the end without noticing it.
        self.ended = self.run.end(&mut self.heard)?;
        match (&mut self.back, self.heard.gathers.shots.first_mut()) {
            (None, Some(gather)) if self.ended => self.plan.correct(gather),
            (Some(back), _) if self.ended => {
                self.heard.focus.take().into_iter().for_each(|map| back.find(&self.plan, map));
            }
            _ => (),
        }
        Ok(self.ended)
    }

    /// The step that pictures tell: of a gather that is sent back, that of its time.
    fn told_step(&self) -> usize {
        let step = self.run.step();
        let dt = self.inputs.plan.time.dt;
        let at = |back: &Back| {
            ((back.duration - self.plan.time.at(step)) / dt).round().max(0.0) as usize
        };
        self.back.as_ref().map_or(step, at)
    }

    /// The gather so far, shape `[receiver][time]`; `None` without receivers or samples.
    pub fn gather(&self) -> Option<Array2<f32>> {
        let gather = self.heard.gathers.shots.first()?;
        let kept = self.heard.samples.min(gather.ncols());
        (kept > 0 && gather.nrows() > 0).then(|| gather.slice(s![.., ..kept]).to_owned())
    }

    /// What the command line makes of a shot.
    pub fn result(&self) -> Option<ShotResult> {
        Some(ShotResult { shot: 0, gather: self.gather()?, snapshots: Vec::new(), until: None })
    }

    /// A figure as PNG, with the job in it.
    pub fn png(&self, figure: &dyn Figure) -> Result<Vec<u8>, JsError> {
        let size = FigureSize::default();
        let about = png::About {
            title: figure.title().to_owned(),
            command: "huygens in a browser".into(),
            job: Some(self.file.text.to_string()),
            dpi: size.dpi(),
        };
        Ok(png::bytes(&figure.draw(size).map_err(refused)?, &about))
    }
}

/// The greys of the slowest velocity, of a quarter of the way to the fastest, as behind the colour bar of the
/// pictures, and of the fastest.
fn greys() -> [f32; 3] {
    let greys = model_greys(array![[0.0, 0.25, 1.0]].view());
    [greys[(0, 0)], greys[(0, 1)], greys[(0, 2)]]
}

/// Of what there is only once something is recorded.
pub fn nothing() -> JsError {
    JsError::new("nothing has been recorded yet")
}
