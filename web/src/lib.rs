//! The engine of the page in `web/`: a job's Plan on the browser's WebGPU, stepped between frames and drawn
//! where it is. The page itself is `index.html` and `page.js`.
#![cfg(target_arch = "wasm32")]

mod back;
mod climb;
mod device;
mod gather;
mod heard;
mod notes;
mod proof;
mod screen;
mod simulation;

pub use climb::{Climbed, climb};
pub use simulation::Simulation;
