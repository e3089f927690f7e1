//! Numbers of trace headers that are doubtful: a warning names the field, the first trace, and how many
//! others are alike.

use crate::samples;
use huygens::io::{
    gather_file::{self, Given, Kill},
    segy::{
        ByteOrder, Field, FieldBytes, Kind, Overrides, Reader, ReaderOptions, Spec, TRACE,
        TraceHeader, Writer, read_gathers, trace,
    },
};
use std::{io::Cursor, path::Path};

const SAMPLES: usize = 5;

type Numbers = Vec<(Field<TRACE>, i64)>;

/// A file of traces with these numbers in their headers.
fn file(traces: &[Numbers]) -> Vec<u8> {
    let spec = Spec { samples: SAMPLES, interval: 4000.0, ..Spec::default() };
    let mut writer = Writer::new(Vec::new(), spec).expect("valid");
    for numbers in traces {
        let mut header = writer.header();
        numbers.iter().for_each(|(field, value)| header.set(*field, *value).expect("it fits"));
        writer.trace(header, [1.0; SAMPLES]).expect("written");
    }
    writer.finish().expect("whole")
}

/// As many traces, of which the number of each says what is in its header.
fn each(count: i64, numbers: impl Fn(i64) -> Numbers) -> Vec<u8> {
    file(&(1..=count).map(numbers).collect::<Vec<_>>())
}

/// What is told of a file by one who reads its gathers.
fn with(bytes: &[u8], overrides: Overrides) -> Vec<String> {
    let mut reader =
        Reader::new(Cursor::new(bytes), ReaderOptions { is_su: false, overrides }).expect("read");
    read_gathers(&mut reader, None).expect("gathers");
    reader.warnings().iter().map(ToString::to_string).collect()
}

fn told(bytes: &[u8]) -> Vec<String> {
    with(bytes, Overrides::default())
}

/// One warning, with these parts.
fn one(warnings: &[String], parts: &[&str]) {
    let [said] = warnings else { panic!("{parts:?}: {warnings:?}") };
    parts.iter().for_each(|part| assert!(said.contains(part), "{part}: {said}"));
}

/// Receivers at these elevations, of a source with this elevation and depth.
fn at(elevations: &[i64], surface: i64, depth: i64) -> Vec<u8> {
    let numbers = |elevation: &i64| {
        vec![
            (trace::RECEIVER_ELEVATION, *elevation),
            (trace::SURFACE_ELEVATION, surface),
            (trace::SOURCE_DEPTH, depth),
        ]
    };
    file(&elevations.iter().map(numbers).collect::<Vec<_>>())
}

#[test]
fn elevations_of_0_beside_others_are_told() {
    one(&told(&at(&[0; 4], 620, 0)), &["bytes 41-44", "trace 1 and 3 others", "bytes 45-48"]);
    let parts = ["bytes 41-44", "trace 2 and one other", "600.0 m to 612.0 m"];
    one(&told(&at(&[600, 0, 612, 0, 606], 610, 3)), &parts);
    let parts = ["bytes 45-48", "trace 1 and 2 others", "600.0 m to 612.0 m"];
    one(&told(&at(&[600, 606, 612], 0, 12)), &parts);
    for fine in [
        at(&[0; 4], 0, 10),
        // A streamer, the sea floor, a line across the datum, a well, and a source far below.
        at(&[-8, -8, -8], 0, 6),
        at(&[-700, -702, -690], 0, 6),
        at(&[-5, 0, 4, 9], 3, 0),
        at(&[0, -10, -20, -30], 0, 6),
        at(&[600, 606, 612], 0, 2000),
        at(&[600, 606, 612], 0, -610),
        at(&[600, 606, 612], 615, 3),
    ] {
        assert_eq!(told(&fine), Vec::<String>::new());
    }
}

#[test]
fn scalars_that_are_none_of_the_standard_are_told_and_used() {
    let all = |field, value, scaled| each(4, |_| vec![(field, value), (scaled, 40)]);
    for (field, scaled, bytes) in [
        (trace::COORDINATE_SCALAR, trace::SOURCE_X, "bytes 71-72"),
        (trace::ELEVATION_SCALAR, trace::SOURCE_DEPTH, "bytes 69-70"),
        (trace::TIME_SCALAR, trace::DELAY, "bytes 215-216"),
    ] {
        let parts = [bytes, "trace 1 say -7", "3 other traces are alike", "it is used"];
        one(&told(&all(field, -7, scaled)), &parts);
        for value in [-10_000, -10, -1, 0, 1, 1000] {
            assert_eq!(told(&all(field, value, scaled)), Vec::<String>::new(), "{value}");
        }
        assert_eq!(told(&each(2, |_| vec![(field, i64::from(i16::MIN))])), Vec::<String>::new());
    }
    let given = Overrides { coordinate_scalar: Some(-10), ..Overrides::default() };
    let warnings = with(&all(trace::COORDINATE_SCALAR, -7, trace::SOURCE_X), given);
    assert!(!warnings.iter().any(|said| said.contains("standard")), "{warnings:?}");
}

