//! The programs by which the makers of SPIR-V and of GLSL check them, each where it is there.

use std::{
    env, fs,
    path::{Path, PathBuf},
    process::Command,
};

/// The folder of the programs, where it is not one of `PATH`; `cargo xtask test` sets it.
const VALIDATORS: &str = "HUYGENS_VALIDATORS";

/// A shader in the languages that are checked.
pub struct Checked {
    /// SPIR-V, for Vulkan.
    pub spirv: Vec<u32>,
    /// GLSL ES 3.1, for OpenGL ES.
    pub glsl: Vec<String>,
}

/// The objections of the installed validators.
pub fn objections<'s>(shaders: impl Iterator<Item = &'s Checked> + Clone) -> Vec<String> {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let file = |name: String, bytes: &[u8]| {
        let path = folder.path().join(name);
        fs::write(&path, bytes).expect("a file");
        path
    };
    let mut said = Vec::new();
    if let Some(program) = there("spirv-val") {
        for shader in shaders.clone() {
            let path = file("one.spv".into(), bytemuck::cast_slice(&shader.spirv));
            said.extend(objection(&program, &["--target-env", "vulkan1.1"], &[path]));
        }
    }
    if let Some(program) = there("glslangValidator") {
        let texts = shaders.flat_map(|shader| &shader.glsl).enumerate();
        // All at once: it takes longer to start than to look.
        let paths: Vec<_> =
            texts.map(|(n, text)| file(format!("{n}.comp"), text.as_bytes())).collect();
        said.extend(objection(&program, &[], &paths));
    }
    said
}

fn objection(program: &Path, arguments: &[&str], files: &[PathBuf]) -> Option<String> {
    let output = Command::new(program).args(arguments).args(files).output().expect("it runs");
    let said = [output.stdout, output.stderr].concat();
    (!output.status.success()).then(|| String::from_utf8_lossy(&said).into_owned())
}

/// A program, where it is.
fn there(program: &str) -> Option<PathBuf> {
    let named = env::var_os(VALIDATORS);
    let folders = [named.clone(), env::var_os("PATH")];
    let found = folders.iter().flatten().flat_map(env::split_paths).map(|dir| dir.join(program));
    let found = found.into_iter().find(|path| path.is_file());
    assert!(found.is_some() || named.is_none(), "{VALIDATORS} has no {program}");
    found
}

#[test]
fn they_object_to_what_is_wrong() {
    let shader = |spirv: &[u32], glsl: &str| {
        objections([Checked { spirv: spirv.to_vec(), glsl: vec![glsl.into()] }].iter())
    };
    let head = "#version 310 es\nlayout(local_size_x = 1) in;\n";
    let programs = ["spirv-val", "glslangValidator"].map(|program| match there(program) {
        Some(_) => 1,
        None => {
            println!("NOT RUN: {program} is not here");
            0
        }
    });
    let without_memory_model = [0x0723_0203, 0x0001_0000, 0, 1, 0, 0x0002_0011, 1];
    let wrong = shader(&without_memory_model, &format!("{head}void main() {{ none = 1; }}"));
    assert_eq!(wrong.len(), programs.iter().sum::<usize>(), "{wrong:?}");
    let right = shader(&without_memory_model, &format!("{head}void main() {{}}"));
    assert_eq!(right.len(), programs[0], "{right:?}");
}
