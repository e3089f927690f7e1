//! The report as text: what is simulated.

use super::{
    cost::{memory, migration, runner},
    model::model,
};
use crate::{
    boundary::{Absorber, Cpml, Sponge, Top},
    cli::terminal::table::Lines,
    host::binary,
    job::{Gradient, OneOrEach, Operator},
    operations::check::Report,
    plan::{Dispersion, MOST_PERIODS, Plan, Resolution},
    results::numbers::short,
    run::counted,
};

pub(crate) fn text(report: &Report<'_>, plan: &Plan) -> String {
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
    runner(&mut lines, &report.engine, report.seconds, plan);
    report.migration.iter().for_each(|of| migration(&mut lines, of, report.sources.len()));
    if report.job.gradient.as_ref().is_some_and(Gradient::estimates_wavelet) {
        let more =
            "estimated: huygens gradient and invert model all shots once more, at their start";
        lines.add("wavelet", more);
    }
    report.warnings.iter().for_each(|warning| lines.add("WARNING", warning));
    lines.text()
}

/// A largest stable step that a density makes shorter by less is not worth a line.
const SHORTER: f64 = 1.005;

fn operator(operator: &Operator) -> String {
    match operator {
        Operator::Taylor { order } => format!("Taylor, order {order}"),
        Operator::Ete { points } => format!("explicit time evolution, {points} points"),
        Operator::WindowedSinc { wing: OneOrEach::One(wing), .. } => {
            format!("windowed sinc, wing {wing}")
        }
        Operator::WindowedSinc { wing: OneOrEach::Each(wing), .. } => {
            let y = wing.y.map_or_else(String::new, |y| format!(", {y} along y"));
            format!("windowed sinc, wing {} along x{y}, {} along z", wing.x, wing.z)
        }
    }
}

fn time(lines: &mut Lines, report: &Report<'_>, plan: &Plan) {
    let time = &report.time;
    let beyond = match time.beyond * time.record_every {
        0 => String::new(),
        steps => format!(" and {steps} steps beyond, for the correction of time dispersion"),
    };
    let [dt, duration, limit] = [time.dt, time.duration(), time.limit].map(short);
    lines.add("time", format!("{} steps of {dt} s, {duration} s{beyond}", time.steps));
    if plan.most_receivers() > 0 {
        let (interval, samples) = (short(time.interval()), time.kept());
        lines.add("", format!("{samples} samples a trace, one every {interval} s"));
    }
    let (percent, courant) = (100.0 * report.stability, report.courant);
    let of_limit = format!("{percent:.0} % of the largest stable step, {limit} s");
    lines.add("stability", format!("{of_limit}; Courant number {courant:.3}"));
    let without = report.limit_of_velocity.filter(|without| without / time.limit > SHORTER);
    if let Some(without) = without.map(short) {
        lines.add(
            "",
            format!("it would be {without} s without the density, whose jumps shorten it"),
        );
    }
}

fn waves(lines: &mut Lines, dispersion: &Dispersion) {
    let line = |resolution: &Resolution, what: &str| {
        let (points, hertz) = (resolution.points_per_wavelength, short(resolution.frequency));
        let velocity = match resolution.velocity_error {
            Some(error) => {
                let (percent, direction) = (100.0 * error, resolution.direction.name);
                format!("velocity {percent:+.3} % along {direction}")
            }
            None => "they do not travel on this grid".into(),
        };
        format!("{points:.1} points per wavelength at {hertz} Hz, {what}: {velocity}")
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
    // As the model stores it: the further digits of an f64 are noise.
    let (kilometres, velocity) = (worst.path / 1000.0, worst.velocity as f32);
    let after = format!("{error} after {kilometres:.2} km at {velocity} m/s");
    lines.add("phase error", format!("{after}; keep it below {MOST_PERIODS} periods"));
}

fn boundary(report: &Report<'_>) -> String {
    let boundary = &report.job.boundary;
    let layer = match boundary.sides {
        Absorber::Cpml(Cpml { cells, .. }) => format!("CPML of {cells} cells"),
        Absorber::Sponge(Sponge { cells, .. }) => format!("sponge of {cells} cells"),
        _ => "zero".into(),
    };
    let top = match boundary.top {
        Top::Absorb => "",
        Top::Free => " but the top, which is a free surface",
        Top::Zero => " but the top, which is zero",
    };
    format!("{layer} on every side{top}")
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
    let (each, all) = match shots {
        1 => (":", String::new()),
        _ => {
            let bytes = binary(report.trace_bytes);
            (", each", format!("; {} traces, {bytes} of SEG-Y", report.traces))
        }
    };
    let (sources, receivers) =
        (range(&report.sources, "source"), range(&report.receivers, "receiver"));
    let snapshots = counted(report.snapshots, "snapshot");
    format!("{}{each} {sources}, {receivers}, {snapshots}{all}", counted(shots, "shot"))
}
