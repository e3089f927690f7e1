//! The arrays of a file, and their values.

use super::{
    Hdf5Error,
    cf::Packing,
    description,
    links::{FirstRead, Sizes, WithoutSoftLinks},
};
use crate::{access::Unreadable, gzip, room::make_room};
use hdf5_pure::{DType, Dataset, File, FormatError, Group, ReadSeekSource};
use ndarray::{ArrayD, IxDyn};
use std::{
    collections::HashSet,
    io::{Read, Seek, SeekFrom},
};

/// The most groups and arrays that are looked at.
const MOST: usize = 10_000;
const CLASSIC: &[u8] = b"CDF";
/// Bytes that are read at once.
const BLOCK: u64 = 8 << 20;
/// A file whose arrays are read by their names.
pub struct Arrays {
    path: String,
    pub(super) file: File,
    pub(super) length: u64,
    /// By their paths.
    pub(super) found: Vec<(String, Dataset)>,
}

impl Arrays {
    /// Of a file; `path` is its name in messages.
    pub(crate) fn of(
        path: &str,
        mut source: impl Read + Seek + Send + 'static,
    ) -> Result<Self, Hdf5Error> {
        let length = source.seek(SeekFrom::End(0)).map_err(Unreadable::at(path))?;
        let mut start = Vec::new();
        source.rewind().map_err(Unreadable::at(path))?;
        source.by_ref().take(3).read_to_end(&mut start).map_err(Unreadable::at(path))?;
        if start == CLASSIC {
            return Err(Hdf5Error::Classic { path: path.into() });
        }
        let source = ReadSeekSource::new(source).map_err(|error| broken(path, error))?;
        let (sizes, first) = (Sizes::default(), FirstRead::new());
        let source = WithoutSoftLinks { source, sizes: sizes.clone(), first: first.clone() };
        let file = File::from_source(source).map_err(|error| broken(path, error))?;
        let superblock = file.superblock();
        sizes.set(superblock.length_size, superblock.offset_size);
        let whole = file.superblock().eof_address;
        if whole > length {
            return Err(broken(path, format!("it has {length} bytes of {whole}")));
        }
        let (groups, found) = (HashSet::new(), Vec::new());
        let mut walk = Walk { first, groups, looked: 0, found };
        walk.list(&file.root(), "").map_err(|error| broken(path, error))?;
        Ok(Arrays { path: path.into(), file, length, found: walk.found })
    }

    /// The names of all arrays, with the groups that they are in.
    pub(crate) fn names(&self) -> Vec<String> {
        self.found.iter().map(|(name, _)| name.clone()).collect()
    }

    /// The array of a name, if there is one, of any number of axes. No more is allocated than the
    /// file can hold.
    pub(crate) fn read<T: Value>(&self, name: &str) -> Result<Option<ArrayD<T>>, Hdf5Error> {
        let Some((_, array)) = self.found.iter().find(|(found, _)| found == name) else {
            return Ok(None);
        };
        let shape = array.shape().map_err(|error| broken(&self.path, error))?;
        values(&self.path, name, array, &shape, self.length).map(Some)
    }

    /// The unit of an array, as its attribute says.
    pub(crate) fn unit(&self, name: &str) -> Option<String> {
        let (_, array) = self.found.iter().find(|(found, _)| found == name)?;
        let attributes = description::attributes(array);
        ["units", "unit"].iter().find_map(|name| attributes.get(*name).and_then(description::text))
    }
}

/// The type that floats are read as.
pub trait Value: Copy + Sized {
    /// As a double.
    #[doc(hidden)]
    fn wide(self) -> f64;
    /// Of a double.
    #[doc(hidden)]
    fn narrow(of: f64) -> Self;
    /// All values of an array.
    #[doc(hidden)]
    fn all(array: &Dataset) -> Result<Vec<Self>, hdf5_pure::Error>;
    /// Those of some rows along the slowest axis.
    #[doc(hidden)]
    fn rows(array: &Dataset, from: u64, count: u64) -> Result<Vec<Self>, hdf5_pure::Error>;
}

macro_rules! values {
    ($($type:ty, $all:ident, $rows:ident;)*) => {$(
        impl Value for $type {
            fn wide(self) -> f64 {
                self.into()
            }

            fn narrow(of: f64) -> Self {
                of as $type
            }

            fn all(array: &Dataset) -> Result<Vec<Self>, hdf5_pure::Error> {
                array.$all()
            }

            fn rows(array: &Dataset, from: u64, count: u64) -> Result<Vec<Self>, hdf5_pure::Error> {
                array.$rows(from, count)
            }
        }
    )*};
}

values! {
    f32, read_f32, read_f32_rows;
    f64, read_f64, read_f64_rows;
}

