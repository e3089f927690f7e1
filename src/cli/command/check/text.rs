//! The report as text.

use crate::{
    binary,
    boundary::{Absorber, Cpml, Sponge, Top},
    cli::terminal::{
        say::counted,
        table::{self, cell},
    },
    engine::tune::KernelFrom,
    imaging::{Estimate, WavefieldReason},
    job::{OneOrEach, Operator},
    operations::check::Report,
    plan::{Array, Dispersion, MOST_PERIODS, Plan, Resolution},
    results::numbers::{digits, short},
    rounded::rounded,
    run::by,
};
use comfy_table::Table;
use std::fmt::Display;

pub fn text(report: &Report<'_>, plan: &Plan) -> String {
    let mut lines = Lines::new();
    lines.add("job", &report.job_name);
    model(&mut lines, report, plan);
    lines.add("operator", operator(&report.job.operator));
    time(&mut lines, report, plan);
    match &report.dispersion {
        Some(dispersion) => waves(&mut lines, dispersion),
        None => lines.add("waves", "no source is heard"),
    }
    lines.add("boundary", boundary(report));
    lines.add("shots", shots(report));
    memory(&mut lines, report);
    runner(&mut lines, report, plan);
    let shots = report.sources.len();
    report.migration.iter().for_each(|of| migration(&mut lines, of, shots));
    for warning in &report.warnings {
        lines.add("WARNING", warning);
    }
    lines.text()
}

fn model(lines: &mut Lines, report: &Report<'_>, plan: &Plan) {
    let (grid, last) = (&plan.model_grid, plan.model_grid.last());
    let name = report.job.model.velocity.as_deref().unwrap_or_default();
    let kilometres = last.map(|metres| format!("{:.3}", metres / 1000.0));
    lines.add("model", name);
    lines.add(
        "grid",
        format!(
            "{} nodes of {}, {} between the first and the last",
            by(grid, grid.n, ""),
            by(grid, grid.h.map(rounded), " m"),
            by(grid, kilometres, " km")
        ),
    );
    if plan.grid.n != grid.n {
        lines.add("", format!("{} nodes with the layers", by(&plan.grid, plan.grid.n, "")));
    }
    let [slowest, fastest] = [report.slowest, report.fastest].map(|v| rounded(v.into()));
    let to = if fastest > slowest { format!(" to {fastest}") } else { String::new() };
    lines.add("velocity", format!("{slowest}{to} m/s"));
}

fn operator(operator: &Operator) -> String {
    match operator {
        Operator::Taylor { order } => format!("Taylor, order {order}"),
        Operator::Ete { points } => format!("explicit time evolution, {points} points"),
        Operator::WindowedSinc { wing, .. } => {
            let wing = match wing {
                OneOrEach::One(wing) => format!("wing {wing}"),
                OneOrEach::Each(wing) => {
                    let y = wing.y.map_or_else(String::new, |y| format!(", {y} along y"));
                    format!("wing {} along x{y}, {} along z", wing.x, wing.z)
                }
            };
            format!("windowed sinc, {wing}")
        }
    }
}

fn time(lines: &mut Lines, report: &Report<'_>, plan: &Plan) {
    let time = &report.time;
    let beyond = match time.beyond * time.record_every {
        0 => String::new(),
        steps => format!(" and {steps} steps beyond, for the correction of time dispersion"),
    };
    lines.add(
        "time",
        format!(
            "{} steps of {} s, {} s{beyond}",
            time.steps,
            short(time.dt),
            short(time.duration())
        ),
    );
    if plan.most_receivers() > 0 {
        let (interval, samples) = (short(time.interval()), time.kept());
        lines.add("", format!("{samples} samples a trace, one every {interval} s"));
    }
    lines.add(
        "stability",
        format!(
            "{:.0} % of the largest stable step, {} s; Courant number {:.3}",
            100.0 * report.stability,
            short(time.limit),
            report.courant
        ),
    );
}

