//! Several processes started together by mpirun or a cluster's equivalent.

#[cfg(not(feature = "mpi"))]
mod none;
#[cfg(feature = "mpi")]
mod over;

#[cfg(not(feature = "mpi"))]
pub(crate) use none::*;
#[cfg(feature = "mpi")]
pub(crate) use over::*;

use crate::{cli::failure::Failure, engine::Launched};

/// The behaviour of a command with several ranks.
pub(crate) enum Takes {
    /// Divides its work among them.
    Shares,
    /// Each rank runs the command independently.
    Each,
    /// Not supported.
    None,
}

/// Joins the ranks, if there are several; returns true if this rank may print.
pub(crate) fn begin(takes: Takes) -> (bool, Result<(), Failure>) {
    let Some(Launched { rank, size }) = Launched::find() else { return (true, Ok(())) };
    let begun = match takes {
        Takes::Each => return (true, Ok(())),
        Takes::Shares => join(size),
        Takes::None => Err(Failure::input(format!(
            "{size} ranks were started of a command that runs in one process; start it without \
             mpirun, as huygens shot, rtm and gradient alone share their work among ranks"
        ))),
    };
    (rank == 0, begun)
}

/// The message of a program without MPI started as several ranks.
#[cfg(any(test, not(feature = "mpi")))]
fn without_mpi(size: usize) -> Failure {
    Failure::input(format!(
        "{size} ranks were started, and this huygens is built without MPI: each would do the whole job; build it with --features mpi, or give \
         each a share with --task I/{size}"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_without_mpi_says_what_would_do() {
        let Failure::Input(report) = without_mpi(4) else { panic!("the input is wrong") };
        let said = report.to_string();
        for part in ["4 ranks were started", "built without MPI", "--features mpi", "--task I/4"] {
            assert!(said.contains(part), "{said}");
        }
    }
}
