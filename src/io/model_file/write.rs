//! Writes models to files, in the format of their ending.

use super::{Format, ModelFileError, StreamedModel, archive};
use crate::{
    column_stream::{ColumnStream, Held},
    file_axis::FileAxis,
    grid::{Grid, Position},
    hdf5,
    model::{AxisOrder, ModelQuantity, Placement, VelocityModel},
    npy,
    program::PROGRAM,
    raw,
    rsf::{self, Description},
    segy::{self, ByteOrder, Columns, IntervalUnit, LengthUnit, ModelSpec, Revision, SegyError},
    vti,
    whole::{self, WholeError},
};
use ndarray::{ArrayViewD, Axis};
use std::{
    ffi::OsStr,
    io::{self, BufWriter, Write},
    path::{Path, PathBuf},
};

/// How traces are written.
#[derive(Clone, Copy, Debug, Default)]
pub struct TraceOptions {
    /// Of a .sgy; IEEE floats by default.
    pub format: Option<segy::Format>,
    /// Of a .sgy; 1 by default, unless the model needs 2.
    pub revision: Option<Revision>,
    /// Big-endian for .sgy and little-endian for .su by default.
    pub order: Option<ByteOrder>,
}

/// How a model is written.
#[derive(Clone, Copy, Debug, Default)]
pub struct WriteOptions {
    /// Velocity or density.
    pub quantity: ModelQuantity,
    /// The data of an .rsf go into a file of their own, FILE@.
    pub data_beside: bool,
    /// How traces are written.
    pub traces: TraceOptions,
    /// An existing file is overwritten.
    pub force: bool,
}

/// Reasons why a model was not written.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs, reason = "the messages say it")]
#[non_exhaustive]
pub enum ModelWriteError {
    #[error(transparent)]
    Format(#[from] ModelFileError),
    #[error(transparent)]
    Whole(#[from] WholeError),
    #[error(transparent)]
    Segy(#[from] SegyError),
    #[error(
        "{path} is of no known format; models are written as .npy, .npz, .h5, .rsf, .sgy, .su, .vti and raw .bin files"
    )]
    Ending { path: String },
    #[error("{path} would be packed by gzip; leave .gz out, and pack it after")]
    Packed { path: String },
    /// An option of another format.
    #[error("{option} is for {formats} files; leave it out")]
    Option { option: &'static str, formats: &'static str },
    #[error(
        "{path} cannot be named in a header, which is in UTF-8 and has one kind of quotation marks for it; name \
         another file, or leave --data-beside out"
    )]
    Unnamed { path: String },
}

/// A file to write a model to.
#[derive(Clone, Copy)]
pub struct ModelOutput<'a> {
    /// Its path.
    pub path: &'a Path,
    /// How it is written.
    pub options: WriteOptions,
    /// Asked between pieces: true ends it, without a file.
    pub stopped: &'a dyn Fn() -> bool,
}

