//! Optimal transport: `J = int_0^1 (F^-1(s) - G^-1(s))^2 ds` of each trace, the squared Wasserstein
//! distance W2 of its density f to that of the observed trace, in s^2. F and G are the cumulative
//! densities. A pulse that comes late by T costs its share of the mass times T^2, so that J falls
//! towards the right time from farther away than half a period (Engquist and Froese 2014,
//! "Application of the Wasserstein metric to seismic signals", Commun. Math. Sci. 12(5)).
//!
//! Densities are positive by a softplus, `f_k = log(1 + exp(b p_k)) / sum` with `b = 3 / max |d|` (Qiu,
//! Ramos-Martinez, Valenciano, Yang and Engquist 2017, SEG Expanded Abstracts 36). They are constant
//! over each sample, so that both inverses are piecewise linear, and J is exact. Its derivative by a
//! density is the potential of Kantorovich, `phi(t) = 2 int_0^t (u - G^-1(F(u))) du`.

/// b times the largest observed sample.
const STEEPNESS: f64 = 3.0;

/// A silent observed trace is at no time: its J is 0.
pub(crate) fn of(modelled: &[f64], observed: &[f64], interval: f64) -> (f64, Vec<f64>) {
    let largest = observed.iter().fold(0.0f64, |largest, d| largest.max(d.abs()));
    let steepness = STEEPNESS / largest;
    if !steepness.is_finite() {
        return (0.0, vec![0.0; modelled.len()]);
    }
    let (f, g) = (Density::of(modelled, steepness), Density::of(observed, steepness));
    let (misfit, potential) = moved(&f.mass, &g.mass);
    // A larger sample takes mass from all others.
    let mean: f64 = potential.iter().zip(&f.mass).map(|(phi, mass)| phi * mass).sum();
    let square = interval * interval;
    let by = |(p, phi): (&f64, &f64)| {
        let slope = steepness / (1.0 + (-steepness * p).exp());
        square * (phi - mean) * slope / f.sum
    };
    (square * misfit, modelled.iter().zip(&potential).map(by).collect())
}

/// The mass of each sample, 1 in all.
struct Density {
    mass: Vec<f64>,
    /// Of all samples before they are normalised.
    sum: f64,
}

impl Density {
    fn of(trace: &[f64], steepness: f64) -> Self {
        let softplus = |p: &f64| {
            let x = steepness * p;
            x.max(0.0) + (-x.abs()).exp().ln_1p()
        };
        let values: Vec<f64> = trace.iter().map(softplus).collect();
        let sum: f64 = values.iter().sum();
        Density { mass: values.iter().map(|value| value / sum).collect(), sum }
    }
}

/// The squared distance over which the mass f moves to become g, in intervals, and the mean of the
/// potential over each sample.
fn moved(f: &[f64], g: &[f64]) -> (f64, Vec<f64>) {
    let (mut distance, mut potential) = (0.0, vec![0.0; f.len()]);
    // The part of g's sample that is filled, and the potential at the place reached.
    let (mut to, mut filled, mut phi) = (0, 0.0, 0.0);
    for (from, (mass, potential)) in f.iter().zip(&mut potential).enumerate() {
        let mut left = *mass;
        while left > 0.0 {
            // The rounded masses of the last samples may differ.
            let room = if to + 1 < g.len() { g[to] - filled } else { f64::INFINITY };
            let part = left.min(room);
            let length = part / mass;
            let begin = from as f64 + (1.0 - left / mass);
            let at = |filled: f64| to as f64 + (filled / g[to]).min(1.0);
            // How far the mass at both ends of this part moves back.
            let a = begin - at(filled);
            let b = begin + length - at(filled + part);
            distance += part * (a * a + a * b + b * b) / 3.0;
            *potential += phi * length + length * length * (2.0 * a + b) / 3.0;
            phi += length * (a + b);
            left = if part < left { left - part } else { 0.0 };
            if part < room {
                filled += part;
            } else {
                (to, filled) = (to + 1, 0.0);
            }
        }
    }
    (distance, potential)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// By hand: all mass of a uniform density on 4 samples moves by 2; that on two samples spreads
    /// over four: F^-1(s) = 2 s, G^-1(s) = 4 s, and int (2 s)^2 ds = 4/3.
    #[test]
    fn distances_are_those_by_hand() {
        let shifted = moved(&[0.5, 0.5, 0.0, 0.0], &[0.0, 0.0, 0.5, 0.5]).0;
        assert!((shifted - 4.0).abs() < 1e-12, "{shifted}");
        let spread = moved(&[0.5, 0.5, 0.0, 0.0], &[0.25; 4]).0;
        assert!((spread - 4.0 / 3.0).abs() < 1e-12, "{spread}");
        let back = moved(&[0.25; 4], &[0.5, 0.5, 0.0, 0.0]).0;
        assert!((back - 4.0 / 3.0).abs() < 1e-12, "{back}");
    }

    /// The derivative points to the right time from 1.5 periods away, where that of l2 points away.
    #[test]
    fn a_pulse_is_drawn_from_farther_away_than_half_a_period() {
        let (hz, interval) = (10.0, 0.002);
        let pulse = |at: f64| -> Vec<f64> {
            let of = |k: usize| {
                let t = std::f64::consts::PI * hz * (k as f64 * interval - at);
                (1.0 - 2.0 * t * t) * (-t * t).exp()
            };
            (0..600).map(of).collect()
        };
        let observed = pulse(0.5);
        // dJ along a later pulse, which is negative where a later one fits better.
        let later = |of: super::super::OfTrace, periods: f64| {
            let at = 0.5 - periods / hz;
            let (now, next) = (pulse(at), pulse(at + 1e-5));
            let by = of(&now, &observed, interval).1;
            by.iter().zip(now.iter().zip(&next)).map(|(by, (p, q))| by * (q - p)).sum::<f64>()
        };
        assert!(later(of, 1.5) < 0.0 && later(of, 0.2) < 0.0);
        assert!(later(super::super::l2::of, 0.6) > 0.0);
    }
}
