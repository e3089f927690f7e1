//! A velocity model or its density from a file; its extension gives the format. If the file does not name its axes
//! or its spacing, the user must; they are never guessed.

pub(crate) mod archive;
mod error;
mod format;
mod options;
mod plausible;
mod streamed;
mod traces;
mod write;

pub use error::ModelFileError;
pub use format::Format;
pub use options::ReadOptions;
pub use plausible::Plausible;
pub use streamed::StreamedModel;
pub use write::{ModelOutput, ModelWriteError, TraceOptions, WriteOptions};

use super::{
    file_axis::{FOOT, FileArray, FileAxis, metres},
    gzip, hdf5,
    hdf5::Hdf5Error,
    model_unit::ModelUnit,
    npy,
    npz::NpzError,
    raw, rsf,
};
use crate::{
    grid::Axes,
    model::{
        AxisOrder, DensityError, MAX_NODES, ModelError, ModelQuantity, Placement, VelocityModel,
    },
    rounded::rounded_apart,
};
use ndarray::{Array3, ArrayD, Axis, Ix3};
use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
    sync::Arc,
};

/// Relative tolerance of the distances between traces.
const UNEVEN: f64 = 0.01;

/// A file that has been read; its values, or what stands for them.
#[derive(Debug)]
pub struct ModelFile<V = ArrayD<f32>> {
    /// Its format.
    pub format: Format,
    /// Velocity or density.
    pub quantity: ModelQuantity,
    /// Its path in messages.
    pub path: String,
    /// Its values as stored, the slowest axis first, in its own unit.
    pub values: V,
    /// The values along each axis, the slowest first.
    pub shape: Vec<usize>,
    /// Its description of each axis of `values`.
    pub axes: Vec<FileAxis>,
    /// The unit of the values, if given.
    pub unit: Option<String>,
    /// All files that were read.
    pub files: Vec<PathBuf>,
    /// The sample-interval field of depth traces, if neither a field nor the user gives its unit.
    pub(crate) interval: Option<f64>,
    /// Where the first node lies on the map, metres, if the file has more than origins of its axes.
    pub(crate) placement: Option<Placement>,
    /// Contradictions in the file, and their resolution.
    pub warnings: Vec<String>,
}

impl ModelFile {
    /// Reads a file. Allocates at most its size; for a .npz, that of the unpacked array.
    pub fn open(path: &Path, options: ReadOptions<'_>) -> Result<Self, ModelFileError> {
        let format = Format::of(path)?;
        options.check(format)?;
        let contents = match format {
            Format::Npy => FileArray::of(npy::read(path)?),
            Format::Npz => match archive::read(path, options.named(), options.quantity) {
                Err(ModelFileError::Npz(NpzError::Which { .. })) if options.guesses() => {
                    archive::read(path, None, options.quantity)?
                }
                read => read?,
            },
            Format::Raw => FileArray::of(raw::read(path, &raw_shape(options)?)?),
            Format::Hdf5 => match hdf5::read(path, options.named()) {
                Err(Hdf5Error::Which { .. }) if options.guesses() => hdf5::read(path, None)?,
                read => read?,
            },
            Format::Vti => {
                return Err(ModelFileError::OnlyWritten { path: path.display().to_string() });
            }
            Format::Rsf => rsf::read(path)?,
            Format::Segy | Format::Su => traces::read(path, format, options)?,
        };
        Ok(ModelFile::with(path, format, options, contents))
    }

    /// [`ModelFile::open`] of a file in memory, and of the one of data that an .rsf names: `files` has
    /// their bytes by their names. A .npy, an .rsf, a .sgy or a .su, not packed.
    pub fn parse(
        name: &str,
        files: &BTreeMap<String, Arc<[u8]>>,
        options: ReadOptions<'_>,
    ) -> Result<Self, ModelFileError> {
        let path = Path::new(name);
        let in_memory = |path: &str| {
            let name = Path::new(path).file_name()?.to_str()?;
            files.get(name).map(|bytes| &**bytes)
        };
        let format = Format::of(path)?;
        options.check(format)?;
        let bytes = in_memory(name).filter(|_| !gzip::is_packed(path));
        let bytes = bytes.ok_or_else(|| ModelFileError::Format { path: name.into() })?;
        let contents = match format {
            Format::Npy => FileArray::of(npy::parse(name, bytes)?),
            Format::Rsf => rsf::parse(name, bytes, &in_memory)?,
            Format::Segy | Format::Su => traces::parse(path, bytes, format, options)?,
            _ => return Err(ModelFileError::Format { path: name.into() }),
        };
        Ok(ModelFile::with(path, format, options, contents))
    }

