//! Damaged SEG-Y files: an error or a result, never a panic, and never more memory than the file
//! has bytes for.

use huygens::io::segy::{
    ByteOrder, CopySpec, Format, LengthUnit, Reader, ReaderOptions, Revision, SegyError, Spec,
    TEXT, Writer, contents, copy, copy_su, read_gathers, read_model,
};
use proptest::{prelude::*, test_runner::RngSeed};
use std::io::Cursor;

/// A whole file, with one extended textual header in revision 2.
fn whole(revision: Revision, order: ByteOrder, format: Format) -> Vec<u8> {
    let spec = Spec { revision, order, format, samples: 12, interval: 4000.0, ..Spec::default() };
    let mut writer = Writer::new(Vec::new(), spec).expect("valid");
    for index in 0..5 {
        let header = writer.header();
        writer.trace(header, (0..12).map(|n| f64::from(index * 10 + n))).expect("written");
    }
    writer.finish().expect("whole")
}

/// The same traces for Seismic Unix.
fn whole_su(order: ByteOrder) -> Vec<u8> {
    let spec = Spec { order, samples: 12, interval: 4000.0, ..Spec::default() };
    let mut writer = Writer::su(Vec::new(), spec).expect("valid");
    for index in 0..5 {
        let header = writer.header();
        writer.trace(header, (0..12).map(|n| f64::from(index * 10 + n))).expect("written");
    }
    writer.finish().expect("whole")
}

type Bytes<'a> = Cursor<&'a [u8]>;

/// Reads all there is, in each way; whether it was whole.
fn read(bytes: &[u8]) -> bool {
    read_with(bytes, &|| Reader::new(Cursor::new(bytes), ReaderOptions::default()))
}

fn read_su(bytes: &[u8]) -> bool {
    read_with(bytes, &|| Reader::new(Cursor::new(bytes), ReaderOptions::su()))
}

fn read_with<'a>(bytes: &'a [u8], open: &dyn Fn() -> Result<Reader<Bytes<'a>>, SegyError>) -> bool {
    let Ok(mut reader) = open() else { return false };
    let layout = *reader.layout();
    // Everything allocated is bounded by these two.
    assert!(layout.traces.saturating_mul(layout.stride()) <= bytes.len() as u64);
    assert!(layout.extended_texts * TEXT as u64 <= bytes.len() as u64);
    let mut traces = 0;
    while let Ok(Some(trace)) = reader.next_trace() {
        assert_eq!(trace.samples.len(), layout.samples);
        traces += 1;
    }
    // In Seismic Unix a trace may have another length than the first, and is refused.
    let all = traces == layout.traces;
    assert!(all || reader.is_su());
    for warning in reader.warnings() {
        assert!(warning.to_string().contains("bytes "));
    }
    let _ = read_model(&mut open().expect("it was read before"), None);
    let metre = Some(LengthUnit::Metre);
    let _ = read_gathers(&mut open().expect("it was read before"), metre);
    // What is written is no longer than what is read, if samples keep their size.
    let spec = CopySpec { unit: metre, ..CopySpec::default() };
    let copied = copy(&mut open().expect("it was read before"), Vec::new(), spec.clone());
    assert!(
        copied.is_ok_and(|copied| copied.len() <= bytes.len() + 3600)
            || !all
            || layout.interval.is_none()
    );
    let _ = copy_su(&mut open().expect("it was read before"), std::io::sink(), spec);
    let contents = contents(&mut open().expect("it was read before"));
    assert_eq!(contents.is_ok(), all);
    all
}

#[test]
fn traces_of_seismic_unix_cut_anywhere_are_refused_but_between_them() {
    for order in [ByteOrder::Big, ByteOrder::Little] {
        let bytes = whole_su(order);
        for end in 0..bytes.len() {
            let between = end > 0 && end.is_multiple_of(240 + 48);
            assert_eq!(read_su(&bytes[..end]), between, "cut at {end}");
        }
    }
}

#[test]
fn a_file_cut_anywhere_is_refused_but_between_traces() {
    for revision in [Revision::One, Revision::Two] {
        let bytes = whole(revision, ByteOrder::Big, Format::Ibm);
        for end in 0..bytes.len() {
            let between = end > 3600 && (end - 3600).is_multiple_of(240 + 48);
            assert_eq!(read(&bytes[..end]), between, "cut at {end}");
        }
    }
}

prop_compose! {
    fn any_file()(
        two: bool,
        little: bool,
        format in proptest::sample::select(Format::ALL.to_vec()),
    ) -> Vec<u8> {
        let revision = if two || !format.in_revision_1() { Revision::Two } else { Revision::One };
        whole(revision, if little { ByteOrder::Little } else { ByteOrder::Big }, format)
    }
}

proptest! {
    #![proptest_config(ProptestConfig {
        rng_seed: RngSeed::Fixed(11),
        failure_persistence: None,
        cases: 2000,
        ..ProptestConfig::default()
    })]

    #[test]
    fn damaged_headers_never_panic(
        mut bytes in any_file(),
        damage in proptest::collection::vec((3200usize..3900, any::<u8>()), 1..12),
        cut in 0usize..400,
    ) {
        for (place, value) in damage {
            bytes[place] = value;
        }
        bytes.truncate(bytes.len() - if cut < 300 { 0 } else { cut });
        read(&bytes);
    }

    #[test]
    fn damaged_numbers_that_matter_never_panic(
        mut bytes in any_file(),
        damage in proptest::collection::vec(
            (
                proptest::sample::select(vec![
                    3216usize, 3220, 3224, 3254, 3268, 3272, 3276, 3296, 3500, 3502, 3504, 3506, 3508, 3512,
                    3516, 3520, 3524, 3528, 3530, 3668, 3670, 3672, 3688, 3714, 3716, 3780, 3784, 3788, 3792,
                ]),
                proptest::sample::select(vec![
                    [0u8, 0], [0, 1], [1, 0], [0xff, 0xff], [0x7f, 0xff], [0x80, 0], [2, 0], [0x7f, 0xf8],
                ]),
            ),
            1..6,
        ),
    ) {
        for (place, value) in damage {
            bytes[place..place + 2].copy_from_slice(&value);
        }
        read(&bytes);
    }

    #[test]
    fn damaged_traces_of_seismic_unix_never_panic(
        big: bool,
        damage in proptest::collection::vec((any::<proptest::sample::Index>(), any::<u8>()), 1..12),
        samples in proptest::option::of(any::<[u8; 2]>()),
        cut in 0usize..400,
    ) {
        let mut bytes = whole_su(if big { ByteOrder::Big } else { ByteOrder::Little });
        for (place, value) in damage {
            let place = place.index(bytes.len());
            bytes[place] = value;
        }
        if let Some(samples) = samples {
            bytes[114..116].copy_from_slice(&samples);
        }
        bytes.truncate(bytes.len() - if cut < 300 { 0 } else { cut });
        read_su(&bytes);
    }

    #[test]
    fn any_bytes_of_a_length_that_fits_are_read_or_refused(
        mut bytes in proptest::collection::vec(any::<u8>(), 244..1500),
    ) {
        // One trace of all the samples there are.
        let samples = (bytes.len() - 240) / 4;
        bytes.truncate(240 + 4 * samples);
        bytes[114..116].copy_from_slice(&(samples as u16).to_le_bytes());
        prop_assert!(read_su(&bytes));
    }

    #[test]
    fn any_bytes_are_no_reason_to_panic(bytes in proptest::collection::vec(any::<u8>(), 3500..4200)) {
        read(&bytes);
        read_su(&bytes);
    }
}
