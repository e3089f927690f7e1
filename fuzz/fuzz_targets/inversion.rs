//! What an inversion has done, from which a later run goes on. Its file has a checksum before it.
#![no_main]

use huygens::{
    engine::cpu::Parallel,
    job::{Inputs, JobFile},
    model::VelocityModel,
    operations::{
        invert::{Inversion, Inverted},
        recorded::Recorded,
    },
};
use libfuzzer_sys::fuzz_target;
use ndarray::Array2;
use std::{error::Error, ops::ControlFlow, sync::LazyLock};

/// A job whose inversion takes milliseconds.
const JOB: &str = include_str!("../inversion.toml");

static INVERSION: LazyLock<(Inputs, Inversion)> = LazyLock::new(|| {
    let file = JobFile::parse("a job", JOB, Default::default()).expect("a job");
    let (inputs, bounds) = file.inputs_to_invert().expect("a valid job");
    let kept = inputs.plan.time.kept();
    let traces = Array2::from_shape_fn((4, kept), |(r, t)| (0.3 * (r + t) as f32).sin());
    let observed = file.observed(Recorded::whole(vec![traces], inputs.plan.time.interval()), &inputs);
    let inversion = file.inversion(observed.expect("traces"), &inputs, bounds);
    (inputs, inversion.expect("valid keys"))
});

fuzz_target!(|bytes: &[u8]| {
    let Ok(done) = postcard::from_bytes::<Inverted>(bytes) else { return };
    let (inputs, inversion) = &*INVERSION;
    let mut each = |_: &Inverted, _: &VelocityModel| Ok::<_, Box<dyn Error>>(());
    let mut hear = |_, _| ControlFlow::Continue(());
    let _ = inversion.run(&[&Parallel], inputs, Some(done), &mut hear, &mut each);
});
