//! `huygens zero-offset`.

use crate::cli::{
    engines,
    failure::Failure,
    flags::{device::Devices, force::ForceArguments, job::JobArguments, output::OutputArguments},
    session::{Session, begin, by, finish, planning, results, stepped, steps},
    terminal::{
        progress::{self, Progress, tell},
        timeline,
    },
};
use huygens::{
    engine::{SnapshotView, Timings},
    io::folder::{FolderPath, RUN},
    job::JobFile,
    operations::{
        demand::Demand,
        zero_offset::{
            self, ZeroOffset,
            files::{Frames, Output},
        },
    },
    plan::{Plan, Warning},
    render::GatherFigure,
    run::{Elapsed, Record},
};
use std::{path::PathBuf, time::Instant};

#[derive(clap::Args)]
#[command(after_help = "Examples:\n  huygens zero-offset --out section\n  \
                        huygens zero-offset --migrate section/section.npy --out image\n\
                        Every reflector of the model explodes at t = 0 and velocities are halved. The model, operator, sides, time and \
                        receivers come from the job. The first source's wavelet sets the band of the section; its position is \
                        ignored. The top absorbs, whatever the job says.")]
pub struct Arguments {
    #[command(flatten)]
    job: JobArguments,
    /// Send a section back to the reflectivity, its first sample at t = 0: a .sgy or .su, which says where its traces
    /// are and how far its samples are apart, or a .npy of shape [receiver][time], which has the job's receivers and
    /// interval.
    #[arg(long, value_name = "SECTION")]
    migrate: Option<PathBuf>,
    #[command(flatten)]
    device: Devices,
    #[command(flatten)]
    pub output: OutputArguments,
    #[command(flatten)]
    force: ForceArguments,
}

pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    let session = Session::begin();
    let out = arguments.output.path("out");
    let mut file = arguments.job.open()?;
    arguments.output.apply_to(&mut file);
    file.fields_on_host = Some(arguments.device.fields_on_host());
    let reading = planning();
    file.forced = arguments.force.given;
    let mut inputs = file.inputs()?;
    let (direction, warnings) = file.zero_offset(arguments.migrate.as_deref(), &mut inputs)?;
    let mut frames = Frames::new(&file, &inputs, direction.section(), &FolderPath::from(&out))?;
    drop(reading);
    let of = ("zero-offset", &file, GatherFigure::LEAST);
    let (size, mut folder) = session.open(&arguments.output, of, (arguments.force, None))?;
    let stop = &session.stop();
    let engine = arguments.device.open_as_one(&inputs.plan, stop)?;
    let demand = Demand::of_zero_offset(&direction, &inputs.model, engine.as_ref());
    demand.check(&inputs.plan).map_err(Failure::input)?;
    let planned = session.seconds();
    let crowded = inputs.plan.crowded().map(Warning::Crowded);
    let warnings = file.with_remedies_that_do(warnings).into_iter().chain(crowded);
    let heading = describe(&file, &direction, &inputs.plan);
    let description = begin(heading, (&[engine.as_ref()], 1), warnings);

    let plan = &inputs.plan;
    let stepping = Progress::of_run(&[engine.as_ref()], plan, stop)?;
    let mut hear = |step| stepping.hear(step);
    let show = progress::show(stop);
    let results = &results(&folder, &file, size, &show);
    let output = Output { results, inputs: &inputs };
    let written = Instant::now();
    let mut heard = |snapshot: &SnapshotView<'_>| frames.record(snapshot);
    let engine_timings: Timings = match &direction {
        ZeroOffset::Forward(forward) => {
            let (section, timings) =
                zero_offset::section(engine.as_ref(), forward, &mut hear, &mut heard)?;
            drop(stepping);
            output.section(&section, forward.interval())?;
            timings
        }
        ZeroOffset::Backward(backward, _) => {
            let (image, timings) =
                zero_offset::image(engine.as_ref(), backward, &mut hear, &mut heard)?;
            drop(stepping);
            output.image(&image)?;
            timings
        }
    };
    output.field(frames)?;
    let output = (written.elapsed().as_secs_f64() - engine_timings.stepping).max(0.0);
    let end = stepped((plan, 1), engine_timings.stepping, &out);
    let seconds = Elapsed { plan: planned, engine: engine_timings, output };
    timeline::write(&folder, file.job.output.draws(0, 1).then_some(size))?;
    let mut record = Record::new(
        ("zero-offset", &file.job),
        &inputs,
        description,
        plan.memory(),
        folder.files(),
        (plan.updates(), Ok(seconds)),
    );
    record.shares = engine.shares();
    record.retried = engines::retried(&[engine.as_ref()]);
    // Input files are not removed from the folder.
    arguments.migrate.iter().for_each(|read| folder.spare(read));
    finish(folder, (RUN, &record), &arguments.output)?;
    tell(end);
    Ok(())
}

fn describe(file: &JobFile, direction: &ZeroOffset, plan: &Plan) -> [String; 2] {
    let what = match direction {
        ZeroOffset::Forward(_) => "exploding reflectors",
        ZeroOffset::Backward(..) => "a zero-offset section sent back",
    };
    let (name, nodes) = (file.model_name(), by(&plan.model_grid, plan.model_grid.n, ""));
    [format!("{name}: {what}, {nodes} nodes at half the velocities"), steps(&plan.time)]
}
