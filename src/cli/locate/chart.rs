//! The curves of a scan: how strong the focus is through each model, and what a source explains.

use super::report::Tried;
use crate::cli::job::JobFile;
use huygens::render::{Across, Curve, CurveFigure};
use std::path::Path;

/// Its file.
pub const NAME: &str = "scan.png";

/// Most models whose names find room below the curve.
const MOST_NAMES: usize = 16;

/// What each model came to: over the factor where all models are the job's times one, else over their names or, where
/// these are many, their numbers.
pub fn scan(file: &JobFile, tried: &[Tried], best: usize) -> CurveFigure {
    let factors = file.job.scan.as_ref().and_then(|scan| scan.factors);
    let factors: Vec<f64> = factors.map(|factors| factors.all().collect()).unwrap_or_default();
    let (across, ticks, places): (String, Across, Vec<f64>) = if factors.len() == tried.len() {
        let across = format!("Velocities over those of {}", file.model_name());
        (across, Across::Linear, factors)
    } else if tried.len() <= MOST_NAMES {
        let names = tried.iter().map(|tried| short(&tried.model)).collect();
        let places = (0..tried.len()).map(|k| k as f64).collect();
        ("Velocity model".into(), Across::Categories(names), places)
    } else {
        let places = (1..=tried.len()).map(|k| k as f64).collect();
        ("Velocity model, by its place in the table".into(), Across::Linear, places)
    };
    let curve = |name: &str, points, dashed| Curve { name: name.into(), points, dashed };
    let strength: Vec<(f64, f64)> = places
        .iter()
        .copied()
        .zip(tried.iter().map(|tried| tried.strength.unwrap_or(0.0)))
        .collect();
    let most = tried[best].fit.map(|fit| fit.explained);
    let of_best = |tried: &Tried| Some(tried.fit?.explained / most?);
    let explained: Vec<(f64, f64)> = places
        .iter()
        .zip(tried)
        .filter_map(|(place, tried)| Some((*place, of_best(tried)?)))
        .collect();
    let good = tried.iter().filter(|tried| tried.is_as_good()).count().max(1);
    let named = explained.iter().find(|(place, _)| *place == places[best]).copied();
    let mut curves = vec![curve("strength of the focus", strength.clone(), true)];
    if !explained.is_empty() {
        curves.push(curve("recording explained", explained, false));
    }
    curves.push(curve("best", vec![named.unwrap_or(strength[best])], false));
    CurveFigure {
        title: "Which model the recording came through".into(),
        subtitle: format!("best: {}; as good: {good} of {}", tried[best].model, tried.len()),
        across,
        up: "Of the best".into(),
        ticks,
        log: false,
        curves,
        lines: Vec::new(),
    }
}

/// A model's name without its folder.
fn short(model: &str) -> String {
    let name = Path::new(model).file_stem().unwrap_or_default().to_string_lossy().into_owned();
    if model.starts_with("builtin:") { model.to_owned() } else { name }
}
