//! A velocity model of one's own, an array `[x][z]` in m/s: two layers, and when their reflection comes back.

use huygens::{ndarray::Array2, prelude::*};

/// Metres between nodes.
const SPACING: f64 = 10.0;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    // 1500 m/s to a depth of 400 m, 2000 m/s below.
    let velocity = Array2::from_shape_fn((121, 81), |(_, z)| if z < 40 { 1500.0 } else { 2000.0 });
    let model = VelocityModel::new(velocity, SPACING, SPACING)?;
    let source = Source::new(Axes::xz(400.0, 50.0), Wavelet::ricker(15.0));
    let receivers = line(Axes::xz(400.0, 50.0), Axes::xz(800.0, 50.0), 2);
    let plan = Plan::new(Setup::new(model, vec![Shot::new(source, receivers)], 0.9))?;
    let modelled = shot::run(&Parallel, &plan)?;
    modelled.warnings.iter().for_each(|warning| eprintln!("{warning}"));
    for (trace, offset) in modelled.shots[0].gather.outer_iter().zip([0, 400]) {
        // The direct wave has passed both receivers by then.
        let after = (0.5 / plan.time.interval()) as usize;
        let reflected = (after..trace.len()).max_by(|a, b| trace[*a].total_cmp(&trace[*b]));
        let time = reflected.unwrap_or(after) as f64 * plan.time.interval();
        println!("offset {offset} m: the reflection is loudest at {time:.3} s");
    }
    Ok(())
}