#[test]
fn traces_that_are_not_correlated_are_told() {
    let swept = |correlated| {
        each(3, |_| vec![(trace::CORRELATED, correlated), (trace::SWEEP_LENGTH, 12_000)])
    };
    one(&told(&swept(1)), &["bytes 125-126", "say 1: trace 1 and 2 others", "correlate"]);
    assert_eq!(told(&swept(2)), Vec::<String>::new());
    assert_eq!(told(&each(3, |_| vec![(trace::CORRELATED, 1)])), Vec::<String>::new());
    // 3249-3250 of the file.
    let of_file = |mut bytes: Vec<u8>| {
        bytes[3249] = 1;
        bytes
    };
    one(&told(&of_file(swept(0))), &["bytes 3249-3250", "trace 1 and 2 others"]);
    one(&told(&of_file(each(1, |_| vec![(trace::CORRELATED, 1)]))), &["bytes 125-126", "trace 1"]);
    assert_eq!(told(&of_file(each(3, |_| Vec::new()))), Vec::<String>::new());
}

#[test]
fn codes_of_other_than_pressure_are_counted() {
    let code = |number: i64| [12, 14, 1, 0, 11, 13, 130, 43, 2, 3, 2][number as usize - 1];
    let warnings = told(&each(11, |number| vec![(trace::IDENTIFICATION, code(number))]));
    assert_eq!(warnings.len(), 5, "{warnings:?}");
    for part in [
        "of trace 1 and 2 others say 12 to 14: they are components of motion, and are read as pressure",
        "of trace 7 say 130: it is of depth",
        "of trace 8 say 43: it is no seismic data in time, and is read as pressure",
        "of trace 9 and one other say 2: they are dead, and are read as they are",
        "of trace 10 say 3: it is a dummy, and is read as it is",
    ] {
        let found = warnings.iter().any(|said| said.contains(part) && said.contains("bytes 29-30"));
        assert!(found, "{part}: {warnings:?}");
    }
}

#[test]
fn a_first_sample_of_seismic_unix_that_is_not_at_the_delay_is_told() {
    let su = |first: f32, delay: i64, code: i64| {
        let mut bytes = Vec::new();
        for _ in 0..3 {
            let mut header = TraceHeader::new(ByteOrder::Little);
            for (field, value) in [
                (trace::SAMPLES, 5),
                (trace::INTERVAL, 4000),
                (trace::DELAY, delay),
                (trace::IDENTIFICATION, code),
            ] {
                header.set(field, value).expect("it fits");
            }
            let mut header = *header.bytes();
            header[184..188].copy_from_slice(&first.to_le_bytes());
            bytes.extend(header);
            bytes.extend([0; 4 * SAMPLES]);
        }
        let mut reader = Reader::new(Cursor::new(bytes), ReaderOptions::su()).expect("whole");
        samples(&mut reader);
        reader.warnings().iter().map(ToString::to_string).collect::<Vec<_>>()
    };
    let parts = ["bytes 185-188", "trace 1 say 0.5 s", "bytes 109-110", "say 100 ms", "2 other"];
    one(&su(0.5, 100, 1), &parts);
    for (first, delay, code) in [
        (0.1, 100, 1),
        (100.0, 100, 1),
        (0.0, 100, 1),
        (1e-40, 0, 1),
        (f32::NAN, 0, 1),
        (5.0, 0, 130),
    ] {
        let warnings = su(first, delay, code);
        assert!(!warnings.iter().any(|said| said.contains("185-188")), "{warnings:?}");
    }
}

#[test]
fn offsets_are_checked_by_the_scalar_that_is_given_in_metres() {
    let bytes = each(4, |number| {
        vec![
            (trace::RECEIVER_X, 1000 * number),
            (trace::OFFSET, 100 * number),
            (trace::COORDINATE_SCALAR, 1),
        ]
    });
    let parts = ["trace 1 say 100.0 m", "positions are 1000.0 m apart", "3 other traces are alike"];
    one(&told(&bytes), &parts);
    let given = Overrides { coordinate_scalar: Some(-10), ..Overrides::default() };
    let warnings = with(&bytes, given);
    assert!(!warnings.iter().any(|said| said.contains("apart")), "{warnings:?}");
}