fn waves(lines: &mut Lines, dispersion: &Dispersion) {
    let line = |resolution: &Resolution, what: &str| {
        let frequency = resolution.frequency;
        let velocity = match resolution.velocity_error {
            Some(error) => {
                let (percent, direction) = (100.0 * error, resolution.direction.name);
                format!("velocity {percent:+.3} % along {direction}")
            }
            None => "they do not travel on this grid".into(),
        };
        format!(
            "{:.1} points per wavelength at {} Hz, {what}: {velocity}",
            resolution.points_per_wavelength,
            short(frequency)
        )
    };
    lines.add("waves", line(&dispersion.dominant, "the dominant frequency"));
    lines.add("", line(&dispersion.highest, "where 5 % of the amplitude is left"));
    let worst = dispersion.worst();
    let error = match (worst.periods, worst.seconds) {
        (Some(periods), Some(seconds)) => {
            let sense = if seconds > 0.0 { "late" } else { "early" };
            format!("{:.3} periods, {} ms, {sense}", periods.abs(), short(1e3 * seconds.abs()))
        }
        _ => "without bound".into(),
    };
    lines.add(
        "phase error",
        format!(
            "{error} after {:.2} km at {} m/s; {MOST_PERIODS} periods is much",
            worst.path / 1000.0,
            // As the model stores it: the further digits of an f64 are noise.
            worst.velocity as f32
        ),
    );
}

fn boundary(report: &Report<'_>) -> String {
    let boundary = &report.job.boundary;
    let layer = match boundary.sides {
        Absorber::Cpml(Cpml { cells, .. }) => format!("CPML of {cells} cells"),
        Absorber::Sponge(Sponge { cells, .. }) => format!("sponge of {cells} cells"),
        _ => "zero".into(),
    };
    match boundary.top {
        Top::Absorb => format!("{layer} on every side"),
        Top::Free => format!("{layer} on every side but the top, which is a free surface"),
        Top::Zero => format!("{layer} on every side but the top, which is zero"),
    }
}

fn shots(report: &Report<'_>) -> String {
    let range = |counts: &[usize], what: &str| {
        let (least, most) = (counts.iter().min(), counts.iter().max());
        match (least.copied().unwrap_or(0), most.copied().unwrap_or(0)) {
            (least, most) if least == most => counted(most, what),
            (least, most) => format!("{least} to {most} {what}s"),
        }
    };
    let shots = report.sources.len();
    let each = if shots == 1 { "" } else { ", each" };
    let colon = if shots == 1 { ":" } else { "" };
    let all = match shots {
        1 => String::new(),
        _ => format!("; {} traces, {} of SEG-Y", report.traces, binary(report.trace_bytes)),
    };
    format!(
        "{}{each}{colon} {}, {}, {}{all}",
        range(&[shots], "shot"),
        range(&report.sources, "source"),
        range(&report.receivers, "receiver"),
        range(&[report.snapshots], "snapshot"),
    )
}

fn memory(lines: &mut Lines, report: &Report<'_>) {
    let arrays = |lines: &mut Lines, arrays: &[Array]| {
        for array in arrays.iter().filter(|array| array.bytes > 0) {
            lines.add("", format!("{:>10}  {}", binary(array.bytes), array.name));
        }
    };
    let total = |arrays: &[Array]| binary(arrays.iter().map(|array| array.bytes).sum());
    let at_once = match report.sources.len() {
        1 => String::new(),
        _ => format!(", {} of the shots at once", report.at_once),
    };
    let of = match &report.demands[..] {
        [_, _, ..] => {
            let most = report.demands.iter().max_by_key(|demand| demand.bytes());
            most.map_or_else(String::new, |most| format!(" by huygens {}", most.command))
        }
        _ => String::new(),
    };
    let held = total(&report.memory);
    lines.add("memory", format!("{held} together{of}{at_once}, without padding"));
    arrays(lines, &report.memory);
    if report.demands.len() > 1 {
        let each = report.demands.iter();
        let each = each.map(|of| format!("huygens {} {}", of.command, binary(of.bytes())));
        lines.add("", format!("arrays of each: {}", each.collect::<Vec<_>>().join(", ")));
    }
    if !report.device_memory.is_empty() {
        let held = total(&report.device_memory);
        lines.add("on the device", format!("{held} together{at_once}, without padding"));
        arrays(lines, &report.device_memory);
    }
}

