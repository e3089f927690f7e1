//! A first shot: a Ricker wavelet of 15 Hz in a rock of 2000 m/s, and when two receivers hear it loudest.

use huygens::prelude::*;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let nodes = PlaneAxes { x: 201, z: 101 };
    let spacing = PlaneAxes { x: 10.0, z: 10.0 };
    let model = builtin("homogeneous", Some(nodes), Some(spacing))?;
    let source = Source::new(Axes::xz(400.0, 500.0), Wavelet::ricker(15.0));
    let receivers = line(Axes::xz(600.0, 500.0), Axes::xz(1600.0, 500.0), 2);
    let plan = Plan::new(Setup::new(model, vec![Shot::new(source, receivers)], 0.9))?;
    let modelled = shot::run(&Parallel, &plan)?;
    modelled.warnings.iter().for_each(|warning| eprintln!("{warning}"));
    for (trace, x) in modelled.shots[0].gather.outer_iter().zip([600, 1600]) {
        let loudest = (0..trace.len()).max_by(|a, b| trace[*a].total_cmp(&trace[*b])).unwrap_or(0);
        println!("at x = {x} m: loudest at {:.3} s", loudest as f64 * plan.time.interval());
    }
    Ok(())
}
