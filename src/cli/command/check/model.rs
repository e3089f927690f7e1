//! The report as text: the model.

use super::cost::windows;
use crate::{
    cli::terminal::table::Lines, job::GivenDensity, operations::check::Report, plan::Plan,
    results::numbers::short, rounded::rounded, run::by,
};

pub(super) fn model(lines: &mut Lines, report: &Report<'_>, plan: &Plan) {
    let (grid, last) = (plan.survey_grid(), plan.survey_grid().last());
    let kilometres = last.map(|metres| format!("{:.3}", metres / 1000.0));
    let (nodes, spacing) = (by(grid, grid.n, ""), by(grid, grid.h.map(rounded), " m"));
    let size = by(grid, kilometres, " km");
    lines.add("model", report.job.model.velocity.as_deref().unwrap_or_default());
    lines.add("grid", format!("{nodes} nodes of {spacing}, {size} between the first and the last"));
    if plan.whole_nodes() != grid.n {
        lines.add("", format!("{} nodes with the layers", by(grid, plan.whole_nodes(), "")));
    }
    report.windows.iter().for_each(|of| windows(lines, of, plan));
    let [slowest, fastest] = [report.slowest, report.fastest].map(|v| rounded(v.into()));
    let to = if fastest > slowest { format!(" to {fastest}") } else { String::new() };
    lines.add("velocity", format!("{slowest}{to} m/s"));
    if let Some(of) = &report.job.model.density {
        lines.add("density", density(of, report.densities));
    }
}

/// The density, and where it comes from.
fn density(given: &GivenDensity, range: Option<(f32, f32)>) -> String {
    let from = match given {
        GivenDensity::Number(_) => "the same everywhere, which changes no wave".into(),
        GivenDensity::Named(name) if name == "gardner" => "by Gardner's rule".into(),
        GivenDensity::Named(name) => format!("from {name}"),
    };
    match (given, range) {
        (_, Some((least, most))) if most > least => {
            format!("{} to {} kg/m3, {from}", short(least.into()), short(most.into()))
        }
        (_, Some((all, _))) => format!("{} kg/m3 everywhere, {from}", short(all.into())),
        (GivenDensity::Number(all), None) => format!("{} kg/m3, {from}", short(*all)),
        (_, None) => from,
    }
}
