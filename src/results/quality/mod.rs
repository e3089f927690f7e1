//! What shows the quality of recorded traces: their places, offsets, amplitudes and spectra, and a page of pictures.

mod panels;
mod survey;

pub(crate) use panels::{least, page};
pub(crate) use survey::{RecordRow, Survey, Trace};
