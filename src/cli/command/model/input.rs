//! Model files and their flags.

use super::built::{built, builtin_name, each};
use crate::{
    cli::{failure::Failure, flags::named::named, terminal::progress},
    grid::{Axes, PerAxis},
    io::{
        model_file::{ModelFile, ModelFileError, Plausible, ReadOptions, StreamedModel},
        model_unit::ModelUnit,
        segy::Overrides,
    },
    job::{DepthUnit, ModelFields, OneOrEach},
    model::{AxisOrder, Density, ModelQuantity, VelocityModel},
};
use std::path::Path;

#[derive(clap::Args, Default)]
pub(crate) struct FileArguments {
    /// What the file holds: velocity, or density in kg/m3.
    #[arg(
        long,
        default_value = "velocity",
        value_parser = named(&[("velocity", ModelQuantity::Velocity), ("density", ModelQuantity::Density)])
    )]
    pub(crate) quantity: ModelQuantity,
    /// Axes of the file, slowest first, if it does not name them: xz or zx; in 3-D any order such as yxz.
    #[arg(long)]
    pub(crate) axes: Option<AxisOrder>,
    /// Nodes of a raw file, such as z=150,x=645.
    #[arg(long, value_name = "NODES")]
    pub(crate) nodes: Option<PerAxis<usize>>,
    /// Metres between the file's nodes, if it does not state them: one number or z=10,x=20.
    #[arg(long, value_name = "METRES", allow_hyphen_values = true)]
    pub(crate) file_spacing: Option<OneOrEach<f64>>,
    /// Array of a .npz or HDF5 file that holds several.
    #[arg(long, value_name = "NAME")]
    pub(crate) array: Option<String>,
    /// Unit of the sample interval of a .sgy or .su depth file, which no header gives.
    #[arg(long, value_enum, value_name = "UNIT", conflicts_with = "file_spacing")]
    pub(crate) sample_interval: Option<DepthUnit>,
    /// Fields of a .sgy that are not at the standard's place: first bytes in the trace header, and the code of the sample
    /// format, in segyio's names: iline=9,xline=21,cdp_x=73,cdp_y=77,format=1.
    #[arg(long, value_name = "FIELDS")]
    pub(crate) segy: Option<ModelFields>,
    /// Unit of the file, instead of the one that it states. m, km and ft apply to lengths and values: ft is feet and ft/s.
    /// The others apply to values only; s/km and s/m are slowness, s2/km2 its square. Output is in m, and m/s or kg/m3.
    #[arg(long, value_parser = ["m", "km", "ft", "m/s", "km/s", "cm/s", "ft/s", "s/km", "s/m", "s2/km2", "kg/m3", "g/cm3"])]
    pub(crate) unit: Option<String>,
}

impl FileArguments {
    /// Reads a file.
    pub(crate) fn open(&self, path: &Path) -> Result<ModelFile, ModelFileError> {
        let _reading = progress::doing(format!("reading {}", path.display()));
        self.in_unit(ModelFile::open(path, self.options())?)
    }

    fn options(&self) -> ReadOptions<'_> {
        ReadOptions {
            quantity: self.quantity,
            axes: self.axes.as_ref(),
            nodes: self.nodes.map(|n| Axes { z: Some(n.z), x: Some(n.x), y: n.y }),
            array: self.array.as_deref(),
            sample_interval: self.sample_interval.map(DepthUnit::metres),
            headers: self.headers(),
        }
    }

    /// Values in place of the headers of traces.
    pub(crate) fn headers(&self) -> Overrides {
        self.segy.unwrap_or_default().beside(Overrides::default())
    }

    /// A file in the unit that is given instead of its own.
    fn in_unit<V>(&self, mut file: ModelFile<V>) -> Result<ModelFile<V>, ModelFileError> {
        if let Some(unit) = &self.unit {
            file.in_unit(unit)?;
        }
        Ok(file)
    }

    /// The model of a file.
    pub(crate) fn model(&self, path: &Path) -> Result<VelocityModel, Failure> {
        let file = self.open(path).map_err(Failure::input)?;
        let (order, h, unit) = self.described(&file)?;
        let model = file.model(&order, h, unit).map_err(Failure::input)?;
        let (least, most) = model.range();
        self.warn_of_unlikely(least, most);
        Ok(model)
    }

    /// The model of a file, if it can stay there.
    pub(crate) fn streamed(&self, path: &Path) -> Result<Option<StreamedModel>, Failure> {
        let reading = progress::doing(format!("reading {}", path.display()));
        let scanned = ModelFile::scan(path, self.options()).map_err(Failure::input)?;
        drop(reading);
        let Some(file) = scanned else { return Ok(None) };
        let file = self.in_unit(file).map_err(Failure::input)?;
        let (order, h, unit) = self.described(&file)?;
        let model = file.streamed(&order, h, unit).map_err(Failure::input)?;
        if let Some(StreamedModel { range: (least, most), .. }) = model {
            self.warn_of_unlikely(least, most);
        }
        Ok(model)
    }

    /// The axes, spacing and unit of a file, after its notes.
    fn described<V>(
        &self,
        file: &ModelFile<V>,
    ) -> Result<(AxisOrder, Axes<f64>, ModelUnit), Failure> {
        let order = file.order(self.axes.as_ref()).map_err(Failure::input)?;
        let h = match self.file_spacing {
            Some(h) => each("--file-spacing", h, order.is_volume())?,
            None => file.spacing(&order).map_err(Failure::input)?,
        };
        let unit = file.value_unit().map_err(Failure::input)?;
        for note in file.notes(&order, h) {
            tracing::warn!("{note}");
        }
        file.place(&order).iter().for_each(|note| tracing::info!("{note}"));
        Ok((order, h, unit))
    }

    /// Warns of values from `least` to `most` that look like something else.
    fn warn_of_unlikely(&self, least: f32, most: f32) {
        match self.quantity {
            ModelQuantity::Density => {
                if let Err(error) = Density::check_unit(least, most) {
                    tracing::warn!("{error}");
                }
            }
            ModelQuantity::Velocity => {
                let looks = Plausible::of(least, most);
                if looks != Plausible::Yes {
                    tracing::warn!("velocities from {least} to {most} m/s: {looks}");
                }
            }
            ModelQuantity::Epsilon | ModelQuantity::Delta => {}
        }
    }
}

/// A file, or `builtin:NAME`.
pub(crate) fn model(from: &Path, options: &FileArguments) -> Result<VelocityModel, Failure> {
    match builtin_name(from) {
        Some(name) => built(name, None, None),
        None => options.model(from),
    }
}
