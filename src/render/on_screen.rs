//! The colours of the figures without their axes, for a program that draws on a screen.

use ndarray::{Array2, ArrayView2};

use super::colour::{self, PressureMap, grey_beneath};
use super::colour_range::{VelocityRange, clip};
use super::gain::Gain;
use super::wave_paint::{PERCENTILE, REACHED};

/// The colours of a wavefield, evenly from the largest negative to the largest positive pressure: red,
/// green and blue, times the opacity, and the weight of the grey beneath. Colours and the grey are of 0 to 255.
pub fn wave_colours() -> Vec<[f32; 4]> {
    let table = PressureMap::new(1.0).into_table();
    table.into_iter().map(|([r, g, b], ground)| [r, g, b, ground]).collect()
}

/// The percentile of |p|, among values above this fraction of the peak, at which the colours end; for a
/// program that computes it on the device.
pub fn wave_share() -> (f64, f32) {
    (PERCENTILE, REACHED)
}

/// The grey of a model beneath a wavefield, 0 to 255, shape of the velocities.
pub fn model_greys(velocity: ArrayView2<'_, f32>) -> Array2<f32> {
    let range = VelocityRange::of(velocity);
    velocity.mapv(|c| grey_beneath(range.share(c)))
}

/// The pixels of a gather of shape `[receiver][time]`, one a sample, as rows of receivers from t = 0 on.
pub fn gather_pixels(traces: ArrayView2<'_, f32>) -> Array2<[u8; 3]> {
    let clip = clip(traces, Gain::default().clip);
    let scale = if clip > 0.0 { 1.0 / clip } else { 0.0 };
    traces.t().mapv(|p| colour::gather(p * scale))
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::array;

    #[test]
    fn a_table_shows_what_the_map_does() {
        let (table, map) = (wave_colours(), PressureMap::new(2.0));
        for (pressure, ground) in [(-2.0, 200.0), (-0.3, 180.0), (0.0, 220.0), (0.7, 248.0)] {
            let half = (table.len() / 2) as f32;
            let [r, g, b, kept] = table[(pressure / 2.0 * half + half + 0.5) as usize];
            let colour = [r, g, b].map(|c| (c + ground * kept + 0.5) as u8);
            assert_eq!(colour, map.over(pressure, ground));
        }
    }

    #[test]
    fn a_gather_has_time_down() {
        let pixels = gather_pixels(array![[1.0, 0.0], [0.0, -1.0], [0.0, 0.0]].view());
        assert_eq!(pixels.dim(), (2, 3));
        assert_eq!((pixels[(0, 0)], pixels[(1, 1)], pixels[(1, 2)]), ([0; 3], [255; 3], [128; 3]));
    }
}