pub(super) fn broken(path: &str, reason: impl std::fmt::Display) -> Hdf5Error {
    Hdf5Error::Format { path: path.into(), reason: reason.to_string() }
}

/// A walk through the groups of a file.
struct Walk {
    first: FirstRead,
    /// Offsets of the headers of groups that were listed.
    groups: HashSet<u64>,
    looked: usize,
    found: Vec<(String, Dataset)>,
}

impl Walk {
    /// Lists every array of a group and those below it, by its path. A group that has several names
    /// is listed by the first of them, and so a circle of links ends.
    fn list(&mut self, group: &Group, above: &str) -> Result<(), hdf5_pure::Error> {
        self.first.forget();
        // Both lists parse each header of the group once.
        let arrays = group.iter_datasets()?;
        if self.first.offset().is_some_and(|header| !self.groups.insert(header)) {
            return Ok(());
        }
        for (name, array) in arrays {
            self.looked += 1;
            if self.looked > MOST {
                return Ok(());
            }
            self.found.push((format!("{above}{name}"), array));
        }
        for (name, below) in group.iter_groups()? {
            self.looked += 1;
            if self.looked > MOST {
                return Ok(());
            }
            self.list(&below, &format!("{above}{name}/"))?;
        }
        Ok(())
    }
}

/// True for a layout or an index of pieces that the crate does not know.
fn is_newer(error: &hdf5_pure::Error) -> bool {
    match error {
        hdf5_pure::Error::Format(FormatError::InvalidLayoutVersion(version)) => *version == 5,
        hdf5_pure::Error::Format(FormatError::ChunkedReadError(text)) => {
            text.contains("version 2 B-tree")
        }
        _ => false,
    }
}

/// The error of an array of other values than floats.
pub(super) fn not_floats(path: &str, name: &str, array: &Dataset) -> Hdf5Error {
    let kind = array.dtype().map_or_else(|_| "unknown".to_owned(), |kind| kind.to_string());
    let (path, array_name) = (path.to_owned(), name.to_owned());
    match Packing::of(&description::attributes(array)).is_scaled() {
        true => Hdf5Error::Packed { path, array: array_name, kind },
        false => Hdf5Error::Type { path, array: array_name, kind },
    }
}

/// The values of an array, piece by piece; NaN where the file marks a value as missing.
pub(super) fn values<T: Value>(
    path: &str,
    name: &str,
    array: &Dataset,
    shape: &[u64],
    length: u64,
) -> Result<ArrayD<T>, Hdf5Error> {
    let failed = |error: hdf5_pure::Error| match is_newer(&error) {
        true => {
            let (path, array) = (path.to_owned(), name.to_owned());
            Hdf5Error::Newer { path, array, reason: error.to_string() }
        }
        false => broken(path, format!("{name}: {error}")),
    };
    let size: u64 = match array.dtype().map_err(failed)? {
        DType::F32 => 4,
        DType::F64 => 8,
        _ => return Err(not_floats(path, name, array)),
    };
    let pieces = array.chunk_shape().map_err(failed)?.unwrap_or_else(|| vec![1]);
    let product = |axes: &[u64]| axes.iter().try_fold(1u64, |n, axis| n.checked_mul(*axis));
    let limit = match array.filters().is_empty() {
        true => length,
        false => gzip::most(length),
    };
    let within = |count: Option<u64>| {
        count.filter(|n| *n > 0 && n.checked_mul(size).is_some_and(|bytes| bytes <= limit))
    };
    let (Some(count), Some(_)) = (within(product(shape)), within(product(&pieces))) else {
        let (path, array, shape) = (path.into(), name.into(), shape.to_vec());
        let piece = product(&pieces).unwrap_or(u64::MAX);
        return Err(Hdf5Error::Size { path, array, shape, piece, length, limit });
    };
    let packing = Packing::of(&description::attributes(array));
    let mut values = Vec::new();
    make_room(&mut values, count as usize).map_err(Unreadable::at(path))?;
    // Whole rows of pieces, so that none is unpacked twice.
    let rows = shape.first().copied().unwrap_or(1);
    let piece = pieces[0].max(1);
    let row = size * count / rows;
    let step = (BLOCK / row.saturating_mul(piece).max(1)).max(1).saturating_mul(piece);
    for from in (0..rows).step_by(step.min(rows) as usize) {
        let block = match shape.is_empty() {
            true => T::all(array),
            false => T::rows(array, from, step.min(rows - from)),
        };
        let mut block = block.map_err(failed)?;
        packing.unpack(&mut block);
        values.extend(block);
    }
    let shape: Vec<_> = shape.iter().map(|n| *n as usize).collect();
    let read = values.len();
    ArrayD::from_shape_vec(IxDyn(&shape), values)
        .map_err(|_| broken(path, format!("{name} has {read} values in the shape {shape:?}")))
}
