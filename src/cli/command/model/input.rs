//! Model files and their flags.

use crate::cli::{failure::Failure, terminal::progress};
use clap::ValueEnum;
use huygens::{
    grid::{Axes, PerAxis},
    io::{
        model_file::{ModelFile, ModelFileError, Plausible, ReadOptions, StreamedModel},
        segy::Overrides,
        velocity_unit::VelocityUnit,
    },
    job::{DepthUnit, ModelFields, OneOrEach, Origin},
    model::{AxisOrder, Placement, Side, VelocityModel, builtin, builtin_volume},
};
use std::path::Path;

#[derive(clap::Args)]
pub struct FileArguments {
    /// Axes of the file, slowest first, where it does not name them: xz (z fastest) or zx, in 3-D yxz or any
    /// other order of the three.
    #[arg(long)]
    pub axes: Option<AxisOrder>,
    /// Nodes of a raw file, such as z=150,x=645.
    #[arg(long, value_name = "NODES")]
    pub nodes: Option<PerAxis<usize>>,
    /// Metres between the file's nodes, where it does not say: one number or z=10,x=20.
    #[arg(long, value_name = "METRES", allow_hyphen_values = true)]
    pub file_spacing: Option<OneOrEach<f64>>,
    /// Which array of a .npz or HDF5 file.
    #[arg(long, value_name = "NAME")]
    pub array: Option<String>,
    /// The unit of the sample-interval field of a .sgy or .su, which no field of the file names.
    #[arg(long, value_enum, value_name = "UNIT", conflicts_with = "file_spacing")]
    pub sample_interval: Option<DepthUnit>,
    /// Where a .sgy has what the standard has elsewhere, in the names of segyio: first bytes of numbers in the
    /// trace header, and the code of the sample format, such as iline=9,xline=21,cdp_x=73,cdp_y=77,format=1.
    #[arg(long, value_name = "FIELDS")]
    pub segy: Option<ModelFields>,
    /// The unit of the file, in place of its own: ft is feet and ft/s, km is km and km/s; m/s, km/s, cm/s,
    /// ft/s, s/km and s/m (slowness) and s2/km2 (its square) are of the values alone. What comes out is in m and m/s.
    #[arg(long, value_enum)]
    pub unit: Option<Unit>,
}

/// What a file is in.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum Unit {
    #[value(name = "m")]
    Metres,
    #[value(name = "km")]
    Kilometres,
    #[value(name = "ft")]
    Feet,
    #[value(name = "m/s")]
    MetresASecond,
    #[value(name = "km/s")]
    KilometresASecond,
    #[value(name = "cm/s")]
    CentimetresASecond,
    #[value(name = "ft/s")]
    FeetASecond,
    #[value(name = "s/km")]
    Slowness,
    #[value(name = "s/m")]
    SlownessInMetres,
    #[value(name = "s2/km2")]
    SquaredSlowness,
}

impl Unit {
    /// Its name, as in a file.
    fn name(self) -> &'static str {
        match self {
            Unit::Metres => "m",
            Unit::Kilometres => "km",
            Unit::Feet => "ft",
            Unit::MetresASecond => "m/s",
            Unit::KilometresASecond => "km/s",
            Unit::CentimetresASecond => "cm/s",
            Unit::FeetASecond => "ft/s",
            Unit::Slowness => "s/km",
            Unit::SlownessInMetres => "s/m",
            Unit::SquaredSlowness => "s2/km2",
        }
    }
}

/// Where the model lies on the map, instead of what the file says.
#[derive(clap::Args)]
pub struct PlaceArguments {
    /// The first node on the map, metres: x=500000,y=6700000,elevation=120, of which the last two are 0 where not
    /// given.
    #[arg(long, value_name = "PLACE", allow_hyphen_values = true, value_parser = origin)]
    origin: Option<Origin>,
    /// The direction of the x axis, degrees clockwise from north; 90 is east.
    #[arg(long, value_name = "DEGREES", allow_negative_numbers = true, value_parser = azimuth)]
    azimuth: Option<f64>,
    /// The side of the x axis on which the y axis lies, looking along it.
    #[arg(long, value_enum, value_name = "SIDE")]
    y_axis: Option<Side>,
}

impl PlaceArguments {
    /// The place of a model whose file gives this one.
    pub fn place(&self, own: Placement) -> Placement {
        let placement = Placement {
            origin: self.origin.map_or(own.origin, Origin::position),
            azimuth: self.azimuth.unwrap_or(own.azimuth),
            y_axis: self.y_axis.unwrap_or(own.y_axis),
        };
        if placement != own && !own.is_plain() {
            tracing::info!("the first node is taken to lie at {placement}, as given");
        }
        placement
    }
}

fn azimuth(text: &str) -> Result<f64, String> {
    let degrees = text.parse().ok().filter(|of: &f64| of.abs() <= 360.0);
    degrees.ok_or_else(|| "give degrees clockwise from north, from -360 to 360".into())
}

/// A point of the map from a flag.
fn origin(text: &str) -> Result<Origin, String> {
    let mut origin = Origin { x: f64::NAN, y: 0.0, elevation: 0.0 };
    for part in text.split(',') {
        let wrong = || format!("\"{part}\" is not one of x=METRES, y=METRES and elevation=METRES");
        let (name, value) = part.split_once('=').ok_or_else(wrong)?;
        let value = value.trim().parse::<f64>().ok().filter(|value| value.abs() < 1e9);
        *match name.trim() {
            "x" => &mut origin.x,
            "y" => &mut origin.y,
            "elevation" => &mut origin.elevation,
            _ => return Err(wrong()),
        } = value.ok_or_else(wrong)?;
    }
    match origin.x.is_finite() {
        true => Ok(origin),
        false => Err("give x, as in x=500000,y=6700000".into()),
    }
}

