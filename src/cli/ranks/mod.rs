//! Several processes started together by mpirun or a cluster's equivalent.

#[cfg(not(feature = "mpi"))]
mod none;
#[cfg(feature = "mpi")]
mod over;

#[cfg(not(feature = "mpi"))]
pub use none::*;
#[cfg(feature = "mpi")]
pub use over::*;

use crate::cli::terminal::failure::Failure;
use std::env;

/// The launcher's variables of this process.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Launched {
    rank: usize,
    size: usize,
}

impl Launched {
    /// From the environments of Open MPI, of MPICH and its derivatives, and of Slurm with PMIx;
    /// none for a single process.
    fn find(says: impl Fn(&str) -> Option<usize>) -> Option<Self> {
        let pairs = [
            ("OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"),
            ("PMI_RANK", "PMI_SIZE"),
            ("PMIX_RANK", "SLURM_STEP_NUM_TASKS"),
        ];
        let of = |(rank, size)| Some(Launched { rank: says(rank)?, size: says(size)? });
        pairs.into_iter().find_map(of).filter(|launched| launched.size > 1)
    }
}

/// The behaviour of a command with several ranks.
pub enum Takes {
    /// Divides its work among them.
    Shares,
    /// Each rank runs the command independently.
    Each,
    /// Not supported.
    None,
}

/// Joins the ranks, if there are several; returns true if this rank may print.
pub fn begin(takes: Takes) -> (bool, Result<(), Failure>) {
    let launched = Launched::find(|name| env::var(name).ok()?.trim().parse().ok());
    let Some(Launched { rank, size }) = launched else { return (true, Ok(())) };
    let begun = match takes {
        Takes::Each => return (true, Ok(())),
        Takes::Shares => join(size),
        Takes::None => Err(Failure::input((
            format!("{size} ranks were started of a command that runs in one process"),
            "start it without mpirun, as huygens shot and huygens rtm \
             alone share their work among ranks",
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

    #[test]
    fn launchers_are_known() {
        let of = |set: &'static [(&str, usize)]| {
            Launched::find(|name| set.iter().find(|(known, _)| *known == name).map(|(_, n)| *n))
        };
        let two = |rank| Some(Launched { rank, size: 2 });
        assert_eq!(of(&[("OMPI_COMM_WORLD_RANK", 1), ("OMPI_COMM_WORLD_SIZE", 2)]), two(1));
        assert_eq!(of(&[("PMI_RANK", 0), ("PMI_SIZE", 2)]), two(0));
        assert_eq!(of(&[("PMIX_RANK", 1), ("SLURM_STEP_NUM_TASKS", 2)]), two(1));
        assert_eq!(of(&[("OMPI_COMM_WORLD_RANK", 0), ("OMPI_COMM_WORLD_SIZE", 1)]), None);
        // A Slurm job without MPI.
        assert_eq!(of(&[("SLURM_STEP_NUM_TASKS", 2)]), None);
        assert_eq!(of(&[]), None);
    }
}
