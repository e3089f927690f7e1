//! Translations of the shaders for other backends: naga translates each shader to every backend's
//! language, and validators that need no hardware check the result where they exist.

use crate::validators::{Checked, objections};
use huygens::engine::gpu::without_immediates;
use naga::{
    Module, ShaderStage,
    back::{glsl, hlsl, msl, spv, wgsl},
    proc::BoundsCheckPolicies,
    valid::{Capabilities, ModuleInfo, ValidationFlags, Validator},
};
use rayon::prelude::*;
use std::collections::BTreeMap;

/// A module that is valid for a device with these capabilities.
fn parsed(name: &str, text: &str, capabilities: Capabilities) -> (Module, ModuleInfo) {
    let module = naga::front::wgsl::parse_str(text)
        .unwrap_or_else(|error| panic!("{name}: {}", error.emit_to_string(text)));
    // WebGPU promises of every device that it packs halves.
    let capabilities = capabilities | Capabilities::SHADER_FLOAT16_IN_FLOAT32;
    let info = Validator::new(ValidationFlags::all(), capabilities)
        .validate(&module)
        .unwrap_or_else(|error| panic!("{name}: {}", error.emit_to_string(text)));
    (module, info)
}

/// Among similar shaders, which differ in a constant or two, the validators check one in this many:
/// they take longer than the translations.
const ONE_IN: usize = 4;

/// Validates shaders, by text and name, and their translations.
pub fn check(shaders: &BTreeMap<String, &str>) {
    let shaders: Vec<_> = shaders.iter().collect();
    shaders.par_chunks(200).for_each(|shaders| {
        let translated: Vec<_> =
            shaders.iter().map(|(text, name)| translated(name, text)).collect();
        let said = objections(translated.iter().step_by(ONE_IN));
        assert!(said.is_empty(), "of {shaders:?}\n{}", said.join("\n"));
    });
}

/// A valid shader's translations: with immediates for Vulkan, Metal and Direct3D; without, as
/// WebGPU promises none, for browsers and OpenGL ES.
fn translated(name: &str, text: &str) -> Checked {
    let (module, info) = parsed(name, text, Capabilities::IMMEDIATES);
    let failed = |language: &str, error: &dyn std::fmt::Display| -> ! {
        panic!("{name} has no {language}: {error}\n{text}")
    };

    let spirv = spv::write_vec(&module, &info, &spv::Options::default(), None)
        .unwrap_or_else(|error| failed("SPIR-V", &error));

    let options = msl::Options { fake_missing_bindings: true, ..Default::default() };
    msl::write_string(&module, &info, &options, &msl::PipelineOptions::default())
        .unwrap_or_else(|error| failed("MSL", &error));

    let options = hlsl::Options {
        fake_missing_bindings: true,
        immediates_target: Some(hlsl::BindTarget::default()),
        ..Default::default()
    };
    let pipeline = hlsl::PipelineOptions { entry_point: None };
    hlsl::Writer::new(&mut String::new(), &options, &pipeline)
        .write(&module, &info, None)
        .unwrap_or_else(|error| failed("HLSL", &error));

    let (module, info) = parsed(name, &without_immediates(text), Capabilities::empty());
    let written = wgsl::write_string(&module, &info, wgsl::WriterFlags::empty())
        .unwrap_or_else(|error| failed("WGSL", &error));
    parsed(name, &written, Capabilities::empty());
    let mut glsl = Vec::new();
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
        let mut out = String::new();
        glsl::Writer::new(&mut out, &module, &info, &options, &pipeline, checks)
            .and_then(|mut writer| writer.write())
            .unwrap_or_else(|error| failed("GLSL ES 3.1", &error));
        glsl.push(out);
    }
    Checked { spirv, glsl }
}
