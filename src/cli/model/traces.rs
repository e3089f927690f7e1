//! A model as traces, in SEG-Y or Seismic Unix format.

use crate::cli::failure::Failure;
use clap::ValueEnum;
use huygens::{
    grid::Grid,
    io::{
        column_stream::ColumnStream,
        model_file::Format,
        segy::{
            self, IntervalUnit, LengthUnit, ModelSpec, SegyError, write_model_columns,
            write_su_model_columns,
        },
    },
    model::Placement,
};
use std::io::{BufWriter, Write};

/// How traces are written.
#[derive(clap::Args)]
pub struct TraceOutput {
    /// Samples of a .sgy: IEEE floats by default, or IBM ones, which keep 21 to 24 bits of a velocity.
    #[arg(long, value_enum)]
    sample_format: Option<SampleFormat>,
    /// Revision of a .sgy: 1 by default, unless the model needs 2.
    #[arg(long, value_enum)]
    revision: Option<Revision>,
    /// Byte order: big for .sgy and little for .su by default.
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

    /// Writes a file, a trace in memory at a time; positions in metres from the first node.
    pub fn write(
        &self,
        sink: impl Write,
        (grid, placement, columns): (&Grid, &Placement, &mut dyn ColumnStream),
        format: Format,
    ) -> Result<(), SegyError> {
        let h = grid.h;
        let seismic_unix = format == Format::Su;
        let spec = ModelSpec {
            text: text(grid, placement),
            spacing: (h.x, h.y),
            interval: if seismic_unix { h.z } else { IntervalUnit::of(h.z).1 },
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
            placement: *placement,
        };
        let least = if grid.is_volume() { h.x.min(h.y) } else { h.x };
        let rounding = spec.rounding(grid.shape())?;
        if rounding > 0.005 * least {
            tracing::warn!(
                "positions on the map are rounded by up to {rounding:.1e} m, too coarse for a spacing of {least} m to be read back: \
                 choose another format than traces"
            );
        }
        let (sink, columns) = (BufWriter::with_capacity(1 << 20, sink), (grid.shape(), columns));
        match seismic_unix {
            true => write_su_model_columns(sink, columns, spec),
            false => write_model_columns(sink, columns, spec),
        }
        .map(|_| ())
    }
}

/// The textual header of a model.
fn text(grid: &Grid, placement: &Placement) -> Vec<String> {
    let (n, h) = (grid.n, grid.h);
    let mut lines = vec![
        format!("VELOCITY, m/s, written by huygens {}", env!("CARGO_PKG_VERSION")),
        IntervalUnit::of(h.z).0.line(),
        format!("z along a trace: {} samples, {} m apart", n.z, h.z),
        format!("x by crossline number (bytes 193-196): {} of them, {} m apart", n.x, h.x),
    ];
    if grid.is_volume() {
        let y = format!("y by inline number (bytes 189-192): {} of them, {} m apart", n.y, h.y);
        lines.push(y);
    }
    let from = if placement.is_plain() { "from the first node" } else { "on the map" };
    lines.push(format!("x and y of the ensembles (bytes 181-188): metres {from}"));
    lines
}