#[test]
fn intervals_of_traces_are_counted_in_microseconds() {
    // A writer gives every trace the interval of its file.
    let with_intervals = |intervals: &[u16]| {
        let mut bytes = each(intervals.len() as i64, |_| Vec::new());
        for (traces, interval) in bytes[3600..].chunks_mut(240 + 4 * SAMPLES).zip(intervals) {
            traces[116..118].copy_from_slice(&interval.to_be_bytes());
        }
        bytes
    };
    let bytes = with_intervals(&[4000, 2000, 2000, 2000]);
    let parts = ["4000 us", "bytes 117-118", "trace 2 say 2000 us", "2 other traces are alike"];
    one(&told(&bytes), &parts);
    // The first trace, of which the layout of a file tells, is counted once.
    one(&told(&with_intervals(&[2000; 3])), &["trace 1 say", "2 other traces"]);
}

#[test]
fn a_file_without_dead_traces_says_so() {
    let bytes = each(4, |number| vec![(trace::RECEIVER_X, 10 * number)]);
    let file = tempfile::Builder::new().suffix(".sgy").tempfile().expect("a temporary file");
    std::fs::write(file.path(), bytes).expect("written");
    let read = |path: &Path, traces: &[u64]| {
        let kill = Kill { dead: true, traces: traces.to_vec() };
        gather_file::read(path, &Given { kill, ..Given::default() }).expect("gathers").warnings
    };
    one(&read(file.path(), &[]), &["no trace is marked dead (bytes 29-30)"]);
    let both = read(file.path(), &[2]);
    assert!(both.iter().any(|said| said == "of 4 traces 1 are left out, as asked"), "{both:?}");
}

/// Traces of a record of a source at x = 1000 m, the receivers 10 m apart.
fn spread(more: impl Fn(i64) -> Numbers) -> Vec<u8> {
    each(6, |number| {
        let mut numbers = vec![
            (trace::RECORD, 3),
            (trace::SOURCE_X, 1000),
            (trace::SOURCE_Y, 50),
            (trace::RECEIVER_X, 1000 + 10 * number),
            (trace::RECEIVER_Y, 50),
        ];
        numbers.extend(more(number));
        numbers
    })
}

#[test]
fn ensembles_off_the_middle_are_told() {
    let at = |x: i64| vec![(trace::CDP_X, x), (trace::CDP_Y, 50)];
    let off = spread(|number| at(if number > 4 { 1100 } else { 1000 + 5 * number }));
    one(&told(&off), &["bytes 181-188", "trace 5 are 75.0 m off the middle", "one other trace"]);
    // In the middle, in a bin as wide as a trace, without a position, and no lengths.
    let binned = |number: i64| at(1000 + 5 * number + 9);
    let none = Vec::<String>::new();
    for fine in
        [spread(|number| at(1000 + 5 * number)), spread(binned), spread(|_| at(0)[..1].to_vec())]
    {
        assert_eq!(told(&fine), none);
    }
    // By the scalar that is given.
    let scaled = spread(|number| {
        let mut numbers = at(1000 + 5 * number);
        numbers.push((trace::COORDINATE_SCALAR, -1));
        numbers
    });
    let given = Overrides { coordinate_scalar: Some(1), ..Overrides::default() };
    let warnings = with(&scaled, given);
    assert!(!warnings.iter().any(|said| said.contains("middle")), "{warnings:?}");
    // Of bytes that are named for receivers nothing is said; bytes that are named for ensembles are.
    let fields = FieldBytes { group_x: Some(181), group_y: Some(185), ..FieldBytes::default() };
    let warnings = with(&off, Overrides { fields, ..Overrides::default() });
    assert!(!warnings.iter().any(|said| said.contains("middle")), "{warnings:?}");
    let moved =
        spread(|_| vec![(Field::new("elsewhere", 233, Kind::I32), 1500), (trace::CDP_Y, 50)]);
    let fields = FieldBytes { cdp_x: Some(233), ..FieldBytes::default() };
    let warnings = with(&moved, Overrides { fields, ..Overrides::default() });
    assert!(warnings.iter().any(|said| said.contains("bytes 233-236")), "{warnings:?}");
}