fn runner(lines: &mut Lines, report: &Report<'_>, plan: &Plan) {
    let runner = &report.engine;
    let engine = &runner.engine;
    let driver = if engine.driver.is_empty() { "" } else { ", driver " };
    lines
        .add("runs on", format!("{} ({}){driver}{}", engine.device, engine.backend, engine.driver));
    let kernel = &engine.kernel;
    lines.add(
        "kernel",
        match runner.kernel_from {
            KernelFrom::Only => kernel.clone(),
            KernelFrom::Remembered => format!("{kernel}, the fastest when it was measured here"),
            KernelFrom::Rule => format!("{kernel}, by a rule; `huygens tune` measures"),
        },
    );
    let updates = format!("{:.3e} node updates", plan.updates());
    lines.add(
        "time to run",
        match (report.seconds, runner.gpts_per_s) {
            (Some(seconds), Some(gpts)) => format!(
                "about {} s for {updates} at the remembered {gpts:.2} Gpts/s, without recording and output",
                digits(seconds)
            ),
            _ => format!(
                "not known: no rate is remembered for such a field on this device, a first run will be; {updates}"
            ),
        },
    );
}

fn migration(lines: &mut Lines, of: &Estimate, shots: usize) {
    let Estimate { at_once, imaging_steps, interval, kept, why, seconds, .. } = of;
    let shots = match shots {
        1 => String::new(),
        _ => format!("; {at_once} of the shots at once"),
    };
    lines.add(
        "migration",
        format!(
            "{imaging_steps} imaging steps, one every {} s{shots}; ways to keep the source wavefields:",
            short(*interval)
        ),
    );
    for (index, cost) in kept.iter().enumerate() {
        let in_parts = match (cost.parts, cost.states) {
            (1, _) | (_, 0) => String::new(),
            (parts, 1) => format!(": {parts} parts, 1 state"),
            (parts, states) => format!(": {parts} parts, {states} states"),
        };
        let taken = match (cost.taken, cost.fits) {
            (true, _) => " (chosen)",
            (false, true) => "",
            (false, false) => " (more than may be kept)",
        };
        let host = match cost.host {
            0 => String::new(),
            bytes => format!(", {} of it", binary(bytes)),
        };
        let together = match cost.shots as usize == *at_once {
            true => String::new(),
            false => format!(", {} at once", cost.shots),
        };
        let seconds = seconds.as_ref().and_then(|seconds| seconds.get(index));
        let seconds = seconds.map_or_else(String::new, |s| format!(", about {} s", short(*s)));
        lines.add(
            "",
            format!(
                "{:>10}  {}{in_parts}{host}; {:.2} runs forward, 1 back{together}{seconds}{taken}",
                binary(cost.bytes),
                cost.name,
                cost.runs
            ),
        );
    }
    let why = match why {
        WavefieldReason::Asked => "rtm.wavefield asks for it".to_owned(),
        WavefieldReason::AllFit => "all imaging steps fit".to_owned(),
        WavefieldReason::Fastest => "the fastest that fits and gives the same bits, estimated from the bytes moved; rtm.wavefield names another".to_owned(),
        WavefieldReason::NothingFits => {
            "nothing fits, and it takes the least memory; raise rtm.memory".into()
        }
    };
    lines.add("", format!("chosen: {why}"));
}

/// Two columns: name and value.
struct Lines(Table);

impl Lines {
    fn new() -> Self {
        Lines(table::empty())
    }

    fn add(&mut self, what: &str, text: impl Display) {
        self.0.add_row([cell(what), cell(text)]);
    }

    fn text(mut self) -> String {
        if let Some(first) = self.0.column_mut(0) {
            first.set_padding((0, 1));
        }
        self.0.trim_fmt()
    }
}
