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

pub(crate) use checkpoint::{Checkpoint, EarlierWork, Part};
pub(crate) use demand::{Demand, Stage};
pub(crate) use demand::{fit, of_engine, of_wavelets, traces_of};
pub(crate) use error::{RunError, SurveyError};
pub(crate) use face::{Activity, Face, Need};
pub(crate) use identity::Identity;
pub(crate) use life::{Ended, run};
pub use operation::{Operation, Running, SavedWork, Work};
pub(crate) use order::{EarlierRun, Order};
pub(crate) use place::Place;
pub use prepared::PreparedJob;
pub(crate) use record::{Elapsed, EndedEarly};
pub(crate) use record::{Made, Record};
pub(crate) use task::{Task, other_than_tasks, tasks};
pub(crate) use task_output::{TaskOutput, TaskOutputs};
pub(crate) use words::counted;
pub(crate) use words::{by, on, steps};