#[test]
fn elevations_of_a_datum_and_statics_that_do_not_add_up_are_told() {
    for (field, bytes) in [(trace::DATUM_ELEVATION, "53-56"), (trace::SOURCE_DATUM, "57-60")] {
        let parts = [bytes, "trace 1 say 120", "3 other traces", "it is not applied"];
        one(&told(&each(4, |_| vec![(field, 120)])), &parts);
    }
    let statics = |total, source, receiver| {
        let fields = [trace::TOTAL_STATIC, trace::SOURCE_STATIC, trace::RECEIVER_STATIC];
        told(&each(3, |_| fields.into_iter().zip([total, source, receiver]).collect()))
    };
    let odd: Vec<_> =
        statics(12, 5, -3).into_iter().filter(|said| said.contains("add up")).collect();
    let parts = [
        "bytes 103-104",
        "trace 1 say 12",
        "bytes 99-100",
        "bytes 101-102",
        "up to 2, and 2 other",
    ];
    one(&odd, &parts);
    for (total, source, receiver) in [(12, 15, -3), (12, 0, 0), (0, 4, 3)] {
        assert!(!statics(total, source, receiver).iter().any(|said| said.contains("add up")));
    }
}

#[test]
fn a_polarity_of_another_convention_is_told() {
    // 3257-3258 of the file.
    let of = |value: u8| {
        let mut bytes = each(2, |_| Vec::new());
        bytes[3257] = value;
        told(&bytes)
    };
    one(&of(2), &["bytes 3257-3258", "say 2, so an increase in pressure gives a positive number"]);
    one(&of(9), &["say 9, which is no polarity (1 or 2)"]);
    assert_eq!((of(0), of(1)), (Vec::new(), Vec::new()));
}

#[test]
fn an_interval_of_milliseconds_is_doubted() {
    let of = |interval: u16, given: Option<f64>| {
        let mut bytes = each(2, |_| Vec::new());
        bytes[3216..3218].copy_from_slice(&interval.to_be_bytes());
        for traces in bytes[3600..].chunks_mut(240 + 4 * SAMPLES) {
            traces[116..118].copy_from_slice(&interval.to_be_bytes());
        }
        with(&bytes, Overrides { interval: given, ..Overrides::default() })
    };
    one(&of(4, None), &["bytes 3217-3218", "say 4 us, which are taken; if they are ms"]);
    assert!(!of(4, Some(0.004)).iter().any(|said| said.contains("if they are ms")));
    assert_eq!(of(250, None), Vec::<String>::new());
    // Revision 2 has an interval of any length, and this one is of no file in milliseconds.
    let revision_2 = |interval: f64| {
        let mut bytes = each(2, |_| Vec::new());
        bytes[3272..3280].copy_from_slice(&interval.to_be_bytes());
        bytes[3296..3300].copy_from_slice(&16_909_060u32.to_be_bytes());
        (bytes[3500], bytes[3501]) = (2, 0);
        for traces in bytes[3600..].chunks_mut(240 + 4 * SAMPLES) {
            traces[116..118].copy_from_slice(&0u16.to_be_bytes());
        }
        told(&bytes)
    };
    one(&revision_2(0.5), &["bytes 3273-3280", "say 0.5 us, which are taken; if they are ms"]);
    assert_eq!(revision_2(0.124_792_307_969_981_82), Vec::<String>::new());
}

#[test]
fn sources_of_a_record_that_jitter_are_one_with_a_word() {
    let of = |apart: i64, jitter: &dyn Fn(i64) -> i64| {
        let bytes = each(6, |number| {
            vec![
                (trace::RECORD, 3),
                (trace::COORDINATE_SCALAR, -10),
                (trace::SOURCE_X, 50_000 + jitter(number)),
                (trace::SOURCE_Y, 700 + jitter(number)),
                (trace::RECEIVER_X, 50_000 + apart * number),
            ]
        });
        let mut reader = crate::open(&bytes).expect("read");
        let gathers = read_gathers(&mut reader, None).expect("gathers");
        (gathers.len(), reader.warnings().iter().map(ToString::to_string).collect::<Vec<_>>())
    };
    let (gathers, warnings) = of(100, &|number| number % 3);
    assert_eq!(gathers, 1, "{warnings:?}");
    one(&warnings, &["record 3", "bytes 73-80", "up to 0.1 m from its first", "taken as one"]);
    assert_eq!(of(100, &|_| 0), (1, Vec::new()));
    // Farther than a tenth of what receivers are apart, or than a metre.
    assert_eq!(of(100, &|number| 10 * (number % 2)).0, 2);
    assert_eq!(of(1000, &|number| 10 * number).0, 6);
    // Sources at receivers near to each other are as many.
    assert_eq!(of(2, &|number| 2 * number).0, 6);
}
