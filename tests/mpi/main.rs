//! One job over the ranks of MPI, on this machine: the bytes of one process, and failures that are
//! told once. `cargo xtask test --mpi` runs them.

mod equal;
mod failures;
mod messages;
mod ranks;
