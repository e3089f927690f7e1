//! One life for all operations.
//!
//! [`run`] takes an [`Operation`] through it:
//!
//! 1. what an earlier run has left in the folder is resumed, complete or refused ([`Identity`], [`Place`]);
//! 2. the folder is locked, and the files that the run reads are protected;
//! 3. the engines are opened and the memory is checked ([`Demand`]);
//! 4. what is done already is taken from the [`Checkpoint`];
//! 5. the operation does the rest, and adds to the checkpoint;
//! 6. a run of all writes its results, one of a share ([`Task`]) what others need of it;
//! 7. the record is added, and every file is moved into place.
//!
//! With [`Order::merge`] the results of all are made from those of the shares. A [`Face`] supplies engines and shows progress.

mod checkpoint;
mod demand;
mod error;
mod face;
mod identity;
mod life;
mod merge;
mod operation;
mod order;
mod place;
mod prepared;
mod record;
mod task;
mod task_output;
mod words;

pub use checkpoint::{Checkpoint, EarlierWork, Part};
pub use demand::Demand;
pub(crate) use demand::{Stage, fit, of_engine, of_wavelets, traces_of};
pub use error::{RunError, SurveyError};
pub use face::{Activity, Face, Need};
pub use identity::Identity;
pub use life::{Ended, retried, run};
pub use operation::{Operation, Running, SavedWork, Work};
pub use order::{EarlierRun, Order};
pub use place::Place;
pub use prepared::PreparedJob;
pub use record::{Elapsed, EndedEarly, Made, Record, is_of};
pub use task::{Task, TaskError, other_than_tasks, tasks};
pub use task_output::{TaskOutput, TaskOutputs};
pub use words::{by, counted, introduce_engines, on, steps};