    fn with(path: &Path, format: Format, options: ReadOptions<'_>, mut array: FileArray) -> Self {
        array.axes.resize(array.values.ndim(), FileAxis::default());
        // Programs leave axes of one sample, one time or one member behind.
        let least = options.axes.map_or(2, |order| order.ours().len());
        while array.values.ndim() > least && array.values.shape()[0] == 1 {
            array.values.index_axis_inplace(Axis(0), 0);
            array.axes.remove(0);
        }
        let shape = array.values.shape().to_vec();
        ModelFile::of(path, format, options.quantity, shape, array)
    }

    /// The model: its axes in this order, with this spacing in metres, its values in a unit. A density is
    /// returned as a model whose values are kg/m3.
    pub fn model(
        self,
        order: &AxisOrder,
        h: Axes<f64>,
        unit: ModelUnit,
    ) -> Result<VelocityModel, ModelFileError> {
        let placement = self.placement(order);
        let h = if order.is_volume() { h } else { Axes { y: 1.0, ..h } };
        let mut values = self.nodes(order);
        if !unit.is_own() {
            values.mapv_inplace(|v| unit.own_value(f64::from(v)) as f32);
        }
        let model = VelocityModel::volume(values, h).map_err(|error| match error {
            ModelError::Velocity { at, volume, value }
                if unit.quantity() == ModelQuantity::Density =>
            {
                DensityError::NotPositive { at, volume, value }.into()
            }
            error => ModelFileError::Model(error),
        })?;
        Ok(model.placed(placement))
    }

    /// The values at each node, shape `[y][x][z]`, with their axes in this order.
    pub fn nodes(self, order: &AxisOrder) -> Array3<f32> {
        let values = self.values.permuted_axes(order.ours());
        let values = if order.is_volume() { values } else { values.insert_axis(Axis(0)) };
        values
            .into_dimensionality::<Ix3>()
            .expect("the order was found to fit the shape, and a plane got its third axis")
    }
}

impl<V> ModelFile<V> {
    fn of(
        path: &Path,
        format: Format,
        quantity: ModelQuantity,
        shape: Vec<usize>,
        array: FileArray<V>,
    ) -> Self {
        let FileArray { values, axes, unit, data, interval, placement, warnings } = array;
        let files = std::iter::once(path.to_owned()).chain(data).collect();
        let path = path.display().to_string();
        ModelFile {
            format,
            quantity,
            path,
            values,
            shape,
            axes,
            unit,
            files,
            interval,
            placement,
            warnings,
        }
    }

    /// Takes this unit in place of its own: a length is that of its axes, and per second that of its
    /// velocities; a unit of velocity, slowness or density is that of its values alone.
    pub fn in_unit(&mut self, unit: &str) -> Result<(), ModelFileError> {
        let is_length = metres(unit).is_some();
        if is_length {
            self.set_axis_unit(unit);
        }
        let of_values = match (is_length, self.quantity) {
            (true, ModelQuantity::Velocity) => format!("{unit}/s"),
            (true, _) => return Ok(()),
            (false, _) => unit.to_owned(),
        };
        if ModelUnit::of(&of_values, self.quantity).is_none() {
            let (unit, quantity) = (unit.to_owned(), self.quantity);
            return Err(ModelFileError::GivenUnit { unit, quantity });
        }
        self.unit = Some(of_values);
        Ok(())
    }

