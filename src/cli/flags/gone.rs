//! Flags of earlier versions.

use clap::error::{ContextKind, ContextValue};

/// Each with the message that it is gone, and its replacement.
const GONE: [(&str, &str); 1] = [(
    "--model-bits",
    "--model-bits is gone: a GPU keeps the model in 32 bits, which is as fast; leave it out",
)];

/// The message, if a usage error is about such a flag.
pub(crate) fn find(error: &clap::Error) -> Option<&'static str> {
    let Some(ContextValue::String(given)) = error.get(ContextKind::InvalidArg) else { return None };
    GONE.iter().find(|(flag, _)| given == flag).map(|(_, message)| *message)
}
