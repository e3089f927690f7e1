//! This program, as its files name it.

use serde::Serialize;
use std::fmt::{Display, Formatter, Result};

/// A program that writes files. `Display` gives the name, the version and the revision.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Program {
    /// Its name.
    #[serde(rename = "program")]
    pub name: &'static str,
    /// Its version.
    pub version: &'static str,
    /// Its Git revision, if built from one.
    pub revision: Option<&'static str>,
}

/// This one.
pub const PROGRAM: Program = Program {
    name: "huygens",
    version: env!("CARGO_PKG_VERSION"),
    revision: option_env!("HUYGENS_REVISION"),
};

impl Display for Program {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        write!(f, "{} {}", self.name, self.version)?;
        self.revision.map_or(Ok(()), |revision| write!(f, ", git {revision}"))
    }
}