    /// Sets the unit of its axes, except for a depth whose sample interval has its own.
    fn set_axis_unit(&mut self, unit: &str) {
        let traces = self.format.is_traces();
        let counted = |axis: &FileAxis| traces && axis.letter() == Some('z') && axis.unit.is_some();
        let before = self.axes.iter().rev().nth(1).and_then(|axis| axis.scale().ok());
        if let (true, Some(placement), Some(after)) = (traces, &mut self.placement, metres(unit)) {
            // Positions of a file without a unit were taken for metres.
            let factor = after / before.unwrap_or(1.0);
            placement.origin = placement.origin.map(|at| at * factor);
            // So was the depth of the first sample, beside an interval of a unit of its own.
            for depth in self.axes.iter_mut().filter(|axis| counted(axis)) {
                depth.origin = depth.origin.map(|at| at * factor);
            }
        }
        for axis in self.axes.iter_mut().filter(|axis| !counted(axis)) {
            axis.unit = Some(unit.into());
        }
    }

    /// The order of its axes by its own labels; `None` unless all are known.
    pub(crate) fn named_axes(&self) -> Option<AxisOrder> {
        let letters: Option<String> = self.axes.iter().map(FileAxis::letter).collect();
        letters?.parse().ok()
    }

    /// The order of its axes: the given one, otherwise its own.
    pub fn order(&self, given: Option<&AxisOrder>) -> Result<AxisOrder, ModelFileError> {
        let labels = self.axes.iter().filter_map(|axis| axis.label.as_deref());
        let labels: Vec<_> = labels.map(|label| format!("\"{label}\"")).collect();
        let labels = match labels.as_slice() {
            [] => String::new(),
            labels => format!(" by z, x or y but {}, slowest first", labels.join(", ")),
        };
        let what = self.format.kind().into();
        let order = given.cloned().or_else(|| self.named_axes());
        let order = order.ok_or(ModelFileError::NoAxes { what, labels })?;
        let shape = self.shape.clone();
        if shape.len() != order.ours().len() {
            return Err(ModelFileError::Shape { path: self.path.clone(), shape, axes: order });
        }
        if order.is_volume() && order.by_axis(&shape, 1).y == 1 {
            return Err(ModelFileError::OnePlane { path: self.path.clone(), shape });
        }
        Ok(order)
    }

    /// Metres between nodes, as the file says.
    pub fn spacing(&self, order: &AxisOrder) -> Result<Axes<f64>, ModelFileError> {
        let mut metres = Vec::new();
        let mut missing = Vec::new();
        for (letter, axis) in order.to_string().chars().zip(&self.axes) {
            let Some(spacing) = axis.spacing else {
                missing.push(letter.to_string());
                continue;
            };
            let path = self.path.clone();
            let unknown = |unit| ModelFileError::AxisUnit { path, axis: letter, unit };
            metres.push(axis.scale().map_err(unknown)? * spacing);
        }
        if missing.is_empty() {
            return Ok(order.by_axis(&metres, 1.0));
        }
        // z is given by its flag; x and y would be missing next.
        if self.format.is_traces() && missing.contains(&"z".to_owned()) {
            let (path, interval) = (self.path.clone(), self.interval);
            return Err(ModelFileError::Interval { path, interval });
        }
        let none = missing.len() == self.axes.len();
        let along = if none { String::new() } else { format!(" along {}", missing.join(" and ")) };
        Err(ModelFileError::NoSpacing { what: self.format.kind().into(), along })
    }

    /// Returns an error if a spacing in metres differs from the file's by more than rounding.
    pub fn check_spacing(&self, order: &AxisOrder, h: Axes<f64>) -> Result<(), ModelFileError> {
        let most = if self.format.is_traces() { UNEVEN } else { self.format.rounding() };
        for (axis, own, given) in self.spacings(order, h) {
            if (own - given).abs() > most * own.abs() {
                return Err(ModelFileError::Stretched {
                    path: self.path.clone(),
                    axis,
                    own,
                    given,
                });
            }
        }
        Ok(())
    }

    /// For each axis with a spacing in the file, that and the given one, metres.
    fn spacings(&self, order: &AxisOrder, h: Axes<f64>) -> Vec<(char, f64, f64)> {
        let letters = order.to_string();
        let named = letters.chars().zip(&self.axes).zip(order.in_order(h));
        let own = |axis: &FileAxis| Some(axis.scale().ok()? * axis.spacing?);
        named.filter_map(|((letter, axis), given)| Some((letter, own(axis)?, given))).collect()
    }

