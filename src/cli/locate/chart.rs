//! The curve of a scan: how strong the focus is through each model.

use super::report::Tried;
use crate::cli::job::JobFile;
use huygens::{
    render::{Across, Curve, CurveFigure},
    workflow::locate::AS_GOOD,
};
use std::path::Path;

/// Its file.
pub const NAME: &str = "scan.png";

/// Most models whose names find room below the curve.
const MOST_NAMES: usize = 16;

/// The strength of each model's map: over the factor where all models are the job's times one, else over their names or, where
/// these are many, their numbers.
pub fn scan(file: &JobFile, tried: &[Tried], best: usize) -> CurveFigure {
    let factors = file.job.scan.as_ref().and_then(|scan| scan.factors);
    let factors: Vec<f64> = factors.map(|factors| factors.all().collect()).unwrap_or_default();
    let strengths = || tried.iter().map(|tried| tried.strength.unwrap_or(0.0));
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
    let curve = |name: &str, points| Curve { name: name.into(), points, dashed: false };
    let all: Vec<(f64, f64)> = places.iter().copied().zip(strengths()).collect();
    let good = tried.iter().zip(&all).filter(|(tried, _)| tried.as_good).map(|(_, point)| *point);
    let good: Vec<_> = good.collect();
    let strongest = vec![all[best]];
    CurveFigure {
        title: "How strong the focus is through each model".into(),
        subtitle: format!(
            "best: {}; as good: {} of {}",
            tried[best].model,
            good.len(),
            tried.len()
        ),
        across,
        up: "Strength of the focus / best".into(),
        ticks,
        log: false,
        curves: vec![curve("", all), curve("best", strongest)],
        lines: vec![(AS_GOOD, format!("{AS_GOOD}: as good"))],
    }
}

/// A model's name without its folder.
fn short(model: &str) -> String {
    let name = Path::new(model).file_stem().unwrap_or_default().to_string_lossy().into_owned();
    if model.starts_with("builtin:") { model.to_owned() } else { name }
}