impl ModelOutput<'_> {
    /// Checks that it can be written, before anything is computed.
    /// Fails if the ending is of no format, the file exists and is not to be overwritten, or an
    /// option is of another format.
    pub fn check(&self) -> Result<Format, ModelWriteError> {
        let WriteOptions { data_beside, traces, force, .. } = self.options;
        let path = || self.path.display().to_string();
        let format = Format::of(self.path).map_err(|error| match error {
            ModelFileError::Format { path } => ModelWriteError::Ending { path },
            error => ModelWriteError::Format(error),
        })?;
        if self.path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("gz")) {
            return Err(ModelWriteError::Packed { path: path() });
        }
        let of_segy = traces.format.is_some() || traces.revision.is_some();
        for (given, option, formats) in [
            (data_beside && format != Format::Rsf, "data beside the header", ".rsf"),
            (of_segy && format != Format::Segy, "a sample format or revision", ".sgy"),
            (traces.order.is_some() && !format.is_traces(), "a byte order", ".sgy and .su"),
        ] {
            if given {
                return Err(ModelWriteError::Option { option, formats });
            }
        }
        whole::may_write(self.path, force)?;
        if data_beside {
            let data = self.data();
            whole::may_write(&data, force)?;
            let named = data.file_name().and_then(OsStr::to_str);
            if named.is_none_or(|name| name.contains('"') && name.contains('\'')) {
                return Err(ModelWriteError::Unnamed { path: data.display().to_string() });
            }
        }
        Ok(format)
    }

    /// The data file of an RSF, by Madagascar's convention.
    fn data(&self) -> PathBuf {
        let mut data = self.path.as_os_str().to_owned();
        data.push("@");
        data.into()
    }

    /// True if the format is written column by column.
    pub fn streams(&self) -> bool {
        let format = Format::of(self.path);
        format.is_ok_and(|format| !matches!(format, Format::Hdf5 | Format::Npz | Format::Vti))
    }

    /// Writes a model: `[x][z]` or `[y][x][z]`, m/s or kg/m3.
    /// Fails as [`ModelOutput::check`], and if the file cannot be written.
    pub fn write(&self, model: &VelocityModel) -> Result<Format, ModelWriteError> {
        let format = self.check()?;
        let (grid, velocity, placement) = (model.grid(), model.velocity(), model.placement());
        let plane = velocity.index_axis(Axis(0), 0);
        let values: ArrayViewD<'_, f32> =
            if grid.is_volume() { velocity.into_dyn() } else { plane.into_dyn() };
        let order = AxisOrder::ours_of(grid.is_volume());
        let quantity = self.options.quantity;
        match format {
            Format::Hdf5 => {
                let axes = || [grid.h, origin(placement)].map(|of| order.in_order(of).to_vec());
                self.fill(self.path, |file| {
                    let labels = hdf5::ModelLabels { quantity, axes: &order.to_string() };
                    hdf5::write(file, values.view(), labels, axes(), placement)
                })?;
            }
            Format::Vti => {
                self.fill(self.path, |file| {
                    vti::write(file, velocity, quantity, grid.h, placement)
                })?;
            }
            Format::Npz => {
                let force = self.options.force;
                let heading = archive::ModelHeading { quantity, h: grid.h, placement };
                archive::write(self.path, values, &order, heading, force)?;
            }
            _ => {
                let all = velocity.to_slice().expect("a model is in memory order");
                let columns = &mut Held::new(all);
                self.write_columns(Streamed { grid, placement, columns }, format)?;
            }
        }
        Ok(format)
    }

    /// Writes a model that stays in its file.
    pub fn write_streamed(&self, mut model: StreamedModel) -> Result<Format, ModelWriteError> {
        let format = self.check()?;
        let (grid, placement) = (&{ model.grid }, &{ model.placement });
        self.write_columns(Streamed { grid, placement, columns: &mut model }, format)?;
        Ok(format)
    }

    fn write_columns(&self, model: Streamed<'_>, format: Format) -> Result<(), ModelWriteError> {
        match format {
            Format::Npy => {
                let shape = AxisOrder::ours_of(model.grid.is_volume()).in_order(model.grid.n);
                self.fill(self.path, |file| npy::write_columns(file, &shape, model.columns))?;
            }
            Format::Rsf => self.write_rsf(model)?,
            Format::Segy | Format::Su => {
                let mut refused = None;
                let made = self.fill(self.path, |file| {
                    let filled = self.options.write_traces(file, model, format);
                    filled.map_err(|error| match error {
                        SegyError::Write(error) | SegyError::Read(error) => error,
                        other => io::Error::other(refused.insert(other).to_string()),
                    })
                });
                if let Some(error) = refused {
                    return Err(error.into());
                }
                made?;
            }
            Format::Raw => self.fill(self.path, |file| raw::write_columns(file, model.columns))?,
            Format::Hdf5 | Format::Npz | Format::Vti => {
                let option = "a model that stays in its file";
                let formats = ".npy, .rsf, .sgy, .su and raw";
                return Err(ModelWriteError::Option { option, formats });
            }
        }
        Ok(())
    }

    fn write_rsf(&self, model: Streamed<'_>) -> Result<(), WholeError> {
        let Streamed { grid, placement, columns } = model;
        let order = AxisOrder::ours_of(grid.is_volume());
        let shape = order.in_order(grid.n);
        let axis = |(letter, (spacing, origin)): (char, (f64, f64))| FileAxis {
            label: Some(match letter {
                'z' => "Depth".into(),
                letter => letter.to_uppercase().to_string(),
            }),
            unit: Some("m".into()),
            origin: Some(origin),
            spacing: Some(spacing),
        };
        let along = order.in_order(grid.h.zip(origin(placement)));
        let axes: Vec<_> = order.to_string().chars().zip(along).map(axis).collect();
        let quantity = self.options.quantity;
        let (label, unit, placement) = (quantity.label(), quantity.unit(), *placement);
        let description = Description { axes: &axes, label, unit, placement };
        if !self.options.data_beside {
            return self
                .fill(self.path, |file| rsf::write_columns(file, &shape, columns, description));
        }
        let data = self.data();
        self.fill(&data, |file| raw::write_columns(file, columns))?;
        let name = data.file_name().unwrap_or_default().display().to_string();
        let header = rsf::header(&shape, description, &name);
        self.fill(self.path, |file| file.write_all(header.as_bytes()))
    }

    fn fill(
        &self,
        path: &Path,
        fill: impl FnOnce(&mut dyn Write) -> io::Result<()>,
    ) -> Result<(), WholeError> {
        whole::make_unless(self.stopped, path, self.options.force, fill)
    }
}

/// A model whose columns come one after the other.
struct Streamed<'a> {
    grid: &'a Grid,
    placement: &'a Placement,
    columns: &'a mut dyn ColumnStream,
}

/// The origins of a model's axes: those that do not lie along the map's have none of their own.
fn origin(placement: &Placement) -> Position {
    if placement.is_straight() { placement.origin } else { Position::default() }
}

impl WriteOptions {
    /// Writes a file, a trace in memory at a time; positions in metres from the first node.
    fn write_traces(
        self,
        sink: impl Write,
        Streamed { grid, placement, columns }: Streamed<'_>,
        format: Format,
    ) -> Result<(), SegyError> {
        let (h, traces) = (grid.h, self.traces);
        let seismic_unix = format == Format::Su;
        let usual = if seismic_unix { ByteOrder::Little } else { ByteOrder::Big };
        let spec = ModelSpec {
            text: text(self.quantity, grid, placement),
            spacing: (h.x, h.y),
            interval: if seismic_unix { h.z } else { IntervalUnit::of(h.z).1 },
            revision: traces.revision.unwrap_or(Revision::One),
            format: traces.format.unwrap_or(segy::Format::F32),
            order: traces.order.unwrap_or(usual),
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
        let sink = BufWriter::with_capacity(1 << 20, sink);
        let columns = Columns { shape: grid.shape(), stream: columns };
        match seismic_unix {
            true => spec.su(sink, columns),
            false => spec.segy(sink, columns),
        }
        .map(|_| ())
    }
}

/// The textual header of a model.
fn text(quantity: ModelQuantity, grid: &Grid, placement: &Placement) -> Vec<String> {
    let (n, h) = (grid.n, grid.h);
    let mut lines = vec![
        format!("{}, {}, written by {PROGRAM}", quantity.name().to_uppercase(), quantity.unit()),
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
