//! The content of a trace file: a model, gathers or anything else in SEG-Y or Seismic Unix format.

use crate::cli::{
    failure::{Failure, named},
    terminal::{
        escape,
        say::{self, counted, print},
    },
};
use huygens::io::{
    gather_file::GatherFileError,
    model_file::{Format, Plausible},
    segy::{
        self, By, ByteOrder, Contents, Extent, IntervalUnit, LengthUnit, Overrides, ReadAs, Reader,
        ReaderOptions, SegyError, SurveyGrid, Warning, contents,
    },
};
use huygens::{message::Names, rounded::rounded};
use serde::Serialize;
use std::{
    collections::BTreeMap,
    io::{Read, Seek},
    path::{Path, PathBuf},
};

/// The report on a file, of its traces or of arrays.
#[derive(Serialize)]
#[serde(untagged)]
pub enum FileReport<A> {
    Arrays(Box<A>),
    Traces(Box<TraceInfo>),
}

/// Prints the reports on files, one that is not read after the others.
pub fn report<A: Serialize>(
    files: &[PathBuf],
    json: bool,
    read: impl Fn(&Path) -> Result<FileReport<A>, String>,
    text_of: impl Fn(&A) -> String,
) -> Result<(), Failure> {
    let (mut reports, mut refused) = (Vec::new(), Vec::new());
    for path in files {
        match read(path) {
            Ok(report) => reports.push(report),
            Err(message) => refused.push(message),
        }
    }
    if json {
        print(serde_json::to_string_pretty(&reports).map_err(Failure::run)?)?;
    } else if !reports.is_empty() {
        let texts = reports.iter().map(|report| match report {
            FileReport::Arrays(info) => text_of(info),
            FileReport::Traces(info) => text(info),
        });
        print(texts.collect::<Vec<_>>().join("\n\n"))?;
    }
    let Some(last) = refused.pop() else { return Ok(()) };
    for message in refused {
        say::report(Failure::input(message), None);
    }
    Err(Failure::input(last))
}

/// The content of a trace file; positions in its own unit, with their scalars applied.
#[derive(Serialize)]
pub struct TraceInfo {
    path: String,
    format: Format,
    /// None for Seismic Unix.
    revision: Option<u8>,
    byte_order: &'static str,
    /// The standard's format code.
    sample_format: i16,
    traces: u64,
    samples: usize,
    /// The value of the sample-interval field.
    interval: Option<f64>,
    /// Metres that it counts, if they are given.
    interval_metres: Option<f64>,
    /// Seismic Unix: true if traces are marked as depth traces.
    depth: bool,
    d1: Option<f64>,
    d2: Option<f64>,
    length_unit: Option<&'static str>,
    least: Option<f64>,
    most: Option<f64>,
    not_finite: u64,
    gathers: u64,
    traces_of_a_gather: (u64, u64),
    records: Extent,
    inlines: Extent,
    crosslines: Extent,
    ensembles: [Extent; 2],
    /// x, y, depth.
    sources: [Extent; 3],
    receivers: [Extent; 3],
    coordinate_scalars: Vec<i64>,
    elevation_scalars: Vec<i64>,
    /// How many traces have each code.
    identifications: BTreeMap<i64, u64>,
    at_sources: bool,
    offsets: Extent,
    /// s
    delays: Extent,
    #[serde(skip)]
    is_model: bool,
    grid: Option<GridInfo>,
    looks: String,
    warnings: Vec<String>,
    text: Vec<String>,
    #[serde(skip)]
    of_grid: String,
    #[serde(skip)]
    kind: String,
}

/// A regular grid of traces.
#[derive(Serialize)]
struct GridInfo {
    x: usize,
    y: usize,
    /// Along x and y.
    spacing: Option<(f64, f64)>,
}

/// Reads a whole file, one trace at a time. What is told of gathers alone is not of a model.
pub fn read(
    path: &Path,
    format: Format,
    given: Overrides,
    is_model: bool,
) -> Result<TraceInfo, SegyError> {
    let is_su = format == Format::Su;
    given.fields.check(match (is_model, is_su) {
        (true, true) => ReadAs::SuModel,
        (true, false) => ReadAs::Model,
        (false, true) => ReadAs::SuGathers,
        (false, false) => ReadAs::Gathers,
    })?;
    let reader = Reader::open(path, ReaderOptions { is_su, overrides: given })?;
    info(path, format, reader, is_model)
}

