//! The binary as users meet it: outputs, messages, exit codes.

#[path = "../common/mod.rs"]
mod common;

mod axes;
mod bad_input;
mod bad_model;
mod blow_up;
mod check;
mod checked;
mod density;
mod disagreements;
mod doctor;
mod does_not_fit;
mod doubts;
mod estimated_wavelets;
mod events;
mod faults;
mod field;
mod gradient;
#[cfg(unix)]
mod harmless;
mod headers;
mod held;
mod hopeless;
mod invert;
mod job;
mod ladder;
#[cfg(target_os = "linux")]
mod lean;
mod limits;
mod locate;
mod lsrtm;
mod memory;
#[cfg(target_os = "linux")]
mod memory_cases;
mod models;
mod noise;
mod not_files;
mod observed;
mod outputs;
mod over_devices;
mod pictures;
mod plot;
#[cfg(target_os = "linux")]
mod predictions;
#[cfg(not(feature = "mpi"))]
mod ranks;
mod recorded;
mod rtm;
mod run;
mod scales;
mod segy;
mod shell;
mod starters;
mod streams;
mod survey;
mod timeline;
mod traces;
#[cfg(target_os = "linux")]
mod trust;
mod tune;
mod volume;
mod vti;
mod wavelets;
mod windows;
mod zero_offset;
