//! WGSL files and the constants in front of them.
//!
//! A shader is plain WGSL. It is specialised by a generated block of `const` declarations, followed
//! by the library files that it uses; the result is valid WGSL that any tool can open.

use super::region::Span;
use crate::{Layout, grid::Axes};
use sha2::{Digest, Sha256};
use std::{borrow::Cow, fmt::Write, sync::OnceLock};

/// A kernel as it is in shaders/.
#[derive(Debug)]
pub(crate) struct Source {
    /// Name of the file without its extension.
    pub(crate) name: &'static str,
    /// Its text.
    pub(crate) text: &'static str,
    /// Texts of the files of shaders/lib/ that it uses.
    pub(crate) library: &'static [&'static str],
}

/// `text!(path)`: the text of a file of shaders/.
macro_rules! text {
    ($($path:literal),+) => {
        include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/shaders/", $($path,)+ ".wgsl"))
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
pub(crate) static STEP: Source = source!(
    "step",
    [
        "field",
        "model",
        "density",
        "region",
        "window",
        "surface",
        "fourth",
        "layers",
        "acquisition",
        "sleep"
    ]
);

/// One step of both fields of VTI.
pub(crate) static VTI: Source = source!(
    "vti",
    ["field", "model", "region", "window", "surface", "layers", "acquisition", "sleep"]
);

/// One step of the nodes without layers, marching along y.
pub(crate) static MARCH: Source = source!(
    "march",
    ["field", "model", "density", "region", "window", "surface", "fourth", "acquisition", "sleep"]
);

/// Adds a step's increments to p.
pub(crate) static INCREMENTS: Source = source!("increments");

/// The layers of an adjoint.
pub(crate) static TRANSPOSED: Source = source!("transposed", ["model", "transposed"]);

/// The same of both fields of VTI.
pub(crate) static TRANSPOSED_VTI: Source = source!("transposed_vti", ["model", "transposed"]);

/// SHA-256 of all shaders that step a field: measured speeds are valid for these texts.
pub fn digest() -> &'static str {
    static DIGEST: OnceLock<String> = OnceLock::new();
    DIGEST.get_or_init(|| {
        let mut hasher = Sha256::new();
        for Source { text, library, .. } in [&STEP, &MARCH, &VTI, &INCREMENTS] {
            library.iter().chain([text]).for_each(|part| hasher.update(part));
        }
        hasher.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
    })
}

/// The constants that specialise a shader.
#[derive(Clone, Debug, Default)]
pub(crate) struct Constants {
    values: Vec<(Cow<'static, str>, String)>,
}

impl Constants {
    /// Adds an unsigned integer.
    #[must_use]
    pub(crate) fn int(mut self, name: impl Into<Cow<'static, str>>, value: usize) -> Self {
        self.values.push((name.into(), format!("u32 = {value}u")));
        self
    }

    /// Adds the positions of a field's nodes in memory.
    #[must_use]
    pub(crate) fn layout(self, layout: &Layout) -> Self {
        self.int("NX", layout.n.x)
            .int("NY", layout.n.y)
            .int("NZ", layout.n.z)
            .int("STRIDE", layout.column)
            .int("PLANE", layout.plane)
            .int("LEAD", layout.lead)
            .int("FIELD", layout.len())
    }

    /// Adds an integer for each axis: `NAME_X` and so on.
    #[must_use]
    pub(crate) fn axes(self, name: &str, Axes { z, x, y }: Axes<usize>) -> Self {
        let int = |axis: char| format!("{name}_{axis}");
        self.int(int('Z'), z).int(int('X'), x).int(int('Y'), y)
    }

    /// Adds a truth value for each axis.
    #[must_use]
    pub(crate) fn axis_flags(self, name: &str, Axes { z, x, y }: Axes<bool>) -> Self {
        let flag = |axis: char| format!("{name}_{axis}");
        self.flag(flag('Z'), z).flag(flag('X'), x).flag(flag('Y'), y)
    }

    /// Adds `LOW` and `HIGH`, the sizes of the layers at the ends of each axis.
    #[must_use]
    pub(crate) fn ends(self, ends: Axes<[usize; 2]>) -> Self {
        self.axes("LOW", ends.map(|[low, _]| low)).axes("HIGH", ends.map(|[_, high]| high))
    }

    /// Adds the nodes of a region.
    #[must_use]
    pub(crate) fn spans(self, spans: Axes<Span>) -> Self {
        self.axes("FIRST", spans.map(|span| span.first))
            .axes("SPAN", spans.map(|span| span.len))
            .axes("CUT", spans.map(|span| span.cut))
            .axes("SKIP", spans.map(|span| span.skip))
    }

    /// Adds a number.
    #[must_use]
    pub(crate) fn float(mut self, name: impl Into<Cow<'static, str>>, value: f64) -> Self {
        self.values.push((name.into(), format!("f32 = {:?}", value as f32)));
        self
    }

    /// Adds a truth value.
    #[must_use]
    pub(crate) fn flag(mut self, name: impl Into<Cow<'static, str>>, value: bool) -> Self {
        self.values.push((name.into(), format!("bool = {value}")));
        self
    }
}

impl Source {
    /// Its name and whole text.
    pub(crate) fn named(&self, constants: &Constants) -> (&'static str, String) {
        (self.name, self.specialised(constants))
    }

    /// The whole text: constants, library, kernel.
    pub(crate) fn specialised(&self, constants: &Constants) -> String {
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
pub(crate) const UNIFORM_GROUP: u32 = 2;

/// A shader's text for a device without immediates: they come in a uniform buffer instead.
pub fn without_immediates(text: &str) -> String {
    text.replace("var<immediate>", &format!("@group({UNIFORM_GROUP}) @binding(0) var<uniform>"))
}