impl FileArguments {
    /// Reads a file.
    pub fn open(&self, path: &Path) -> Result<ModelFile, ModelFileError> {
        let _reading = progress::doing(format!("reading {}", path.display()));
        self.in_unit(ModelFile::open(path, self.options())?)
    }

    fn options(&self) -> ReadOptions<'_> {
        ReadOptions {
            axes: self.axes.as_ref(),
            nodes: self.nodes.map(|n| Axes { z: Some(n.z), x: Some(n.x), y: n.y }),
            array: self.array.as_deref(),
            sample_interval: self.sample_interval.map(DepthUnit::metres),
            headers: self.headers(),
        }
    }

    /// Values in place of the headers of traces.
    pub fn headers(&self) -> Overrides {
        self.segy.unwrap_or_default().beside(Overrides::default())
    }

    /// A file in the unit that is given instead of its own.
    fn in_unit<V>(&self, mut file: ModelFile<V>) -> Result<ModelFile<V>, ModelFileError> {
        if let Some(unit) = self.unit {
            file.in_unit(unit.name())?;
        }
        Ok(file)
    }

    /// The model of a file.
    pub fn model(&self, path: &Path) -> Result<VelocityModel, Failure> {
        let file = self.open(path).map_err(Failure::input)?;
        let (order, h, unit) = self.described(&file)?;
        let model = file.model(&order, h, unit).map_err(Failure::input)?;
        tell_unlikely(model.range());
        Ok(model)
    }

    /// The model of a file, if it can stay there.
    pub fn streamed(&self, path: &Path) -> Result<Option<StreamedModel>, Failure> {
        let reading = progress::doing(format!("reading {}", path.display()));
        let scanned = ModelFile::scan(path, self.options()).map_err(Failure::input)?;
        drop(reading);
        let Some(file) = scanned else { return Ok(None) };
        let file = self.in_unit(file).map_err(Failure::input)?;
        let (order, h, unit) = self.described(&file)?;
        let model = file.streamed(&order, h, unit).map_err(Failure::input)?;
        if let Some(model) = &model {
            tell_unlikely(model.range);
        }
        Ok(model)
    }

    /// The axes, spacing and unit of a file, after its notes.
    fn described<V>(
        &self,
        file: &ModelFile<V>,
    ) -> Result<(AxisOrder, Axes<f64>, VelocityUnit), Failure> {
        let order = file.order(self.axes.as_ref()).map_err(Failure::input)?;
        let h = match self.file_spacing {
            Some(h) => each("--file-spacing", h, order.is_volume())?,
            None => file.spacing(&order).map_err(Failure::input)?,
        };
        let unit = file.velocity_unit().map_err(Failure::input)?;
        for note in file.notes(&order, h) {
            tracing::warn!("{note}");
        }
        file.place(&order).iter().for_each(|note| tracing::info!("{note}"));
        Ok((order, h, unit))
    }
}

/// Tells of velocities that look like something else.
fn tell_unlikely((slowest, fastest): (f32, f32)) {
    let looks = Plausible::of((slowest, fastest));
    if looks != Plausible::Yes {
        tracing::warn!("velocities from {slowest} to {fastest} m/s: {looks}");
    }
}

/// The name in `builtin:NAME`.
pub fn builtin_name(from: &Path) -> Option<&str> {
    from.to_str().and_then(|name| name.strip_prefix("builtin:"))
}

/// A file, or `builtin:NAME`.
pub fn model(from: &Path, options: &FileArguments) -> Result<VelocityModel, Failure> {
    match builtin_name(from) {
        Some(name) => built(name, None, None),
        None => options.model(from),
    }
}

/// A built-in model; a volume if a y is given, or if it exists only in 3-D.
pub fn built(
    name: &str,
    nodes: Option<PerAxis<usize>>,
    spacing: Option<OneOrEach<f64>>,
) -> Result<VelocityModel, Failure> {
    let only_volume = huygens::model::Builtin::named(name).map_err(Failure::input)?.volume;
    let y_given = nodes.is_some_and(|n| n.y.is_some()) || spacing.is_some_and(|h| h.has_y());
    let volume = only_volume || y_given;
    let h = spacing.map(|h| each("--spacing", h, volume)).transpose()?;
    let n = nodes.map(|n| each("--nodes", OneOrEach::Each(n), volume)).transpose()?;
    match volume {
        true => builtin_volume(name, n, h),
        false => builtin(name, n.map(|n| (n.x, n.z)), h.map(|h| (h.x, h.z))),
    }
    .map_err(Failure::input)
}

/// One value per axis; in 2-D y takes the value of x.
pub fn each<T: Copy>(flag: &str, value: OneOrEach<T>, volume: bool) -> Result<Axes<T>, Failure> {
    match (value, volume) {
        (OneOrEach::One(value), _) => Ok(Axes { z: value, x: value, y: value }),
        (OneOrEach::Each(PerAxis { z, x, y: Some(y) }), true) => Ok(Axes { z, x, y }),
        (OneOrEach::Each(PerAxis { z, x, y: None }), false) => Ok(Axes { z, x, y: x }),
        (_, true) => Err(Failure::input(format!(
            "the model is 3-D, and {flag} has no y; give one beside z and x"
        ))),
        (_, false) => Err(Failure::input(format!("the model is 2-D; leave the y of {flag} out"))),
    }
}
