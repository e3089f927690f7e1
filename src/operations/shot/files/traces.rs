//! Gathers as traces: SEG-Y, or Seismic Unix.

use crate::{
    grid::Position,
    io::{
        journal::PieceWriter,
        segy::{
            Bins, ByteOrder, Format, LengthUnit, Placing, ShotSpec, SurveyFile, SurveySpec,
            ValueUnit,
        },
    },
    job::{GatherFormat, Inputs, JobFile},
    operations::shot::ShotResult,
};
use crate::{
    program::PROGRAM,
    results::{Results, ResultsError, job_line},
};
use ndarray::{CowArray, Ix2};

/// The trace formats, with their file extensions.
pub(crate) const FORMATS: [(GatherFormat, &str); 2] =
    [(GatherFormat::Sgy, "sgy"), (GatherFormat::Su, "su")];

/// Positions that are rounded by more, in cells, are warned of.
const ROUNDED: f64 = 0.01;

/// A warning if the headers of traces have no room for the digits of positions on a fine grid.
pub(crate) fn position_warning(file: &JobFile, inputs: &Inputs) -> Option<String> {
    let (plan, placement) = (&inputs.plan, *inputs.model.placement());
    let writes =
        FORMATS.iter().any(|(format, _)| file.job.output.writes(*format, plan.shots.len()));
    let h = plan.survey_grid().h;
    let cell = if plan.grid.is_volume() { h.z.min(h.x).min(h.y) } else { h.z.min(h.x) };
    // Near the first node the finest scalar has room.
    if !writes || (placement.is_plain() && ROUNDED * cell > 1e-4) {
        return None;
    }
    let shots = plan.shots.iter().map(|shot| &shot.asked);
    let points = shots.flat_map(|asked| {
        asked.sources.iter().map(|source| source.at).chain(asked.receivers.iter().copied())
    });
    let points = points.map(|at| placement.on_map(at));
    let rounding = Placing::new(LengthUnit::Metre, points.clone()).ok()?.rounding(points);
    (rounding > ROUNDED * cell).then(|| {
        format!(
            "positions in headers of SEG-Y and Seismic Unix are rounded by up to {rounding:.1e} m, {:.2} cells of the grid: gradient, \
             invert and rtm take those of the job instead; for other readers write them with output.gathers = [\"npz\"]",
            rounding / cell
        )
    })
}

/// The files that all shots of a survey share, each with its name.
pub(crate) fn shared(
    file: &JobFile,
    inputs: &Inputs,
) -> Result<Vec<(String, SurveyFile)>, ResultsError> {
    let (output, shots) = (&file.job.output, inputs.plan.shots.len());
    let wanted = FORMATS.iter().filter(|(format, _)| {
        !output.per_shot && inputs.plan.most_receivers() > 0 && output.writes(*format, shots)
    });
    wanted
        .map(|(format, ending)| {
            let traces = SurveyTraces::modelled(*format, inputs.plan.time.kept(), inputs);
            Ok((format!("gathers.{ending}"), traces.of_all(file, inputs)?))
        })
        .collect()
}

/// The traces of a file.
#[derive(Clone, Copy)]
pub(crate) struct SurveyTraces<'a> {
    pub(crate) format: GatherFormat,
    /// Samples of a trace, and the seconds between them.
    pub(crate) samples: usize,
    pub(crate) interval: f64,
    /// The first line of the textual header.
    pub(crate) heading: &'a str,
}

impl<'a> SurveyTraces<'a> {
    /// Modelled pressure.
    fn modelled(format: GatherFormat, samples: usize, inputs: &Inputs) -> Self {
        SurveyTraces { format, samples, interval: inputs.plan.time.interval(), heading: "PRESSURE" }
    }

    /// The file of all shots of a job.
    fn of_all(self, file: &JobFile, inputs: &Inputs) -> Result<SurveyFile, ResultsError> {
        let shots = 0..inputs.plan.shots.len();
        let sorted = format!("{} shots, one after the other", shots.len());
        self.of(file, inputs, shots, vec![sorted])
    }

