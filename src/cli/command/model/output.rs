//! Writing a model.

use crate::{
    cli::{
        failure::Failure,
        flags::named::named,
        terminal::progress::{self, tell},
    },
    grid::{Grid, Position},
    io::{
        model_file::{
            Format, ModelOutput, ModelWriteError, StreamedModel, TraceOptions, WriteOptions,
        },
        segy::{self, ByteOrder, IntervalUnit, Revision},
    },
    model::{AxisOrder, Density, ModelQuantity, Placement, Side, VelocityModel},
};
use std::path::Path;

/// How a model is written.
#[derive(clap::Args)]
pub(crate) struct FormatArguments {
    /// Write the density of velocities instead, kg/m3, by Gardner's rule: 310 v^0.25, and 1000 where v is below 1600 m/s.
    #[arg(long, value_parser = ["gardner"])]
    density: Option<String>,
    /// Put the data of an .rsf into a file of their own, FILE@.
    #[arg(long)]
    data_beside: bool,
    /// Samples of a .sgy: IEEE floats by default, or IBM ones, which keep 21 to 24 bits of a velocity.
    #[arg(long, value_parser = named(&[("ieee", segy::Format::F32), ("ibm", segy::Format::Ibm)]))]
    sample_format: Option<segy::Format>,
    /// Revision of a .sgy: 1 by default, unless the model needs 2.
    #[arg(long, value_parser = named(&[("1", Revision::One), ("2", Revision::Two)]))]
    revision: Option<Revision>,
    /// Byte order: big for .sgy and little for .su by default.
    #[arg(long, value_parser = named(&[("big", ByteOrder::Big), ("little", ByteOrder::Little)]))]
    byte_order: Option<ByteOrder>,
    /// Overwrite the file.
    #[arg(long)]
    force: bool,
}

/// The destination of a model.
pub(crate) struct Target<'a> {
    pub(crate) out: &'a Path,
    pub(crate) arguments: &'a FormatArguments,
    /// Quantity of the values before `--density` replaces them.
    pub(crate) quantity: ModelQuantity,
}

impl Target<'_> {
    /// Checks that it can be written, before anything is computed.
    pub(crate) fn check(&self) -> Result<Format, Failure> {
        if self.makes_density() && self.quantity == ModelQuantity::Density {
            let message = "--density makes densities of velocities, and --quantity says that these are \
                           densities; leave one of them out";
            return Err(Failure::input(message));
        }
        Ok(self.output(&|| false).check()?)
    }

    /// True if the file is written column by column.
    pub(crate) fn streams(&self) -> bool {
        !self.makes_density() && self.output(&|| false).streams()
    }

    fn makes_density(&self) -> bool {
        self.arguments.density.is_some()
    }

    /// Writes a model: `[x][z]` or `[y][x][z]`, m/s or kg/m3.
    pub(crate) fn write(&self, model: &VelocityModel) -> Result<(), Failure> {
        if !self.makes_density() {
            return self.write_values(model);
        }
        let density = Density::gardner(model);
        let values = density.values().expect("a rule gives each node its density").to_owned();
        let values = VelocityModel::volume(values, model.grid().h).map_err(Failure::input)?;
        self.write_values(&values.placed(*model.placement()))
    }

    fn write_values(&self, model: &VelocityModel) -> Result<(), Failure> {
        self.written(model.grid(), model.placement(), |output| output.write(model))
    }

    /// Writes a model that stays in its file.
    pub(crate) fn write_streamed(&self, model: StreamedModel) -> Result<(), Failure> {
        let (grid, placement) = (model.grid, model.placement);
        self.written(&grid, &placement, |output| output.write_streamed(model))
    }

    fn written(
        &self,
        grid: &Grid,
        placement: &Placement,
        write: impl FnOnce(ModelOutput<'_>) -> Result<Format, ModelWriteError>,
    ) -> Result<(), Failure> {
        let format = progress::writing(self.out, |stopped| write(self.output(stopped)))?;
        let kept = kept(grid, placement, format);
        tell(format_args!("{} is written{kept}", self.out.display()));
        Ok(())
    }

    fn output<'a>(&'a self, stopped: &'a dyn Fn() -> bool) -> ModelOutput<'a> {
        let FormatArguments { data_beside, sample_format, revision, byte_order, force, .. } =
            *self.arguments;
        let quantity = if self.makes_density() { ModelQuantity::Density } else { self.quantity };
        let traces = TraceOptions { format: sample_format, revision, order: byte_order };
        let options = WriteOptions { quantity, data_beside, traces, force };
        ModelOutput { path: self.out, options, stopped }
    }
}

/// The properties that a format does not store, as flags for reading it again.
fn kept(grid: &Grid, placement: &Placement, format: Format) -> String {
    let (n, h, order) = (grid.n, grid.h, AxisOrder::ours_of(grid.is_volume()));
    let y = |text: String| if order.is_volume() { text } else { String::new() };
    let spacing =
        format!("spacing = {{ z = {}, x = {}{} }}", h.z, h.x, y(format!(", y = {}", h.y)));
    let nodes = format!("nodes = {{ z = {}, x = {}{} }}", n.z, n.x, y(format!(", y = {}", n.y)));
    let placed = match placement {
        placement if placement.is_plain() => String::new(),
        Placement { origin: Position { x, y, z }, azimuth, y_axis } => format!(
            ", origin = {{ x = {x}, y = {y}, elevation = {} }}, azimuth = {azimuth}{}",
            0.0 - z,
            if *y_axis == Side::Left { "" } else { ", y_axis = \"right\"" }
        ),
    };
    match format {
        Format::Npy => format!("; a job that reads it says axes = \"{order}\", {spacing}{placed}"),
        Format::Raw => {
            format!("; a job that reads it says axes = \"{order}\", {spacing}, {nodes}{placed}")
        }
        Format::Segy => format!(
            "; its sample interval counts {} of depth, as its text says",
            IntervalUnit::of(h.z).0.name()
        ),
        Format::Vti if placement.is_plain() => "; its z points up, and is minus the depth".into(),
        Format::Vti => "; its z points up, and is the elevation".into(),
        Format::Hdf5 | Format::Npz | Format::Rsf | Format::Su => String::new(),
    }
}
