//! What users do with an engine, from a Plan to results; no files and no terminal.

pub mod ladder;
pub mod locate;
pub mod recording;
pub mod rtm;
pub mod shot;
pub mod tune;
pub mod zero_offset;