    /// Writes the gathers of all shots of a job, each as it is asked for.
    pub(crate) fn write<'g>(
        self,
        name: &str,
        results: &Results<'_>,
        inputs: &Inputs,
        gather: impl Fn(usize) -> CowArray<'g, f32, Ix2>,
    ) -> Result<(), ResultsError> {
        let survey = self.of_all(results.file, inputs)?;
        let mut writer = PieceWriter::whole(results.folder, name)?;
        writer.push(&survey.headers().map_err(ResultsError::failed)?)?;
        for shot in 0..inputs.plan.shots.len() {
            let traces = survey.shot(shot, gather(shot).view());
            writer.push(&traces.map_err(ResultsError::failed)?)?;
        }
        writer.end();
        Ok(())
    }

    /// The file of some shots, and its textual header.
    fn of(
        self,
        file: &JobFile,
        inputs: &Inputs,
        shots: std::ops::Range<usize>,
        said: Vec<String>,
    ) -> Result<SurveyFile, ResultsError> {
        let SurveyTraces { format, samples, interval, .. } = self;
        let plan = &inputs.plan;
        let placement = *inputs.model.placement();
        let shots = shots.map(|shot| {
            let asked = &plan.shots[shot].asked;
            let source = asked.sources.first().map_or(Position::default(), |source| source.at);
            let on_map = |at: &Position| placement.on_map(*at);
            ShotSpec {
                record: shot as i64 + 1,
                source: on_map(&source),
                receivers: match placement.is_plain() {
                    true => asked.receivers.clone(),
                    false => asked.receivers.iter().map(on_map).collect(),
                },
            }
        });
        let grid = plan.survey_grid();
        let width = (grid.h.x, if grid.is_volume() { grid.h.y } else { 0.0 });
        let spec = SurveySpec {
            text: self.text(file, inputs, said),
            shots: shots.collect(),
            samples,
            interval,
            format: Format::F32,
            order: if format == GatherFormat::Su { ByteOrder::Little } else { ByteOrder::Big },
            unit: LengthUnit::Metre,
            bins: Some(Bins { width, along_x: grid.n.x, placement }),
            values: ValueUnit::Pascal,
        };
        match format {
            GatherFormat::Su => SurveyFile::su(spec),
            _ => SurveyFile::segy(spec),
        }
        .map_err(ResultsError::failed)
    }

    /// The origin of the file, for its textual header.
    fn text(self, file: &JobFile, inputs: &Inputs, said: Vec<String>) -> Vec<String> {
        let mut said = said.into_iter();
        let wavelet_unit = if inputs.plan.grid.is_volume() { "Pa m" } else { "Pa" };
        let mut lines = vec![format!("{}, modelled by {PROGRAM}", self.heading), job_line(file)];
        lines.extend(said.next());
        lines.extend(wavelet(inputs));
        lines.extend([
            format!("Positions in headers: first source and receiver, metres {}", from(inputs)),
            "depth is positive down: bytes 49 and minus bytes 41".into(),
            "CDPs are columns of the model below the midpoints, from 1, x first".into(),
            format!("Sample interval {} s, the first sample at t = 0", self.interval),
            "Samples: IEEE floating point (5), big-endian; in pascals (bytes 203-204)".into(),
            format!("if the wavelet is in {wavelet_unit}"),
        ]);
        lines.extend(said);
        lines
    }
}

/// The file of one shot: one trace per receiver, the first source's position in each
/// header.
pub fn of_one(
    format: GatherFormat,
    file: &JobFile,
    inputs: &Inputs,
    result: &ShotResult,
) -> Result<SurveyFile, ResultsError> {
    let plan = &inputs.plan;
    let (shot, shots) = (result.shot, plan.shots.len());
    let sources = plan.shots[shot].asked.sources.len();
    let which = format!("Shot {} of {shots}; sources that fire together: {sources}", shot + 1);
    let ended = result.until.map(|step| format!("The field blew up; traces end at step {step}"));
    let said = std::iter::once(which).chain(ended).collect();
    let traces = SurveyTraces::modelled(format, result.gather.ncols(), inputs);
    traces.of(file, inputs, shot..shot + 1, said)
}

/// Where the positions in headers are counted from.
fn from(inputs: &Inputs) -> &'static str {
    if inputs.model.placement().is_plain() { "from the first node;" } else { "on the map;" }
}

/// The wavelet of the first source, and whether others differ.
fn wavelet(inputs: &Inputs) -> Option<String> {
    let mut sources = inputs.plan.shots.iter().flat_map(|shot| &shot.asked.sources);
    let first = sources.next()?;
    let others = if sources.all(|other| other.wavelet == first.wavelet) { "" } else { "; others" };
    Some(format!("WAVELET {}{others}", first.wavelet))
}
