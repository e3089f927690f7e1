//! SEG-Y, revisions 0, 1 and the relevant parts of 2, and the traces of Seismic Unix: read one at a
//! time and written.
//!
//! Written here, as no crate reads all files in circulation. Independent of the rest of huygens,
//! except for opening files.
//!
//! - [`Reader`] finds the byte order, the format and the length of traces, cross-checks
//!   contradictory fields, and returns one [`Trace`] after the other in its own buffers.
//!   [`read_model`] and [`read_gathers`] make arrays of them.
//! - [`copy()`] and [`copy_su`] copy traces to another format, byte order or kind of file.
//! - [`Writer`] writes revision 1 or 2, or traces alone for Seismic Unix; [`write_model`] and
//!   [`SurveyFile`] fill its headers.
//! - Every number of a header is a [`Field`]: [`binary`] and [`trace`] list them by the standard's
//!   bytes.
//!
//! *SEG Y rev 0: Barry, Cavers and Kneale (1975), Geophysics 40, 344-352. Rev 1: SEG Technical
//! Standards Committee (2002). Rev 2: Hagelund and Levin, eds. (2017).*

mod alike;
mod block;
mod clock;
mod code;
mod contents;
mod copies;
mod copy;
mod doubts;
mod elevations;
mod ensembles;
mod error;
mod field;
mod field_bytes;
mod gather;
mod geometry;
mod grid;
mod header;
mod ibm;
mod interval;
mod layout;
mod mark;
mod model;
mod numbered;
mod overrides;
mod places;
mod plane;
mod range;
mod reader;
#[allow(missing_docs, reason = "the texts say it")]
pub mod remedy;
mod sample;
mod stations;
mod su;
mod survey;
mod text;
mod warning;
mod writer;

pub use super::ByteOrder;
pub use alike::Alike;
pub(crate) use alike::listed;
pub use clock::{Clock, NotUtc};
pub use code::{Coded, code_name};
pub use contents::{Contents, Extent, all_zero, contents};
pub(crate) use copies::copied;
pub use copy::{CopySpec, copy, copy_su};
pub use error::SegyError;
pub(crate) use field::su as su_trace;
pub use field::{BINARY, Field, Kind, TEXT, TRACE, binary, trace};
pub use field_bytes::{FieldBytes, ReadAs};
pub use gather::{Gather, read_gathers, write_gather, write_section, write_su_gather};
pub(crate) use gather::{Record, TraceTag};
pub(crate) use gather::{read_headers, read_records};
pub use geometry::{LengthUnit, Placing};
pub use grid::{By, Irregular, SurveyGrid, arrange};
pub use header::{BinaryHeader, TraceHeader};
pub use interval::IntervalUnit;
pub use layout::Layout;
pub use mark::Kill;
pub(crate) use mark::Mark;
pub use model::{Columns, Model, ModelSpec, read_model, write_model, write_su_model};
pub(crate) use model::{ModelColumns, Unread, scan_model};
pub(crate) use numbered::Shot;
pub use overrides::Overrides;
pub use reader::{Reader, ReaderOptions, Trace};
pub use sample::Format;
pub(crate) use stations::Stations;
pub use survey::{Bins, ShotSpec, SurveyFile, SurveySpec, ValueUnit, bytes, su_holds};
pub use warning::Warning;
pub use writer::{Revision, Spec, Writer};
