//! Flags of earlier versions.

use clap::error::{ContextKind, ContextValue};

/// Each with the reason why it is gone, and its replacement.
const GONE: [(&str, &str, &str); 1] = [(
    "--model-bits",
    "--model-bits is gone: a GPU keeps the model in 32 bits, which is as fast",
    "leave it out",
)];

/// The mistake and the remedy, if a usage error is about such a flag.
pub fn find(error: &clap::Error) -> Option<(&'static str, &'static str)> {
    let Some(ContextValue::String(given)) = error.get(ContextKind::InvalidArg) else { return None };
    let (_, mistake, remedy) = GONE.iter().find(|(flag, ..)| given == flag)?;
    Some((mistake, remedy))
}
