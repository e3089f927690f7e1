//! How a medium changes the kernels that step a field. Velocity alone changes nothing.
//!
//! To add a medium: a file in `shaders/lib/` with its equation, a [`Variant`] here, and an arm in
//! [`variant`]; its arrays in `model.rs`. See also `src/numbers/medium/mod.rs`.

use super::shader::text;
use crate::{medium::Medium, plan::Plan};

/// What a medium adds to the kernels.
#[derive(Debug)]
pub struct Variant {
    /// Texts of the files of shaders/lib/ that it uses.
    pub library: &'static [&'static str],
    /// Lines of the kernels and their libraries, with what replaces them.
    pub edits: &'static [[&'static str; 2]],
}

/// The variant of a Plan's medium; `None` for velocity alone.
pub fn variant(plan: &Plan) -> Option<&'static Variant> {
    match plan.medium {
        Medium::Density(_) => Some(&DENSITY),
        _ => None,
    }
}

/// Variable density: the potential's term, and receivers whose weights are separate for each node,
/// as p = q / w.
static DENSITY: Variant = Variant {
    library: &[text!("lib/", "density")],
    edits: &[
        [
            "    let push = m * laplacian;\n",
            "    laplacian -= potential(select(cell, medium, WINDOWED)) * centre;\n    let push = m * laplacian;\n",
        ],
        [
            "            m = model(window);\n",
            "            m = model(window);\n            laplacian -= potential(window) * centre;\n",
        ],
        [
            "            m = model(at.shot * MODEL + cell);\n",
            "            m = model(at.shot * MODEL + cell);\n            laplacian -= potential(cell) * centre;\n",
        ],
        [
            "const RECORD: u32 = WEIGHTS_Y + (SAMPLES_Y + 3u) / 4u;\n",
            "const RECORD: u32 = 1u + SAMPLES_X * SAMPLES_Y * SAMPLES_Z;\n",
        ],
        [
            "                along_column += dot(weights_z[z], p[column + z]);\n",
            "                let quad = record + 1u + (y * SAMPLES_X + x) * SAMPLES_Z + z;\n                \
             along_column += dot(bitcast<vec4<f32>>(acquisition[quad]), p[column + z]);\n",
        ],
        [
            "            sum += weight(record + WEIGHTS_Y, y) * weight(record + WEIGHTS_X, x) * along_column;\n",
            "            sum += along_column;\n",
        ],
    ],
};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gpu::shader::{MARCH, STEP};

    /// An edit that finds no line would leave the kernel of constant density.
    #[test]
    fn every_edit_changes_one_line_of_a_kernel() {
        for [line, _] in DENSITY.edits {
            let found = [&STEP, &MARCH].map(|source| {
                let texts = source.library.iter().chain([&source.text]);
                texts.map(|text| text.matches(line).count()).sum::<usize>()
            });
            assert!(matches!(found, [0 | 1, 0 | 1]) && found != [0, 0], "{line}: {found:?}");
        }
    }
}
