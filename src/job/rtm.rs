//! The migration keys of a job.

use super::{FileNames, Movie, MovieFormat};
use crate::{
    conditioning,
    grid::Position,
    imaging::{Condition, Wavefield},
    plan::{Plan, PointShot},
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_with_macros::skip_serializing_none;

/// How the shots of a job are migrated.
#[skip_serializing_none]
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Rtm {
    /// What was recorded of the job's shots, in their order, relative to the job's folder: .sgy or .su, whose headers must fit the job, or
    /// .npy of shape [shot][receiver][time], of one shot [receiver][time]; a pattern such as "shots*.sgy", or a list. Without it the
    /// shots are modelled first.
    pub(crate) gathers: Option<FileNames>,
    /// Metres over which the model is smoothed before waves are migrated through it.
    pub(crate) smooth: Option<f64>,
    /// Seconds from one imaging step to the next; default the most that the highest frequency allows.
    pub(crate) interval: Option<f64>,
    /// GB that may be kept of the source wavefields; default 4.3 on a GPU, on a CPU half of the host's
    /// memory. Less if the rest of the run leaves less.
    pub(crate) memory: Option<f64>,
    /// How the source wavefields are stored.
    pub(crate) wavefield: Wavefield,
    /// Factor on the migration velocities.
    pub(crate) factor: Option<f64>,
    /// Images to make of the run.
    pub conditions: Vec<Condition>,
    /// Whether a Laplacian removes the smooth, strong image of waves that travel together.
    pub(crate) laplacian: bool,
    /// Four rising frequencies, Hz: traces keep everything between the middle two and nothing outside the outer two.
    pub(crate) band: Option<[f64; 4]>,
    /// Treatment of the direct wave.
    pub(crate) direct: Direct,
    /// Mute of the direct wave.
    pub(crate) mute: Option<Mute>,
    /// Offset gathers, in 3-D on lines: images of the two waves at points some distance apart.
    pub(crate) offsets: Option<SubsurfaceOffsets>,
    /// Gathers of reflection angles, made of the offset gathers along x.
    pub(crate) angles: Option<Angles>,
    /// An animation of the image as it builds up.
    pub(crate) movie: Option<ImageMovie>,
    /// Formats of images: "npy", samples alone; "sgy", SEG-Y; "rsf", Madagascar's, with axes. Gathers are not written as SEG-Y.
    pub(crate) formats: Vec<ImageFormat>,
}

/// Bytes of a key in GB.
pub(crate) fn in_bytes(gigabytes: f64) -> u64 {
    (1e9 * gigabytes) as u64
}

impl Default for Rtm {
    fn default() -> Self {
        Rtm {
            gathers: None,
            smooth: None,
            interval: None,
            memory: None,
            wavefield: Wavefield::Auto,
            factor: None,
            conditions: vec![Condition::SourceNormalised],
            laplacian: true,
            band: None,
            direct: Direct::Muted,
            mute: None,
            offsets: None,
            angles: None,
            movie: None,
            formats: vec![ImageFormat::Npy, ImageFormat::Sgy],
        }
    }
}

impl Rtm {
    /// True if its image is the plain product.
    pub(crate) fn is_plain(&self) -> bool {
        self.conditions == [Condition::PlainProduct]
    }
}

/// Treatment of the direct wave.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Direct {
    #[default]
    Muted,
    /// Modelled through the velocity at the source, and subtracted.
    Modelled,
    Kept,
}

/// How the direct wave is muted: before distance / velocity + delay.
#[skip_serializing_none]
#[derive(Clone, Copy, Debug, Default, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct Mute {
    /// m/s; default that of the model at the source.
    pub(crate) velocity: Option<f64>,
    /// Seconds; default two periods of the wavelet.
    pub(crate) delay: Option<f64>,
    /// Length of the taper after the mute, seconds; default a period.
    pub(crate) taper: Option<f64>,
}

impl Mute {
    /// The mute of a shot of a Plan. The default velocity is that of the node nearest to the first source: velocities
    /// belong to nodes, and the wave that [`Direct::Modelled`] subtracts has this one too.
    pub(crate) fn of_shot(
        self,
        plan: &Plan,
        shot: &PointShot,
        velocity_at: impl FnOnce(Position) -> f64,
    ) -> conditioning::Mute {
        let period = if plan.frequency > 0.0 { 1.0 / plan.frequency } else { 0.0 };
        let source = shot.asked.sources.first().map(|source| source.at);
        let at_source = || source.map_or(f64::from(plan.slowest), velocity_at);
        conditioning::Mute {
            velocity: self.velocity.unwrap_or_else(at_source),
            delay: self.delay.unwrap_or(2.0 * period),
            taper: self.taper.unwrap_or(period),
        }
    }
}

/// Subsurface offsets h: the source wave is taken at x + h, the backward wave at x - h.
#[skip_serializing_none]
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct SubsurfaceOffsets {
    /// The axis that h lies along.
    #[serde(default)]
    pub(crate) along: Along,
    /// The largest, metres; the smallest is as much below zero.
    pub(crate) most: f64,
    /// Metres from one to the next; default a cell.
    pub(crate) step: Option<f64>,
    /// y of the lines that gathers are made on, metres; in 3-D alone.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) lines: Vec<f64>,
    /// x of the gathers that are drawn, metres; default side by side.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) drawn: Vec<f64>,
}

/// Reflection angles, from -`most` to `most`, degrees.
#[derive(Clone, Copy, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Angles {
    /// The largest, below 90.
    pub(crate) most: f64,
    /// From one to the next.
    pub(crate) step: f64,
}

impl Angles {
    /// All angles.
    pub(crate) fn all(self) -> Vec<f64> {
        let most = (self.most / self.step + 1e-9).floor() as i32;
        (-most..=most).map(|angle| f64::from(angle) * self.step).collect()
    }
}

/// An animation of an image as it builds up.
#[derive(Clone, Copy, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct ImageMovie {
    /// Shots from one frame to the next.
    pub(crate) every: usize,
    pub(crate) format: MovieFormat,
    /// Frames a second.
    pub(crate) rate: u16,
}

impl Default for ImageMovie {
    fn default() -> Self {
        ImageMovie { every: 1, format: MovieFormat::default(), rate: 4 }
    }
}

impl ImageMovie {
    /// Its format and rate.
    pub(crate) fn as_movie(self) -> Movie {
        Movie { every: None, format: self.format, rate: self.rate }
    }
}

/// A format of images.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum ImageFormat {
    Npy,
    Sgy,
    Rsf,
}

/// Axes of offsets.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Along {
    #[default]
    X,
    Z,
    Both,
}
