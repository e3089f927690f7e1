//! Every shader with every combination of constants that ships is valid WGSL.

use crate::common;
use huygens::{
    acquisition::Shot,
    boundary::Top,
    engine::gpu,
    grid::Axes,
    plan::Plan,
    stencil::{Family, Window},
};
use naga::valid::{Capabilities, ValidationFlags, Validator};

#[test]
fn shaders_are_valid_for_every_radius_and_boundary() {
    let mut zero_top = common::CPML_20;
    zero_top.top = Top::Zero;
    let mut seen = 0;
    for boundary in [common::NO_LAYER, common::SPONGE_30, common::CPML_20, zero_top] {
        for wing in 1..=16 {
            let window = Window { wing, alpha: 0.5, beta: 5.0 };
            let shot = Shot {
                sources: vec![common::ricker(0.0, 0.0, 10.0, 0.1)],
                receivers: vec![Axes::xz(0.0, 0.0)],
            };
            let time = common::every_step(1e-3, 0.1);
            let mut setup = common::homogeneous((50, 40), 10.0, 1500.0, time, shot);
            setup.boundary = boundary;
            setup.operator =
                Family::WindowedSinc { window: Axes { z: window, x: window, y: window } };
            let plan = Plan::new(setup).expect("a valid setup");
            for (name, text) in gpu::shaders(&plan) {
                let module = naga::front::wgsl::parse_str(&text)
                    .unwrap_or_else(|error| panic!("{name}: {}", error.emit_to_string(&text)));
                Validator::new(ValidationFlags::all(), Capabilities::IMMEDIATES)
                    .validate(&module)
                    .unwrap_or_else(|error| panic!("{name}: {}", error.emit_to_string(&text)));
                seen += 1;
            }
        }
    }
    println!("{seen} specialised shaders are valid");
    assert_eq!(seen, 4 * 16 * 2);
}
