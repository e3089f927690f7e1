//! WGSL files and the constants in front of them.
//!
//! A shader is plain WGSL. It is specialised by a generated block of `const` declarations, followed
//! by the library files that it uses; the result is valid WGSL that any tool can open.

use super::region::Span;
use crate::Layout;
use sha2::{Digest, Sha256};
use std::{borrow::Cow, fmt::Write, sync::OnceLock};

/// A kernel as it is in shaders/.
#[derive(Debug)]
pub struct Source {
    /// Name of the file without its extension.
    pub name: &'static str,
    /// Its text.
    pub text: &'static str,
    /// Texts of the files of shaders/lib/ that it uses.
    pub library: &'static [&'static str],
}

/// `text!(path)`: the text of a file of shaders/.
macro_rules! text {
    ($($path:literal),+) => {
        include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../shaders/", $($path,)+ ".wgsl"))
    };
}

/// `source!("name", ["file", ..])`: the kernel of that name in shaders/, or in a folder of it given
/// before, with files of shaders/lib/.
macro_rules! source {
    ($folder:literal $name:literal $(, [$($file:literal),+])?) => {
        $crate::gpu::shader::Source {
            name: $name,
            text: $crate::gpu::shader::text!($folder, $name),
            library: &[$($($crate::gpu::shader::text!("lib/", $file)),+)?],
        }
    };
    ($name:literal $($library:tt)*) => {
        $crate::gpu::shader::source!("" $name $($library)*)
    };
}
pub(super) use {source, text};

/// One step of the wave equation.
pub static STEP: Source = source!(
    "step",
    ["field", "model", "region", "window", "surface", "fourth", "layers", "acquisition"]
);

/// One step of the nodes without layers, marching along y.
pub static MARCH: Source =
    source!("march", ["field", "model", "region", "window", "surface", "fourth", "acquisition"]);

/// Adds a step's increments to p.
pub static INCREMENTS: Source = source!("increments");

/// The layers of an adjoint.
pub static TRANSPOSED: Source = source!("transposed", ["model"]);

/// SHA-256 of all shaders that step a field: measured speeds are valid for these texts.
pub fn digest() -> &'static str {
    static DIGEST: OnceLock<String> = OnceLock::new();
    DIGEST.get_or_init(|| {
        let mut hasher = Sha256::new();
        for Source { text, library, .. } in [&STEP, &MARCH, &INCREMENTS] {
            library.iter().chain([text]).for_each(|part| hasher.update(part));
        }
        hasher.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
    })
}

/// The constants that specialise a shader.
#[derive(Clone, Debug, Default)]
pub struct Constants {
    values: Vec<(Cow<'static, str>, String)>,
}

impl Constants {
    /// Adds an unsigned integer.
    #[must_use]
    pub fn int(mut self, name: impl Into<Cow<'static, str>>, value: usize) -> Self {
        self.values.push((name.into(), format!("u32 = {value}u")));
        self
    }

    /// Adds the positions of a field's nodes in memory.
    #[must_use]
    pub fn layout(self, layout: &Layout) -> Self {
        self.int("NX", layout.n.x)
            .int("NY", layout.n.y)
            .int("NZ", layout.n.z)
            .int("STRIDE", layout.column)
            .int("PLANE", layout.plane)
            .int("LEAD", layout.lead)
            .int("FIELD", layout.len())
    }

    /// Adds the nodes of a region along an axis.
    #[must_use]
    pub fn span(self, axis: char, span: Span) -> Self {
        let name = |what: &str| format!("{what}_{axis}");
        let Span { first, len, cut, skip } = span;
        [("FIRST", first), ("SPAN", len), ("CUT", cut), ("SKIP", skip)]
            .into_iter()
            .fold(self, |all, (what, value)| all.int(name(what), value))
    }

    /// Adds a truth value.
    #[must_use]
    pub fn flag(mut self, name: &'static str, value: bool) -> Self {
        self.values.push((name.into(), format!("bool = {value}")));
        self
    }
}

impl Source {
    /// The whole text: constants, library, kernel.
    pub fn specialised(&self, constants: &Constants) -> String {
        let mut text = format!("// {}.wgsl, specialised\n", self.name);
        for (name, value) in &constants.values {
            let _ = writeln!(text, "const {name}: {value};");
        }
        for file in self.library.iter().chain([&self.text]) {
            text.push('\n');
            text.push_str(file);
        }
        text
    }
}

/// The bind group of the uniform buffer that stands for immediates on a device without them; a
/// kernel's own groups precede it.
pub const UNIFORM_GROUP: u32 = 2;

/// A shader's text for a device without immediates: they come in a uniform buffer instead.
pub fn without_immediates(text: &str) -> String {
    text.replace("var<immediate>", &format!("@group({UNIFORM_GROUP}) @binding(0) var<uniform>"))
}
