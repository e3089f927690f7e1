//! The binary as users meet it: outputs, messages, exit codes.

mod bad_input;
mod outputs;
mod run;
