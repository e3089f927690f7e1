//! Lists of positions.
#![no_main]

use huygens::io::positions;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    if let Ok(listed) = positions::parse("shots.csv", bytes) {
        assert!(!listed.is_empty() && listed.iter().all(|at| at.x.is_finite() && at.z.is_finite()));
    }
});