    /// Where the first node lies on the map: by the file's own numbers, or the origins of its axes.
    pub fn placement(&self, order: &AxisOrder) -> Placement {
        let origin = |axis: &FileAxis| axis.origin.unwrap_or(0.0) * axis.scale().unwrap_or(1.0);
        let origins: Vec<_> = self.axes.iter().map(origin).collect();
        let of_axes = || Placement { origin: order.by_axis(&origins, 0.0), ..Placement::default() };
        self.placement.unwrap_or_else(of_axes)
    }

    /// The unit of the values; m/s or kg/m3 if the file names none.
    pub fn value_unit(&self) -> Result<ModelUnit, ModelFileError> {
        let Some(unit) = &self.unit else { return Ok(ModelUnit::own(self.quantity)) };
        ModelUnit::of(unit, self.quantity).ok_or_else(|| {
            let is_density = ModelUnit::of(unit, ModelQuantity::Density).is_some();
            let (path, unit) = (self.path.clone(), unit.clone());
            match self.quantity {
                ModelQuantity::Velocity if is_density => ModelFileError::Densities { path, unit },
                ModelQuantity::Velocity => ModelFileError::Unit { path, unit },
                ModelQuantity::Density => ModelFileError::DensityUnit { path, unit },
                quantity => ModelFileError::GivenUnit { unit, quantity },
            }
        })
    }

    /// Notes for the user: settings that differ from the file, and properties of the file that a
    /// model does not keep.
    pub fn notes(&self, order: &AxisOrder, h: Axes<f64>) -> Vec<String> {
        let mut notes: Vec<_> =
            self.warnings.iter().map(|warning| format!("{}: {warning}", self.path)).collect();
        let in_feet = |axis: &FileAxis| axis.scale().is_ok_and(|h| h == FOOT || h == 1000.0 * FOOT);
        let are_velocities = self.quantity == ModelQuantity::Velocity;
        if are_velocities && self.unit.is_none() && self.axes.iter().any(in_feet) {
            notes.push(format!(
                "{} is in feet, and does not say what its velocities are in: m/s are taken; \
                 where they are ft/s, convert it first with `huygens model convert --unit ft`",
                self.path,
            ));
        }
        if let Some(named) = self.named_axes().filter(|named| named != order) {
            notes.push(format!(
                "{} names its axes \"{named}\"; axes = \"{order}\" is taken",
                self.path
            ));
        }
        for (letter, own, taken) in self.spacings(order, h) {
            if (own - taken).abs() > self.format.rounding() * own.abs() {
                let [own, taken] = rounded_apart(own, taken);
                notes.push(format!(
                    "{} has {own} m between nodes along {letter}; {taken} m are taken, as given",
                    self.path
                ));
            }
        }
        notes
    }

    /// Where the first node lies on the map, if the file says it.
    pub fn place(&self, order: &AxisOrder) -> Option<String> {
        let placement = self.placement(order);
        let said = || format!("the first node of {} lies at {placement}", self.path);
        (!placement.is_plain()).then(said)
    }
}

/// The shape of a raw file, from the settings.
fn raw_shape(options: ReadOptions<'_>) -> Result<Vec<usize>, ModelFileError> {
    let nodes = options.nodes.ok_or(ModelFileError::NoNodes)?;
    let what = Format::Raw.kind().into();
    let order = options.axes.ok_or(ModelFileError::NoAxes { what, labels: String::new() })?;
    let wrong = || ModelFileError::NodesAxes { axes: order.clone() };
    if nodes.y.is_some() != order.is_volume() {
        return Err(wrong());
    }
    let shape: Vec<usize> =
        order.in_order(nodes).into_iter().collect::<Option<_>>().ok_or_else(wrong)?;
    let count = shape.iter().try_fold(1usize, |count, n| count.checked_mul(*n));
    match count.is_none_or(|count| count > MAX_NODES) {
        true => Err(ModelError::TooLarge { n: order.by_axis(&shape, 1) }.into()),
        false => Ok(shape),
    }
}
