//! The choices of kernels in the user's cache.
#![no_main]

use huygens::engine::tune::Choices;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    if let Ok(choices) = Choices::parse(text) {
        assert_eq!(Choices::parse(&choices.text()).as_ref(), Ok(&choices));
    }
});
