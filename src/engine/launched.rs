//! Processes started together by mpirun or a cluster's equivalent.

use std::env;

/// What a launcher tells this process of itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Launched {
    /// This process, counted from 0.
    pub rank: usize,
    /// Number of processes; 2 or more.
    pub size: usize,
}

impl Launched {
    /// From the environment of this process; none for a single one.
    pub fn find() -> Option<Self> {
        Launched::of(|name| env::var(name).ok()?.trim().parse().ok())
    }

    /// From the environments of Open MPI, of MPICH and its derivatives, and of Slurm with PMIx.
    fn of(says: impl Fn(&str) -> Option<usize>) -> Option<Self> {
        let pairs = [
            ("OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"),
            ("PMI_RANK", "PMI_SIZE"),
            ("PMIX_RANK", "SLURM_STEP_NUM_TASKS"),
        ];
        let of = |(rank, size)| Some(Launched { rank: says(rank)?, size: says(size)? });
        pairs.into_iter().find_map(of).filter(|launched| launched.size > 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn launchers_are_known() {
        let of = |set: &'static [(&str, usize)]| {
            Launched::of(|name| set.iter().find(|(known, _)| *known == name).map(|(_, n)| *n))
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
