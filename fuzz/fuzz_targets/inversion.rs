//! What an inversion has done, from which a later run goes on. Its file has a checksum before it.
#![no_main]

use huygens::{
    engine::cpu::Parallel,
    job::{Inputs, Inversion, Inverted, JobFile},
    model::VelocityModel,
};
use libfuzzer_sys::fuzz_target;
use ndarray::Array2;
use std::{error::Error, ops::ControlFlow, sync::LazyLock};

/// A job whose inversion takes milliseconds; `tests/hostile/kept.rs` has it too.
const JOB: &str = r#"
[model]
velocity = "builtin:homogeneous"
nodes = { x = 12, z = 10 }
spacing = 10.0
[time]
duration = 0.03
[operator]
kind = "taylor"
order = 2
[boundary]
top = "zero"
sides = { kind = "zero" }
[[source]]
at = { x = 50.0, z = 40.0 }
wavelet = { kind = "ricker", peak_hz = 30.0, delay = 0.01 }
[receivers]
line = { from = { x = 20.0, z = 20.0 }, to = { x = 90.0, z = 20.0 }, count = 4 }
[invert]
iterations = 2
"#;

static INVERSION: LazyLock<(Inputs, Inversion)> = LazyLock::new(|| {
    let file = JobFile::parse("a job", JOB, Default::default()).expect("a job");
    let (inputs, bounds) = file.inputs_to_invert(false).expect("a valid job");
    let kept = inputs.plan.time.kept();
    let traces = Array2::from_shape_fn((4, kept), |(r, t)| (0.3 * (r + t) as f32).sin());
    let observed = file.observed((vec![traces], inputs.plan.time.interval()), &inputs);
    let inversion = file.inversion(observed.expect("traces"), (&inputs, bounds));
    (inputs, inversion.expect("valid keys"))
});

fuzz_target!(|bytes: &[u8]| {
    let Ok(done) = postcard::from_bytes::<Inverted>(bytes) else { return };
    let (inputs, inversion) = &*INVERSION;
    let mut each = |_: &Inverted, _: &VelocityModel| Ok::<_, Box<dyn Error>>(());
    let mut hear = |_, _| ControlFlow::Continue(());
    let _ = inversion.run(&[&Parallel], inputs, Some(done), &mut hear, &mut each);
});
