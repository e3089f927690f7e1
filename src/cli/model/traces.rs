//! A model as traces, in SEG-Y or Seismic Unix format.

use crate::cli::failure::Failure;
use clap::ValueEnum;
use huygens::{
    io::{
        model_file::{Format, IN_MILLIMETRES},
        segy::{self, LengthUnit, ModelSpec, write_model, write_su_model},
    },
    model::VelocityModel,
};

/// How traces are written.
#[derive(clap::Args)]
pub struct TraceOutput {
    /// Samples of a .sgy: IEEE floats where not given, or IBM ones, which keep 21 to 24 bits of a velocity.
    #[arg(long, value_enum)]
    sample_format: Option<SampleFormat>,
    /// Revision of a .sgy: 1 where not given, unless the model needs 2.
    #[arg(long, value_enum)]
    revision: Option<Revision>,
    /// Byte order: big for .sgy and little for .su where not given.
    #[arg(long, value_enum)]
    byte_order: Option<ByteOrder>,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum SampleFormat {
    Ieee,
    Ibm,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Revision {
    #[value(name = "1")]
    One,
    #[value(name = "2")]
    Two,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum ByteOrder {
    Big,
    Little,
}

impl TraceOutput {
    /// Checks that the options apply to this format.
    pub fn check(&self, format: Format) -> Result<(), Failure> {
        let of_segy = self.sample_format.is_some() || self.revision.is_some();
        if of_segy && format != Format::Segy {
            let message = "--sample-format and --revision are for .sgy files; leave them out";
            return Err(Failure::input(message));
        }
        if self.byte_order.is_some() && !format.is_traces() {
            let message = "--byte-order is for .sgy and .su files; leave it out";
            return Err(Failure::input(message));
        }
        Ok(())
    }

    /// The bytes of a file; positions in metres from the first node.
    pub fn bytes(&self, model: &VelocityModel, format: Format) -> Result<Vec<u8>, Failure> {
        let h = model.grid().h;
        let seismic_unix = format == Format::Su;
        let spec = ModelSpec {
            text: text(model),
            spacing: (h.x, h.y),
            interval: if seismic_unix { h.z } else { millimetres(h.z) },
            revision: match self.revision {
                Some(Revision::Two) => segy::Revision::Two,
                _ => segy::Revision::One,
            },
            format: match self.sample_format {
                Some(SampleFormat::Ibm) => segy::Format::Ibm,
                _ => segy::Format::F32,
            },
            order: match (self.byte_order, seismic_unix) {
                (Some(ByteOrder::Little), _) | (None, true) => segy::ByteOrder::Little,
                _ => segy::ByteOrder::Big,
            },
            unit: LengthUnit::Metre,
            placement: *model.placement(),
        };
        let velocity = model.velocity();
        match seismic_unix {
            true => write_su_model(Vec::new(), velocity, spec),
            false => write_model(Vec::new(), velocity, spec),
        }
        .map_err(Failure::input)
    }
}

/// A depth in millimetres, without floating-point residue on whole numbers.
fn millimetres(metres: f64) -> f64 {
    let (millimetres, whole) = (1e3 * metres, (1e3 * metres).round());
    if (millimetres - whole).abs() < 1e-6 { whole } else { millimetres }
}

/// The textual header of a model.
fn text(model: &VelocityModel) -> Vec<String> {
    let (n, h) = (model.grid().n, model.grid().h);
    let mut lines = vec![
        format!("VELOCITY, m/s, written by huygens {}", env!("CARGO_PKG_VERSION")),
        IN_MILLIMETRES.into(),
        format!("z along a trace: {} samples, {} m apart", n.z, h.z),
        format!("x by crossline number (bytes 193-196): {} of them, {} m apart", n.x, h.x),
    ];
    if model.grid().is_volume() {
        let y = format!("y by inline number (bytes 189-192): {} of them, {} m apart", n.y, h.y);
        lines.push(y);
    }
    let from = if model.placement().is_plain() { "from the first node" } else { "on the map" };
    lines.push(format!("x and y of the ensembles (bytes 181-188): metres {from}"));
    lines
}
