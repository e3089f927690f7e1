//! The curve of a scan: how far each model is below the best or, if only one qualifies, how
//! strongly waves focus through each.

use super::report::Tried;
use crate::job::JobFile;
use crate::{
    operations::locate::TOLD,
    render::{Across, Curve, CurveFigure, Line},
};
use std::path::Path;

/// File name without its ending.
pub(crate) const NAME: &str = "scan";

/// Maximum number of models whose names fit below the curve.
const MOST_NAMES: usize = 16;

/// The result of each model: over the factor if all models are multiples of the job's, else over
/// their names or, if there are many, their numbers.
pub(crate) fn scan(file: &JobFile, tried: &[Tried], best: usize) -> CurveFigure {
    let factors = file.job.scan.as_ref().and_then(|scan| scan.factors);
    let factors: Vec<f64> = factors.map(|factors| factors.all().collect()).unwrap_or_default();
    // Models that form no range are not joined: nothing lies between them.
    let is_range = factors.len() == tried.len();
    let line = if is_range { Line::Solid } else { Line::None };
    let (across, ticks, places): (String, Across, Vec<f64>) = if is_range {
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
    let curve = |name: &str, points| Curve { name: name.into(), points, line };
    let points = |of: &dyn Fn(&Tried) -> Option<f64>| -> Vec<(f64, f64)> {
        places.iter().zip(tried).filter_map(|(place, tried)| Some((*place, of(tried)?))).collect()
    };
    // If several models qualify, their distance from the best; else their strength.
    let fitted = tried[best].fit.is_some();
    let (all, up, lines) = match fitted {
        true => {
            let fits = points(&|tried| Some(tried.fit?.deviations));
            (
                fits,
                "Below the best, standard deviations",
                vec![(TOLD, "below: equally good".into())],
            )
        }
        false => (points(&|tried| tried.strength), "Strength of the focus / best", Vec::new()),
    };
    let left_out = match (tried.len() - all.len(), fitted) {
        (0, _) => String::new(),
        (count, true) => format!("; not shown, as they focus less: {count}"),
        (count, false) => format!("; not shown, as they have no focus: {count}"),
    };
    let named = all.iter().filter(|(place, _)| *place == places[best]).copied().collect();
    let good = tried.iter().filter(|tried| tried.is_as_good()).count();
    let also = if good > 1 { format!("; as good: {}", good - 1) } else { String::new() };
    CurveFigure {
        title: "Which model the recording came through".into(),
        subtitle: format!("best of {}: {}{also}{left_out}", tried.len(), tried[best].model),
        across,
        up: up.into(),
        ticks,
        log: false,
        curves: vec![curve("", all), curve("best", named)],
        lines,
    }
}

/// A model's name without its folder.
fn short(model: &str) -> String {
    let name = Path::new(model).file_stem().unwrap_or_default().to_string_lossy().into_owned();
    if model.starts_with("builtin:") { model.to_owned() } else { name }
}