impl TraceInfo {
    /// The same with the unit of the sample interval, in metres, if it is given.
    pub fn counting(self, interval_metres: Option<f64>) -> Self {
        TraceInfo { interval_metres, ..self }
    }
}

fn info<R: Read + Seek>(
    path: &Path,
    format: Format,
    mut reader: Reader<R>,
    is_model: bool,
) -> Result<TraceInfo, SegyError> {
    let held = contents(&mut reader)?;
    let layout = *reader.layout();
    let places = match reader.is_su() {
        true => vec![held.receivers[0], held.receivers[1]],
        false => vec![held.ensembles.0, held.ensembles.1],
    };
    let nowhere = all_zero(&places).then_some(match reader.is_su() {
        true => "without positions of receivers",
        false => "without positions of ensembles (bytes 181-188)",
    });
    let grid = held.grid.as_ref().and_then(|grid| grid.as_ref().ok());
    let order = match reader.order() {
        ByteOrder::Big => "big-endian",
        ByteOrder::Little => "little-endian",
    };
    let name = match reader.is_su() {
        true => "Seismic Unix".to_owned(),
        false => format!("SEG-Y revision {}", layout.revision),
    };
    let su_unit = (reader.is_su() && layout.unit.is_none()).then_some(Warning::SuUnit);
    let unnamed = su_unit.filter(|_| !is_model);
    let of_model = held.of_model.iter().filter(|_| is_model);
    let all = reader.warnings().iter().chain(&held.of_places).chain(&unnamed).chain(of_model);
    let told = all.filter(|warning| !(is_model && warning.is_of_gathers())).map(Warning::to_string);
    let bad = (!(is_model || held.bad.is_empty()))
        .then(|| GatherFileError::NotFinite { numbers: held.bad.clone() }.to_string());
    let names = (!is_model).then_some(Names::Gather);
    let text = reader.texts().iter().flatten().map(|line| line.trim_end().to_owned());
    Ok(TraceInfo {
        path: path.display().to_string(),
        format,
        revision: (!reader.is_su()).then_some(layout.revision),
        byte_order: order,
        sample_format: layout.format.code(),
        traces: layout.traces,
        samples: layout.samples,
        interval: layout.interval,
        interval_metres: None,
        depth: held.is_depth(),
        d1: held.d1,
        d2: held.d2,
        length_unit: layout.unit.map(|unit| match unit {
            LengthUnit::Metre => "m",
            LengthUnit::Foot => "ft",
        }),
        least: held.values.map(|(least, _)| least),
        most: held.values.map(|(_, most)| most),
        not_finite: held.not_finite,
        gathers: held.gathers,
        traces_of_a_gather: held.gather_traces,
        records: held.records,
        inlines: held.inlines.0,
        crosslines: held.crosslines.0,
        ensembles: [held.ensembles.0, held.ensembles.1],
        sources: held.sources,
        receivers: held.receivers,
        coordinate_scalars: held.coordinate_scalars.iter().copied().collect(),
        elevation_scalars: held.elevation_scalars.iter().copied().collect(),
        identifications: held.identifications.clone(),
        at_sources: held.at_sources,
        offsets: held.offsets,
        delays: held.delays,
        is_model,
        grid: grid.map(|grid| GridInfo { x: grid.nx, y: grid.ny, spacing: grid.spacing }),
        looks: looks(&held),
        warnings: told.chain(bad).map(|warning| named(names, warning)).collect(),
        text: text.filter(|line| has_words(line)).collect(),
        of_grid: match &held.grid {
            Some(Ok(grid)) => placed(grid, layout.unit, nowhere),
            Some(Err(_)) => "none: the traces fill no regular grid".into(),
            None => "none: coordinates are angles (bytes 89-90 of the trace header)".into(),
        },
        kind: format!("{name}, {order}, {}", samples(layout.format)),
    })
}

/// True if a line of a textual header contains more than its number.
fn has_words(line: &str) -> bool {
    let line = line.strip_prefix('C').unwrap_or(line);
    line.chars().any(|c| !c.is_ascii_digit() && !c.is_whitespace())
}

