//! RSF, Madagascar's files: a text header, and floats behind it or in a separate file. The first
//! axis is the fastest. <https://www.reproducibility.org/wiki/Guide_to_RSF_file_format>

mod error;
mod header;
mod write;

pub use error::RsfError;
pub use write::{Description, header, whole, write, write_columns};

use super::{
    access::{self, Unreadable},
    file_axis::FileAxis,
    floats, placement,
};
use crate::model::Placement;
use floats::Stored;
use header::Header;
use ndarray::{ArrayD, IxDyn};
use std::{
    io::{Read, Seek, SeekFrom},
    path::{Path, PathBuf},
};

/// The separator of the header from data behind it.
const MARK: &[u8] = &[0x0c, 0x0c, 0x04];
/// The longest header, bytes.
const LONGEST: usize = 1 << 20;

/// The contents of an RSF file.
#[derive(Debug)]
pub struct Rsf {
    /// Its values, the slowest axis first.
    pub values: ArrayD<f32>,
    /// Its axes, in the order of `values`.
    pub axes: Vec<FileAxis>,
    /// The unit of the values.
    pub unit: Option<String>,
    /// Where the first value lies on the map, if the header has it.
    pub placement: Option<Placement>,
    /// The file of the data, if separate.
    pub data: Option<PathBuf>,
}

/// Reads a file of native_float, taken as little-endian, or xdr_float. Nothing larger than the file
/// and its data is allocated. A relative `in` is relative to the header's folder.
pub fn read(path: &Path) -> Result<Rsf, RsfError> {
    let name = path.display().to_string();
    let io = Unreadable::at(&name);
    let mut start = Vec::new();
    let file = access::open(path).map_err(io)?;
    file.take((LONGEST + MARK.len()) as u64).read_to_end(&mut start).map_err(io)?;
    let mark = start.windows(MARK.len()).position(|bytes| bytes == MARK);
    let text = &start[..mark.unwrap_or(start.len())];
    if text.len() > LONGEST {
        return Err(RsfError::Long { path: name, limit: LONGEST });
    }
    let text = String::from_utf8_lossy(text);
    let header = Header::parse(&name, &text);

    let (mut shape, count) = header.shape()?;
    let order = header.byte_order()?;
    let given = header.data()?;
    let inside = given == "stdin";
    let (data, from) = match (inside, mark) {
        (true, Some(mark)) => (path.to_owned(), mark + MARK.len()),
        (true, None) => {
            return Err(RsfError::Missing {
                path: name,
                field: "data, although in=\"stdin\" says that they follow the header".into(),
                remedy: "the bytes 0c 0c 04 and the data belong there",
            });
        }
        (false, _) => (path.parent().unwrap_or(Path::new("")).join(given), 0),
    };
    let unreadable = |source| RsfError::Data {
        path: name.clone(),
        given: given.chars().take(200).collect(),
        data: data.display().to_string(),
        source,
    };
    let mut file = access::open(&data).map_err(unreadable)?;
    let have = file.metadata().map_err(unreadable)?.len().saturating_sub(from as u64);
    let need = 4 * count as u64;
    if need != have {
        let field = |(axis, n): (usize, &usize)| format!("n{}={n}", axis + 1);
        let fields: Vec<_> = shape.iter().enumerate().map(field).collect();
        return Err(RsfError::Size { path: name, fields: fields.join(", "), need, have });
    }
    let axes = (1..=shape.len()).rev().map(|axis| header.axis(axis)).collect::<Result<_, _>>()?;
    file.seek(SeekFrom::Start(from as u64)).map_err(unreadable)?;
    let values = floats::read(file, count, Stored::F32(order)).map_err(unreadable)?;
    shape.reverse();
    let values = ArrayD::from_shape_vec(IxDyn(&shape), values)
        .expect("as many values were read as the axes have together");
    let unit = header.get("unit").filter(|unit| !unit.trim().is_empty()).map(str::to_owned);
    let numbers = |name: &str| header.get(name).map(|_| header.numbers(name).unwrap_or_default());
    let placement = placement::of_numbers(numbers).map_err(|(field, remedy)| {
        header.wrong(field, header.get(field).unwrap_or_default(), remedy)
    })?;
    Ok(Rsf { values, axes, unit, placement, data: (!inside).then_some(data) })
}
