//! A program without MPI under mpirun: each rank would run the whole job. Ranks with MPI are tested
//! in `tests/mpi/`.

use crate::{
    run::{command, said, says, with_job},
    survey,
};
use std::process::Output;

/// The second of four ranks, as a launcher tells it, or the first.
fn rank(rank: &str, arguments: &[&str], folder: &std::path::Path) -> Output {
    let set = [("OMPI_COMM_WORLD_SIZE", "4"), ("OMPI_COMM_WORLD_RANK", rank)];
    command(folder, arguments).envs(set).output().expect("the binary runs")
}

#[test]
fn several_ranks_are_refused_once() {
    let folder = with_job(survey::SURVEY);
    let folder = folder.path();
    let shot = ["shot", "job.toml", "--backend", "cpu", "--no-pictures"];
    let both = [&shot[..], &["rtm", "job.toml"]];
    if cfg!(feature = "mpi") {
        println!("NOT RUN: what shot and rtm say of ranks without MPI; this program has it");
    }
    for arguments in both.into_iter().filter(|_| cfg!(not(feature = "mpi"))) {
        let first = rank("0", arguments, folder);
        assert_eq!(first.status.code(), Some(2), "{}", said(&first));
        says(
            &said(&first),
            &["4 ranks were started", "built without MPI", "--features mpi", "--task I/4"],
        );
        let second = rank("1", arguments, folder);
        assert_eq!((second.status.code(), said(&second)), (Some(2), String::new()));
    }
    let locate = rank("0", &["locate", "job.toml"], folder);
    assert_eq!(locate.status.code(), Some(2));
    says(&said(&locate), &["4 ranks were started of a command that runs in one process"]);
    // Each with a share of its own.
    let task = rank("1", &[&shot[..], &["--task", "2/4", "--out", "shared"]].concat(), folder);
    assert!(task.status.success(), "{}", said(&task));
    assert!(rank("1", &["devices"], folder).status.success());
}