/// The name of the sample format.
fn samples(format: segy::Format) -> String {
    let name = match format {
        segy::Format::Ibm => "IBM floats",
        segy::Format::F32 => "IEEE floats",
        segy::Format::F64 => "IEEE doubles",
        segy::Format::I8 => "1-byte integers",
        segy::Format::I16 => "2-byte integers",
        segy::Format::I24 => "3-byte integers",
        segy::Format::I32 => "4-byte integers",
        segy::Format::I64 => "8-byte integers",
        segy::Format::U8 => "unsigned 1-byte integers",
        segy::Format::U16 => "unsigned 2-byte integers",
        segy::Format::U24 => "unsigned 3-byte integers",
        segy::Format::U32 => "unsigned 4-byte integers",
        segy::Format::U64 => "unsigned 8-byte integers",
    };
    format!("{name} (format {})", format.code())
}

/// The placement of traces on a grid.
fn placed(grid: &SurveyGrid, unit: Option<LengthUnit>, nowhere: Option<&str>) -> String {
    let by = match grid.by {
        By::Lines => "by inline and crossline numbers",
        By::Coordinates => "by positions",
        By::Sequence => "in the order of the file",
    };
    let unit = match unit {
        Some(LengthUnit::Metre) => " m",
        Some(LengthUnit::Foot) => " ft",
        None => "",
    };
    let spacing = match (grid.spacing, grid.ny, nowhere) {
        (Some((x, _)), 1, _) => format!("{}{unit} apart", rounded(x)),
        (Some((x, y)), _, _) => format!("{}{unit} and {}{unit} apart", rounded(x), rounded(y)),
        (None, _, Some(nowhere)) => nowhere.into(),
        (None, _, None) => "no even spacing in their positions".into(),
    };
    match grid.ny {
        1 => format!("a plane of {} along x {by}, {spacing}", counted(grid.nx, "trace")),
        ny => format!("{} traces along x and {ny} along y {by}, {spacing}", grid.nx),
    }
}

/// A guess at the kind of samples.
fn looks(held: &Contents) -> String {
    let Some((least, most)) = held.values else { return "no sample is finite".into() };
    if held.not_finite > 0 {
        return "no model: not all samples are finite".into();
    }
    match Plausible::of((least as f32, most as f32)) {
        Plausible::Yes => "plausible velocities in m/s, if it is a model",
        Plausible::FeetASecond => {
            "velocities in ft/s, or of the mantle in m/s, if it is a model: read the former with --unit ft/s"
        }
        Plausible::KilometresASecond => {
            "velocities in km/s, if it is a model: read it with --unit km/s"
        }
        Plausible::KilometresOrSlowness => {
            "velocities in km/s or slowness in s/km, if it is a model: read it with --unit km/s or s/km"
        }
        Plausible::CentimetresASecond => {
            "velocities in cm/s, if it is a model: read it with --unit cm/s"
        }
        Plausible::Slowness => {
            "slowness in s/km or its square in s2/km2, if it is a model: read it with --unit s/km or s2/km2"
        }
        Plausible::SlownessInMetres => {
            "slowness in s/m, if it is a model: read it with --unit s/m"
        }
        Plausible::Signed => "no velocities: values of both signs, as in a gather or a section",
        Plausible::No => "no velocities in m/s: those of rocks and water are from 100 to 14000",
    }
    .into()
}

/// The range from minimum to maximum.
fn range(extent: Extent) -> String {
    match extent {
        None => "none".into(),
        Some((least, most)) if least == most => rounded(least).to_string(),
        Some((least, most)) => format!("{} to {}", rounded(least), rounded(most)),
    }
}

fn all_zero(extents: &[Extent]) -> bool {
    extents.iter().all(|extent| matches!(extent, None | Some((0.0, 0.0))))
}

fn list(numbers: &[i64]) -> String {
    let shown: Vec<_> = numbers.iter().take(6).map(ToString::to_string).collect();
    let more = if numbers.len() > 6 { ", ..." } else { "" };
    shown.join(", ") + more
}

/// Trace identification codes, with their meaning and counts.
fn codes(counts: &BTreeMap<i64, u64>) -> String {
    let one = |(code, traces): (&i64, &u64)| {
        let what = segy::code_name(*code);
        format!("{code} ({what}): {}", counted(*traces as usize, "trace"))
    };
    counts.iter().map(one).collect::<Vec<_>>().join(", ")
}

/// Number of textual-header lines shown.
const TEXT_LINES: usize = 6;

