//! The duration of messages between two ranks, for the figures in docs/scaling.md.

use mpi::{Threading, traits::*};
use std::time::Instant;

/// Sizes of the messages, values.
const SIZES: [usize; 5] = [4, 1 << 10, 1 << 16, 1 << 20, 1 << 24];

/// For two ranks that mpirun starts of it.
#[test]
#[ignore = "a measurement, of two ranks"]
fn latency_and_bandwidth() {
    let (universe, _) = mpi::initialize_with_threading(Threading::Serialized).expect("once");
    let world = universe.world();
    assert_eq!(world.size(), 2, "start it with mpirun -n 2");
    let other = world.process_at_rank(1 - world.rank());
    for size in SIZES {
        let mut message = vec![0_u8; size];
        let times = (1 << 27) / (size + (1 << 12));
        let mut began = Instant::now();
        // The first few are not counted.
        for trip in 0..times + 10 {
            if trip == 10 {
                began = Instant::now();
            }
            if world.rank() == 0 {
                other.send(&message[..]);
                other.receive_into(&mut message[..]);
            } else {
                other.receive_into(&mut message[..]);
                other.send(&message[..]);
            }
        }
        let one = began.elapsed().as_secs_f64() / (2 * times) as f64;
        if world.rank() == 0 {
            println!(
                "{size:>9} bytes: {:9.2} us, {:6.2} GB/s",
                1e6 * one,
                1e-9 * size as f64 / one
            );
        }
    }
}
