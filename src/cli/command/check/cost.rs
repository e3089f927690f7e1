//! The report as text: what the simulation takes, in memory and in time.

use crate::{
    cli::terminal::table::Lines,
    engine::tune::{KernelFrom, Runner},
    host::binary,
    imaging::{Cost, Estimate, WavefieldReason},
    operations::check::{Report, WindowReport},
    plan::{Array, Plan},
    results::numbers::{digits, short},
    run::by,
};

pub(crate) fn memory(lines: &mut Lines, report: &Report<'_>) {
    let at_once = match report.sources.len() {
        1 => String::new(),
        _ => format!(", {} of the shots at once", report.at_once),
    };
    let demands = &report.demands;
    let most = demands.iter().max_by_key(|of| of.bytes()).filter(|_| demands.len() > 1);
    let of = most.map_or_else(String::new, |most| format!(" by huygens {}", most.command));
    arrays(lines, "memory", &report.memory, &format!("{of}{at_once}"));
    if demands.len() > 1 {
        let each = demands.iter();
        let each = each.map(|of| format!("huygens {} {}", of.command, binary(of.bytes())));
        lines.add("", format!("arrays of each: {}", each.collect::<Vec<_>>().join(", ")));
    }
    if !report.device_memory.is_empty() {
        arrays(lines, "on the device", &report.device_memory, &at_once);
    }
}

/// Arrays after their total.
fn arrays(lines: &mut Lines, what: &str, arrays: &[Array], of: &str) {
    let total = binary(arrays.iter().map(|array| array.bytes).sum());
    lines.add(what, format!("{total} together{of}, without padding"));
    for Array { bytes, name } in arrays.iter().filter(|array| array.bytes > 0) {
        lines.add("", format!("{:>10}  {name}", binary(*bytes)));
    }
}

pub(crate) fn runner(lines: &mut Lines, runner: &Runner, seconds: Option<f64>, plan: &Plan) {
    let engine = &runner.engine;
    let driver = if engine.driver.is_empty() { "" } else { ", driver " };
    lines
        .add("runs on", format!("{} ({}){driver}{}", engine.device, engine.backend, engine.driver));
    let from = match runner.kernel_from {
        KernelFrom::Only => "",
        KernelFrom::Remembered => ", the fastest when it was measured here",
        KernelFrom::Rule => ", by a rule; `huygens tune` measures",
    };
    lines.add("kernel", format!("{}{from}", engine.kernel));
    let updates = format!("{:.3e} node updates", plan.updates());
    let time = match (seconds.map(digits), runner.gpts_per_s) {
        (Some(seconds), Some(gpts)) => format!(
            "about {seconds} s for {updates} at the remembered {gpts:.2} Gpts/s, without recording and output"
        ),
        _ => format!(
            "not known: no rate is remembered for such a field on this device, a first run will be; {updates}"
        ),
    };
    lines.add("time to run", time);
}

pub(crate) fn migration(lines: &mut Lines, of: &Estimate, shots: usize) {
    let (steps, interval) = (of.imaging_steps, short(of.interval));
    let shots = match shots {
        1 => String::new(),
        _ => format!("; {} of the shots at once", of.at_once),
    };
    let steps = format!("{steps} imaging steps, one every {interval} s{shots}");
    lines.add("migration", format!("{steps}; ways to keep the source wavefields:"));
    for (index, cost) in of.kept.iter().enumerate() {
        let seconds = of.seconds.as_ref().and_then(|seconds| seconds.get(index));
        lines.add("", way(cost, of.at_once, seconds.copied()));
    }
    let why = match of.why {
        WavefieldReason::Asked => "rtm.wavefield asks for it",
        WavefieldReason::AllFit => "all imaging steps fit",
        WavefieldReason::Fastest => {
            "the fastest that fits and gives the same bits, estimated from the bytes moved; rtm.wavefield names another"
        }
        WavefieldReason::NothingFits => {
            "nothing fits, and it takes the least memory; raise rtm.memory"
        }
    };
    lines.add("", format!("chosen: {why}"));
}

/// A way to keep source wavefields.
fn way(cost: &Cost, at_once: usize, seconds: Option<f64>) -> String {
    let in_parts = match (cost.parts, cost.states) {
        (1, _) | (_, 0) => String::new(),
        (parts, 1) => format!(": {parts} parts, 1 state"),
        (parts, states) => format!(": {parts} parts, {states} states"),
    };
    let host = match cost.host {
        0 => String::new(),
        bytes => format!(", {} of it", binary(bytes)),
    };
    let together = match cost.shots as usize == at_once {
        true => String::new(),
        false => format!(", {} at once", cost.shots),
    };
    let seconds = seconds.map_or_else(String::new, |s| format!(", about {} s", short(s)));
    let taken = match (cost.taken, cost.fits) {
        (true, _) => " (chosen)",
        (false, true) => "",
        (false, false) => " (more than may be kept)",
    };
    let (bytes, name, runs) = (binary(cost.bytes), cost.name, cost.runs);
    let runs = format!("{runs:.2} runs forward, 1 back{together}{seconds}{taken}");
    format!("{bytes:>10}  {name}{in_parts}{host}; {runs}")
}

/// The windows that shots run through, and what they save.
pub(crate) fn windows(lines: &mut Lines, of: &WindowReport, plan: &Plan) {
    let (nodes, with_layers) =
        (by(&plan.grid, plan.model_grid.n, ""), by(&plan.grid, plan.grid.n, ""));
    let (gain, shot) = (of.gain, of.widest_shot);
    let size = format!(
        "{nodes} nodes, {with_layers} with the layers: 1/{gain:.1} of the model's; shot {shot} needs as many"
    );
    lines.add("windows", size);
    if let Some(returns) = of.earliest_return {
        let of = format!("waves can return from their sides from {} s on", digits(returns));
        lines.add("", of);
    }
}