/// One line per property, its name first.
pub fn text(info: &TraceInfo) -> String {
    let mut text = escape::line(&info.path);
    let mut line = |name: &str, said: String| {
        text += &format!("\n  {name:<10} {}", escape::line(said));
    };
    line("format", info.kind.clone());
    line("traces", format!("{} of {}", info.traces, counted(info.samples, "sample")));
    line(
        "interval",
        match (info.interval, info.d1, IntervalUnit::in_text(info.text.iter())) {
            (Some(interval), ..) if info.interval_metres.is_some() => {
                let metres = info.interval_metres.map_or(interval, |unit| unit * interval);
                format!("{interval}: {} m of depth, as given", rounded(metres))
            }
            (interval, Some(d1), _) if info.depth || interval.is_none() => {
                let depth = if info.depth { ", of depth" } else { "" };
                format!("d1 is {d1}{depth}; metres, unless --unit says otherwise")
            }
            (Some(interval), _, Some(unit)) => {
                format!("{interval} {} of depth, as its text says", unit.symbol())
            }
            (Some(interval), ..) => format!(
                "{interval}: {} ms in files of time; in files of depth no field says what it counts",
                rounded(interval / 1e3)
            ),
            _ => "none".into(),
        },
    );
    let not_finite = match info.not_finite {
        0 => String::new(),
        count => format!(", and {count} that are not finite"),
    };
    let values = match (info.least, info.most) {
        (Some(least), Some(most)) => format!("{} to {}", rounded(least), rounded(most)),
        _ => "none".into(),
    };
    line("values", values + &not_finite);
    line("", info.looks.clone());
    line("gathers", {
        let records = range(info.records);
        match (info.gathers, info.traces_of_a_gather) {
            _ if all_zero(&[info.records]) && all_zero(&info.sources) => {
                "none: field records and source positions are all 0".into()
            }
            (2.., (1, 1)) if info.at_sources => {
                format!(
                    "none: each source is at its receiver, as in a section or a recording of unknown sources; field records {records}"
                )
            }
            (2.., (1, 1)) => {
                format!("none: no two traces in a row have one source and field record ({records})")
            }
            (1, (_, most)) => {
                format!("1 of {}, field record {records}", counted(most as usize, "trace"))
            }
            (gathers, (least, most)) if least == most => {
                format!("{gathers} of {}, field records {records}", counted(most as usize, "trace"))
            }
            (gathers, (least, most)) => {
                format!("{gathers} of {least} to {most} traces, field records {records}")
            }
        }
    });
    if let (Some(_), false) = (info.revision, all_zero(&[info.inlines, info.crosslines])) {
        let (inlines, crosslines) = (range(info.inlines), range(info.crosslines));
        line("lines", format!("inlines {inlines}, crosslines {crosslines}"));
    }
    line("grid", info.of_grid.clone());
    if let Some(d2) = info.d2 {
        line("", format!("d2 is {d2}; metres, unless --unit says otherwise"));
    }
    let unit = match (info.revision, info.length_unit) {
        (_, Some(unit)) => format!(" {unit}"),
        (Some(_), None) => " (m or ft: the file does not say)".into(),
        (None, None) => String::new(),
    };
    let [x, y] = &info.ensembles;
    if !all_zero(&info.ensembles) {
        line("ensembles", format!("x {}, y {}{unit}", range(*x), range(*y)));
    }
    for (name, at) in [("sources", &info.sources), ("receivers", &info.receivers)] {
        let [x, y, z] = at.map(range);
        line(
            name,
            match all_zero(at) {
                true => "no positions: all are 0".into(),
                false => format!("x {x}, y {y}, depth {z}{unit}"),
            },
        );
    }
    if !all_zero(&[info.offsets]) {
        line("offsets", range(info.offsets));
    }
    line("codes", codes(&info.identifications));
    let (across, up) = (list(&info.coordinate_scalars), list(&info.elevation_scalars));
    line("scalars", format!("coordinates {across}, elevations {up}"));
    if info.is_model && !all_zero(&[info.delays]) {
        // The field counts milliseconds in files of time, and the file's unit of length here.
        let depth = info.delays.map(|(least, most)| (1e3 * least, 1e3 * most));
        line("delay", format!("{}{unit} of depth to the first sample", range(depth)));
    } else if !all_zero(&[info.delays]) {
        line("delay", format!("{} s to the first sample", range(info.delays)));
    }
    for (index, said) in info.text.iter().take(TEXT_LINES).enumerate() {
        line(if index == 0 { "text" } else { "" }, said.clone());
    }
    if info.text.len() > TEXT_LINES {
        line("", "... and more, with --json".into());
    }
    for warning in &info.warnings {
        line("warning", warning.clone());
    }
    text
}
