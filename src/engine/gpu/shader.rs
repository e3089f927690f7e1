//! WGSL files and the constants in front of them.
//!
//! A shader is plain WGSL. It is specialised by a generated block of `const` declarations, followed
//! by the library files that it uses; the result is valid WGSL that any tool can open.

use super::{device::Device, immediates::without_immediates, region::Span};
use crate::engine::{EngineError, Layout};
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

/// One step of the wave equation.
pub static STEP: Source = Source {
    name: "step",
    text: include_str!("../../../shaders/step.wgsl"),
    library: &[
        include_str!("../../../shaders/lib/field.wgsl"),
        include_str!("../../../shaders/lib/region.wgsl"),
        include_str!("../../../shaders/lib/window.wgsl"),
        include_str!("../../../shaders/lib/surface.wgsl"),
        include_str!("../../../shaders/lib/fourth.wgsl"),
        include_str!("../../../shaders/lib/layers.wgsl"),
        include_str!("../../../shaders/lib/acquisition.wgsl"),
    ],
};

/// One step of the nodes without layers, marching along y.
pub static MARCH: Source = Source {
    name: "march",
    text: include_str!("../../../shaders/march.wgsl"),
    library: &[
        include_str!("../../../shaders/lib/field.wgsl"),
        include_str!("../../../shaders/lib/region.wgsl"),
        include_str!("../../../shaders/lib/window.wgsl"),
        include_str!("../../../shaders/lib/surface.wgsl"),
        include_str!("../../../shaders/lib/fourth.wgsl"),
        include_str!("../../../shaders/lib/acquisition.wgsl"),
    ],
};

/// Adds a step's increments to p.
pub static INCREMENTS: Source = Source {
    name: "increments",
    text: include_str!("../../../shaders/increments.wgsl"),
    library: &[],
};

/// The layers of an adjoint.
pub static TRANSPOSED: Source = Source {
    name: "transposed",
    text: include_str!("../../../shaders/transposed.wgsl"),
    library: &[],
};

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

/// The constants that specialise a shader, and the files of shaders/lib/ that a Plan's run selects.
#[derive(Clone, Debug, Default)]
pub struct Constants {
    values: Vec<(Cow<'static, str>, String)>,
    library: Vec<&'static str>,
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

    /// Adds the text of a file of shaders/lib/.
    #[must_use]
    pub fn library(mut self, file: &'static str) -> Self {
        self.library.push(file);
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
        for file in self.library.iter().chain(&constants.library).chain([&self.text]) {
            text.push('\n');
            text.push_str(file);
        }
        text
    }

    pub(super) fn module(
        &self,
        device: &Device,
        constants: &Constants,
        checked: bool,
    ) -> Result<wgpu::ShaderModule, EngineError> {
        let mut text = self.specialised(constants);
        if !device.has(wgpu::Features::IMMEDIATES) {
            text = without_immediates(&text);
        }
        let descriptor = wgpu::ShaderModuleDescriptor {
            label: Some(self.name),
            source: wgpu::ShaderSource::Wgsl(text.into()),
        };
        device.guarded(|| {
            if checked {
                device.wgpu.create_shader_module(descriptor)
            } else {
                trusted(&device.wgpu, descriptor)
            }
        })
    }
}

/// The only unsafe call for shaders: a module without run-time checks.
#[allow(unsafe_code, reason = "checks cost speed, and what they check is proven; see SAFETY")]
fn trusted(
    device: &wgpu::Device,
    descriptor: wgpu::ShaderModuleDescriptor<'_>,
) -> wgpu::ShaderModule {
    // SAFETY: the text is ours, embedded at compile time, and validated by naga in tests/agreement.
    // Its loops end: they are bounded by constants, the grid, a tile's sources or the slots of
    // stored waves. It divides by nothing but extents of the layout and counts of tiles, which are
    // above 0. Its indices lie inside their buffers:
    // - fields and model: nodes are guarded by a region's spans, which lie in the grid (`Regions`),
    //   a march ends with its region, and neighbours, read in quads and groups of columns, lie in
    //   the halo that `Layout` provides, or in the tile of workgroup memory that a barrier has
    //   filled. Images above a free surface are read from the same column, which has a halo below
    //   it. Operators have at most 16 neighbours (`Plan::is_sound`);
    // - layers: there is a coefficient for each node along x and y and each quad along z, and a
    //   loss for each end and place across them (`layers::coefficients`); memory is read between
    //   the bounds LOW and HIGH, or in a region that is exactly those ends (`Span::is_ends`);
    // - acquisition, wavelets, traces: tables are as long as their counts; offsets, and the windows
    //   of receivers between nodes, are on the grid, as `GpuRun::new` checks (`Plan::is_sound`),
    //   and in a slab among its pieces and ghosts (`Part::reads`); quads of a window reach at most
    //   one past its column's last, into the halo; rows are fewer than `tap::rows`, because a
    //   submit ends at the taps' horizon, and a step without a row has no workgroup that records;
    // - ghosts: quads are guarded by their number, and both layouts have as many at either end
    //   (`Part::all`);
    // - layers of an adjoint: nodes are guarded by their regions, which lie in the grid, and their
    //   places and those of their neighbours lie in the strips, which have zeros as far as a
    //   stencil reaches (`transposed::Strip`); tables have a pair per place and a loss per end and
    //   line;
    // - increments: quads are guarded by their number;
    // - maps of a focus: nodes are guarded by the grid, and shots are whole sets
    //   (`Plan::is_sound`);
    // - boundaries: words are guarded by their number, offsets are those of the ring, which lies in
    //   the grid, or 0; a buffer has a row for each of its steps;
    // - backward: as increments;
    // - halos: nodes are guarded by those of the ghosts, which lie in the slab's field
    //   (`Part::all`);
    // - windows: nodes are guarded by the model, which lies in the grid;
    // - differences: nodes are guarded by the model, which lies in the grid; each slot has a value
    //   per node and shot;
    // - offset gathers: nodes are guarded by the line; h is that of an existing offset, and waves
    //   have zeros on either side as far as it reaches; slots are within their number; the values
    //   that a tile copies are guarded by the line and its zeros; sums by their values, their shots
    //   by `Summed::fits`;
    // - correlations: nodes are guarded by the grid, and shots are whole pairs (`Plan::is_sound`);
    // - summaries of maps: nodes are guarded by the model, which lies in the grid, neighbours by its ends; a mask is of
    //   the model (`Plan::is_sound`), and there is a part for each workgroup;
    // - several steps a pass: every node read or written is guarded by the grid, whichever way its place wraps around, and rows
    //   and fours of a tile are held within it;
    // - alarms of the watchdog: looks are fewer than a submit has room for, by its horizon, and the sign of p is masked.
    // Runs that are checked, and the tests, compile the same text with the checks.
    unsafe {
        device.create_shader_module_trusted(descriptor, wgpu::ShaderRuntimeChecks::unchecked())
    }
}
