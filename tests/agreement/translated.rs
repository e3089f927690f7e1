//! What other backends make of a shader: naga translates it to the language of each.

use huygens::engine::gpu::without_immediates;
use naga::{
    Module, ShaderStage,
    back::{glsl, hlsl, msl, spv, wgsl},
    proc::BoundsCheckPolicies,
    valid::{Capabilities, ModuleInfo, ValidationFlags, Validator},
};

/// A module that is valid for a device with these capabilities.
fn parsed(name: &str, text: &str, capabilities: Capabilities) -> (Module, ModuleInfo) {
    let module = naga::front::wgsl::parse_str(text)
        .unwrap_or_else(|error| panic!("{name}: {}", error.emit_to_string(text)));
    let info = Validator::new(ValidationFlags::all(), capabilities)
        .validate(&module)
        .unwrap_or_else(|error| panic!("{name}: {}", error.emit_to_string(text)));
    (module, info)
}

/// Validates a shader and translates it: with immediates for Vulkan, Metal and Direct3D; without, as WebGPU promises none, for
/// browsers and OpenGL ES.
pub fn translate(name: &str, text: &str) {
    let (module, info) = parsed(name, text, Capabilities::IMMEDIATES);
    let failed = |language: &str, error: &dyn std::fmt::Display| -> ! {
        panic!("{name} has no {language}: {error}\n{text}")
    };
    let mut out = String::new();

    let options = spv::Options::default();
    let words = spv::write_vec(&module, &info, &options, None);
    assert!(!words.unwrap_or_else(|error| failed("SPIR-V", &error)).is_empty());

    let options = msl::Options { fake_missing_bindings: true, ..Default::default() };
    msl::write_string(&module, &info, &options, &msl::PipelineOptions::default())
        .unwrap_or_else(|error| failed("MSL", &error));

    let options = hlsl::Options {
        fake_missing_bindings: true,
        immediates_target: Some(hlsl::BindTarget::default()),
        ..Default::default()
    };
    let pipeline = hlsl::PipelineOptions { entry_point: None };
    hlsl::Writer::new(&mut out, &options, &pipeline)
        .write(&module, &info, None)
        .unwrap_or_else(|error| failed("HLSL", &error));

    let (module, info) = parsed(name, &without_immediates(text), Capabilities::empty());
    let written = wgsl::write_string(&module, &info, wgsl::WriterFlags::empty())
        .unwrap_or_else(|error| failed("WGSL", &error));
    parsed(name, &written, Capabilities::empty());
    for entry in &module.entry_points {
        let options = glsl::Options {
            version: glsl::Version::Embedded { version: 310, is_webgl: false },
            ..Default::default()
        };
        let pipeline = glsl::PipelineOptions {
            shader_stage: ShaderStage::Compute,
            entry_point: entry.name.clone(),
            multiview: None,
        };
        let checks = BoundsCheckPolicies::default();
        glsl::Writer::new(&mut out, &module, &info, &options, &pipeline, checks)
            .and_then(|mut writer| writer.write())
            .unwrap_or_else(|error| failed("GLSL ES 3.1", &error));
    }
}
