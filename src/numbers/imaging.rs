//! The ways to make an image of two waves, as jobs name them.

use serde::{Deserialize, Serialize};

/// An imaging condition.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[cfg_attr(
    feature = "schema",
    derive(schemars::JsonSchema),
    schemars(rename = "ImagingCondition", description = "An imaging condition.")
)]
#[serde(rename_all = "kebab-case")]
pub enum Condition {
    /// The sum of the shots' cross-correlations: the adjoint of Born modelling.
    CrossCorrelation,
    /// The cross-correlation over the sum of the shots' illuminations (Kaelin and Guitton 2006,
    /// "Imaging condition for reverse time migration", SEG Expanded Abstracts 25).
    SourceNormalised,
    /// The sum of the products of both waves' time derivatives and gradients (Whitmore and Crawley
    /// 2012, "Applications of RTM inverse scattering imaging conditions", SEG Expanded Abstracts
    /// 31; Op 't Root, Stolk and de Hoop 2012, "Linearized inverse scattering based on seismic
    /// reverse time migration", J. Math. Pures Appl. 98). It is the Laplacian of the
    /// cross-correlation, to be applied to the image of this condition.
    InverseScattering,
    /// The sum over shots and steps of the product of the source wave of the integrated wavelet and the
    /// backward wave, without a scale (Al Theyab and Clapp 2009, SEP-138, equations 2 and 4). It is the
    /// only condition of its run, because wavelets and traces are integrated for it.
    PlainProduct,
}

impl Condition {
    /// Its name in jobs and in file names.
    pub fn name(self) -> &'static str {
        match self {
            Condition::CrossCorrelation => "cross-correlation",
            Condition::SourceNormalised => "source-normalised",
            Condition::InverseScattering => "inverse-scattering",
            Condition::PlainProduct => "plain-product",
        }
    }
}

/// How source wavefields are stored or recomputed for imaging.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Wavefield {
    /// All imaging steps if they fit, else the fastest way that fits.
    #[default]
    Auto,
    /// All imaging steps are kept.
    Kept,
    /// A part of the run is kept at a time, and the others are run again from states.
    Checkpoints,
    /// All imaging steps go to the memory of a GPU's host and come back; on a CPU they are kept.
    Host,
}

/// The cost of a way to store source wavefields.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Cost {
    /// Name of the storage.
    pub name: &'static str,
    /// Parts of the run, one of which is stored whole at a time, and states stored at the
    /// beginnings of parts.
    pub parts: usize,
    /// See `parts`.
    pub states: usize,
    /// Shots that are migrated together.
    pub shots: u64,
    /// Bytes stored for these shots.
    pub bytes: u64,
    /// Bytes in the host's memory besides.
    pub host: u64,
    /// Steps of the wave of the sources over those of one run.
    pub runs: f64,
    /// Time of these steps and of the storage over that of a run whose imaging steps are stored, by
    /// the bytes moved.
    pub work: f64,
    /// True if it fits the memory limit.
    pub fits: bool,
    /// True if it is taken.
    pub taken: bool,
}

/// Why the source wavefields are stored as they are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum WavefieldReason {
    /// It was requested.
    Asked,
    /// All imaging steps fit.
    AllFit,
    /// The fastest that fits and gives the same bits, estimated from the bytes moved.
    Fastest,
    /// Nothing fits, and it takes the least memory.
    NothingFits,
}

/// The cost of a migration.
#[derive(Clone, Debug, Serialize)]
pub struct Estimate {
    /// Shots that are migrated together.
    pub at_once: usize,
    /// Imaging steps of a run.
    pub imaging_steps: usize,
    /// Seconds between them.
    pub interval: f64,
    /// Storage of the source wavefields, from the one with the most memory on.
    pub kept: Vec<Cost>,
    /// The reason for the choice taken.
    pub why: WavefieldReason,
    /// Seconds of stepping for each of `kept`, at the rate of the shots and in proportion to the
    /// bytes moved, with the sums of offset gathers; unknown if no rate is remembered.
    pub seconds: Option<Vec<f64>>,
}
