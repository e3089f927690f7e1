//! `huygens gather filter`.

use super::file::FromTo;
use crate::{
    cli::{failure::Failure, flags::named::named},
    conditioning::{
        BandPass, ConditioningError,
        gain::{self, Amplitude},
        resample, taper,
    },
    io::segy::Gather,
};

#[derive(clap::Args)]
#[command(
    after_help = "Examples:\n  huygens gather filter field.sgy clean.sgy --taper 0.05 --low-cut 2,4 --high-cut 40,60\n  \
                  huygens gather filter field.sgy coarse.sgy --resample 0.004\n\
                  In this order: --taper, --taper-traces, --low-cut and --high-cut, --gain, --agc, --normalise, --resample."
)]
pub(crate) struct Arguments {
    #[command(flatten)]
    files: FromTo,
    /// Low cut, Hz: rejects frequencies below the first, passes those above the second.
    #[arg(long, value_name = "F1,F2", value_delimiter = ',', num_args = 1)]
    low_cut: Option<Vec<f64>>,
    /// High cut, Hz: passes frequencies below the first, rejects those above the second.
    #[arg(long, value_name = "F3,F4", value_delimiter = ',', num_args = 1)]
    high_cut: Option<Vec<f64>>,
    /// Fade traces in and out by a cosine over this time, s.
    #[arg(long, value_name = "SECONDS", allow_negative_numbers = true)]
    taper: Option<f64>,
    /// Fade this many traces at each side of a record.
    #[arg(long, value_name = "NUMBER")]
    taper_traces: Option<usize>,
    /// Multiply samples by this power of their time.
    #[arg(long, value_name = "POWER", allow_negative_numbers = true)]
    gain: Option<f64>,
    /// Divide samples by the root mean square of a window of this length around them, s.
    #[arg(long, value_name = "SECONDS", allow_negative_numbers = true)]
    agc: Option<f64>,
    /// Divide each trace by its largest sample, or by its root mean square.
    #[arg(long, value_name = "BY", value_parser = named(&[("largest", Amplitude::Peak), ("rms", Amplitude::Rms)]))]
    normalise: Option<Amplitude>,
    /// New interval between samples, s; frequencies that it cannot hold are removed first.
    #[arg(long, value_name = "SECONDS", allow_negative_numbers = true)]
    resample: Option<f64>,
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let files = &arguments.files;
    files.may_write()?;
    let band = arguments.band()?;
    let mut gathers = files.headers.read_finite(&files.from)?;
    for gather in &mut gathers {
        arguments.condition(gather, band).map_err(Failure::input)?;
    }
    files.write(&gathers)
}

impl Arguments {
    /// The band to pass, if one is given.
    fn band(&self) -> Result<Option<BandPass>, Failure> {
        let corners = |flag: &str, given: &Option<Vec<f64>>| match given.as_deref() {
            None => Ok(None),
            Some(&[from, to]) => Ok(Some([from, to])),
            Some(_) => Err(Failure::input(format!("{flag} takes two frequencies, such as 2,4"))),
        };
        let low_cut = corners("--low-cut", &self.low_cut)?;
        let high_cut = corners("--high-cut", &self.high_cut)?;
        let band = BandPass { low_cut, high_cut };
        Ok((band != BandPass::default()).then_some(band))
    }

    fn condition(
        &self,
        gather: &mut Gather,
        band: Option<BandPass>,
    ) -> Result<(), ConditioningError> {
        let (traces, interval) = (&mut gather.traces, gather.interval);
        if let Some(length) = self.taper {
            taper::ends(traces, interval, length, length)?;
        }
        if let Some(count) = self.taper_traces {
            taper::sides(traces, count)?;
        }
        if let Some(band) = band {
            band.apply(traces, interval)?;
        }
        if let Some(power) = self.gain {
            gain::power_of_time(traces, interval, power)?;
        }
        if let Some(window) = self.agc {
            gain::agc(traces, interval, window)?;
        }
        if let Some(by) = self.normalise {
            gain::normalise(traces, by);
        }
        if let Some(to) = self.resample {
            gather.traces = resample::resampled(&gather.traces, interval, to)?;
            gather.interval = to;
        }
        Ok(())
    }
}
