//! Files that say a thing in two ways, or wrongly: a warning or an error that names the field.

use crate::{open, samples};
use huygens::io::segy::{
    Alike, BINARY, BinaryHeader, ByteOrder, Field, Format, Kill, LengthUnit, Revision, Spec, TRACE,
    TraceHeader, Warning, Writer, binary, read_gathers, trace,
};

const SAMPLES: usize = 20;
const TRACES: usize = 4;

/// A file of 4 traces of 20 samples.
fn file(revision: Revision) -> Vec<u8> {
    let spec = Spec { revision, samples: SAMPLES, interval: 4000.0, ..Spec::default() };
    let mut writer = Writer::new(Vec::new(), spec).expect("valid");
    for index in 0..TRACES {
        let header = writer.header();
        writer.trace(header, (0..SAMPLES).map(|n| (index * 100 + n) as f64)).expect("written");
    }
    writer.finish().expect("whole")
}

/// Sets a number of the binary header.
fn set(bytes: &mut [u8], field: Field<BINARY>, value: i64) {
    let place = &mut bytes[3200..3600];
    let mut header = BinaryHeader::from_bytes(place.try_into().expect("400 bytes"), ByteOrder::Big);
    header.set(field, value).expect("it fits");
    place.copy_from_slice(header.bytes());
}

/// Sets a number of a trace's header.
fn set_in_trace(bytes: &mut [u8], index: usize, field: Field<TRACE>, value: i64) {
    let at = 3600 + index * (240 + 4 * SAMPLES);
    let place = &mut bytes[at..at + 240];
    let mut header = TraceHeader::from_bytes(place.try_into().expect("240 bytes"), ByteOrder::Big);
    header.set(field, value).expect("it fits");
    place.copy_from_slice(header.bytes());
}

fn refused(bytes: &[u8]) -> String {
    open(bytes).expect_err("refused").to_string()
}

/// The warnings about a file whose traces are all there.
fn warned(bytes: &[u8]) -> Vec<Warning> {
    let mut reader = open(bytes).expect("read");
    let all = samples(&mut reader);
    assert_eq!((all.len(), all[SAMPLES + 3]), (TRACES * SAMPLES, 103.0));
    reader.warnings().to_vec()
}

#[test]
fn the_length_decides_between_two_numbers_of_samples() {
    let mut bytes = file(Revision::One);
    set_in_trace(&mut bytes, 0, trace::SAMPLES, 21);
    assert!(matches!(
        warned(&bytes)[..],
        [Warning::Samples { binary: 20, own: 21, taken: 20, .. }]
    ));
    let mut bytes = file(Revision::One);
    set(&mut bytes, binary::SAMPLES, 33);
    let warnings = warned(&bytes);
    assert!(matches!(warnings[..], [Warning::Samples { binary: 33, own: 20, taken: 20, .. }]));
    assert!(warnings[0].to_string().contains("bytes 3221-3222 (samples a trace) say 33"));
    let mut bytes = file(Revision::One);
    set(&mut bytes, binary::SAMPLES, 0);
    assert!(matches!(warned(&bytes)[..], [Warning::Samples { .. }]));
    let mut bytes = file(Revision::One);
    set_in_trace(&mut bytes, 2, trace::SAMPLES, 7);
    set_in_trace(&mut bytes, 3, trace::SAMPLES, 8);
    assert!(matches!(warned(&bytes)[..], [Warning::Samples { trace: 2, own: 7, .. }]), "once");
}

#[test]
fn numbers_of_samples_that_do_not_fit_are_refused() {
    let mut bytes = file(Revision::One);
    set(&mut bytes, binary::SAMPLES, 33);
    set_in_trace(&mut bytes, 0, trace::SAMPLES, 34);
    let said = refused(&bytes);
    for part in
        ["bytes 3221-3222", "say 33", "bytes 115-116", "say 34", "1280 bytes", "3 traces of 372"]
    {
        assert!(said.contains(part), "{part}: {said}");
    }
    set(&mut bytes, binary::SAMPLES, 0);
    set_in_trace(&mut bytes, 0, trace::SAMPLES, 0);
    assert!(refused(&bytes).contains("bytes 3221-3222 (samples a trace) say 0"));
    // 1280 bytes are 4 traces of 20 samples, or 2 of 100.
    let mut bytes = file(Revision::One);
    set(&mut bytes, binary::FIXED, 0);
    set_in_trace(&mut bytes, 0, trace::SAMPLES, 100);
    assert!(refused(&bytes).contains("fits both"));
    set(&mut bytes, binary::FIXED, 1);
    assert!(matches!(warned(&bytes)[..], [Warning::Samples { taken: 20, .. }]));
    bytes.pop();
    assert!(refused(&bytes).contains("bytes more"));
}

#[test]
fn intervals_are_cross_checked() {
    let mut bytes = file(Revision::One);
    set(&mut bytes, binary::INTERVAL, 0);
    assert_eq!(open(&bytes).expect("read").layout().interval, Some(4000.0));
    set(&mut bytes, binary::INTERVAL, 2000);
    assert!(matches!(warned(&bytes)[..], [Warning::Interval { .. }]));
    assert_eq!(open(&bytes).expect("read").layout().interval, Some(2000.0));
    set(&mut bytes, binary::INTERVAL, 0);
    set_in_trace(&mut bytes, 0, trace::INTERVAL, 0);
    let mut reader = open(&bytes).expect("read");
    assert!(matches!(reader.warnings(), [Warning::NoInterval { .. }]));
    let said = read_gathers(&mut reader, None).expect_err("no interval").to_string();
    assert!(said.contains("bytes 3217-3218 (sample interval) say 0"), "{said}");
}

#[test]
fn invalid_formats_and_byte_orders_are_refused() {
    for (code, part) in [(4, "say 4"), (13, "say 13"), (0x2020, "3225-3226"), (0, "say 0")] {
        let mut bytes = file(Revision::One);
        set(&mut bytes, binary::FORMAT, code);
        assert!(refused(&bytes).contains(part), "{}", refused(&bytes));
    }
    let mut bytes = file(Revision::Two);
    set(&mut bytes, binary::ENDIAN, 0x0201_0403);
    assert!(refused(&bytes).contains("pairs of bytes are swapped"));
    assert!(refused(&[0; 3599]).contains("3599 bytes"));
    assert!(refused(&file(Revision::One)[..3600]).contains("there is none"));
}

/// The file with textual headers after the first.
fn with_texts(revision: Revision, texts: &[&str], said: i64) -> Vec<u8> {
    let mut bytes = file(revision);
    set(&mut bytes, binary::EXTENDED_TEXTS, said);
    if revision == Revision::Two {
        set(&mut bytes, binary::FIRST_TRACE, 0);
    }
    let traces = bytes.split_off(3600);
    for text in texts {
        bytes.extend(format!("{text:<3200}").as_bytes());
    }
    bytes.extend(traces);
    bytes
}

#[test]
fn extended_textual_headers_are_counted_or_ended() {
    for revision in [Revision::One, Revision::Two] {
        for said in [2, -1] {
            let bytes = with_texts(revision, &["((a: b))", "((SEG: EndText))"], said);
            assert_eq!(warned(&bytes), []);
            let reader = open(&bytes).expect("read");
            assert_eq!((reader.texts().len(), reader.texts()[1][0].as_str()), (3, "((a: b))"));
        }
        let said = refused(&with_texts(revision, &["no end"], -1));
        assert!(said.contains("bytes 3505-3506") && said.contains("EndText"), "{said}");
        assert!(refused(&with_texts(revision, &[], 32767)).contains("bytes 3505-3506"));
        assert!(refused(&with_texts(revision, &[], -2)).contains("say -2"));
    }
    // A file that does not say its revision; without a stanza at the end nothing is text.
    for (texts, said, read) in [
        (["a", "b"].as_slice(), 2, 2),
        (&[], 2, 0),
        (&[], -1, 0),
        (&["a", "((SEG: EndText))"], -1, 2),
    ] {
        let mut bytes = with_texts(Revision::One, texts, said);
        set(&mut bytes, binary::REVISION, 0);
        let warnings = warned(&bytes);
        let [Warning::ExtendedTexts { taken, .. }] = warnings[..] else { panic!("{warnings:?}") };
        assert_eq!(taken, read, "{texts:?} {said}");
    }
    // 40 bytes after this stanza are no traces: it is a sample.
    let spec = Spec { samples: 21, interval: 4000.0, ..Spec::default() };
    let mut writer = Writer::new(Vec::new(), spec).expect("valid");
    for _ in 0..10 {
        let header = writer.header();
        writer.trace(header, [0.0; 21]).expect("written");
    }
    let mut bytes = writer.finish().expect("whole");
    bytes[4000..4016].copy_from_slice(b"((SEG: EndText))");
    set(&mut bytes, binary::REVISION, 0);
    set(&mut bytes, binary::EXTENDED_TEXTS, -1);
    let reader = open(&bytes).expect("read");
    assert_eq!((reader.layout().extended_texts, reader.layout().traces), (0, 10));
}

#[test]
fn the_revision_is_read_as_it_is_written_in_the_wild() {
    for (raw, taken, warnings) in
        [(0x0100, 1, 0), (0x0001, 1, 1), (0, 0, 0), (0x2020, 0, 1), (0x0201, 2, 0)]
    {
        let mut bytes = file(Revision::One);
        set(&mut bytes, binary::REVISION, raw);
        let reader = open(&bytes).expect("read");
        let told = reader.warnings().len();
        assert_eq!((reader.layout().revision, told), (taken, warnings), "{raw:04x}");
    }
}

#[test]
fn the_fields_of_revision_2_are_checked() {
    let mut bytes = file(Revision::Two);
    set(&mut bytes, binary::TRACES, 1_000_000_000);
    assert!(refused(&bytes).contains("bytes 3513-3520 (traces in the file) say 1000000000"));
    let mut bytes = file(Revision::Two);
    bytes.extend([0; 2 * 3200]);
    set(&mut bytes, binary::TRAILERS, 2);
    assert_eq!(warned(&bytes), []);
    for (count, part) in [(-1, "must be counted"), (1_000_000, "no room")] {
        set(&mut bytes, binary::TRAILERS, count);
        assert!(refused(&bytes).contains(part), "{}", refused(&bytes));
    }
    for wrong in [-1, 3599, i64::MIN, i64::MAX] {
        let mut bytes = file(Revision::Two);
        set(&mut bytes, binary::FIRST_TRACE, wrong);
        let said = refused(&bytes);
        assert!(said.contains("3521-3528") || said.contains("there is none"), "{said}");
    }
    for interval in [f64::NAN, f64::INFINITY, -1.0] {
        let mut bytes = file(Revision::Two);
        bytes[3272..3280].copy_from_slice(&interval.to_be_bytes());
        assert!(refused(&bytes).contains("bytes 3273-3280"), "{}", refused(&bytes));
    }
    // With one more header a trace, 1280 bytes are two traces of 40 samples.
    let mut bytes = file(Revision::Two);
    set(&mut bytes, binary::EXTRA_HEADERS, 1);
    set(&mut bytes, binary::EXTENDED_SAMPLES, 40);
    let reader = open(&bytes).expect("read");
    assert_eq!((reader.layout().traces, reader.layout().samples), (2, 40));
    assert!(reader.warnings().iter().any(|w| matches!(w, Warning::ExtraHeaders { count: 1, .. })));
    set(&mut bytes, binary::EXTRA_HEADERS, -5);
    assert!(refused(&bytes).contains("bytes 3507-3510"));
    set(&mut bytes, binary::EXTRA_HEADERS, i64::from(i32::MAX));
    assert!(open(&bytes).is_err());
}

/// A file of revision 2 in which `extra` headers follow the standard one of each trace.
fn with_extra_headers(order: ByteOrder, extra: usize) -> Vec<u8> {
    let spec = Spec {
        revision: Revision::Two,
        order,
        samples: SAMPLES,
        interval: 4000.0,
        traces: Some(TRACES as u64),
        ..Spec::default()
    };
    let mut writer = Writer::new(Vec::new(), spec).expect("valid");
    for index in 0..TRACES {
        let header = writer.header();
        writer.trace(header, (0..SAMPLES).map(|n| (index * 100 + n) as f64)).expect("written");
    }
    let bytes = writer.finish().expect("whole");
    let mut with = bytes[..3600].to_vec();
    for trace in bytes[3600..].chunks(240 + 4 * SAMPLES) {
        with.extend(&trace[..240]);
        with.resize(with.len() + 240 * extra, 0x55);
        with.extend(&trace[240..]);
    }
    with
}

#[test]
fn the_length_decides_between_the_header_counts_of_revisions_2_0_and_2_1() {
    // Additional headers, and the numbers at 3507-3508 and 3509-3510: of 2.1 with a survey type,
    // and of 2.0 with 4 bytes for the count.
    for (minor, extra, big, little) in [
        (1, 0, [0, 3], [0, 3]),
        (1, 0, [0, 4112], [0, 4112]),
        (1, 1, [1, 3], [1, 3]),
        (1, 2, [2, 0], [2, 0]),
        (0, 1, [0, 1], [1, 0]),
        (0, 2, [0, 2], [2, 0]),
        // The minor number is often that of another revision.
        (0, 1, [1, 3], [1, 3]),
        (1, 2, [0, 2], [2, 0]),
    ] {
        for (order, numbers) in [(ByteOrder::Big, big), (ByteOrder::Little, little)] {
            let mut bytes = with_extra_headers(order, extra);
            bytes[3501] = minor;
            for (number, place) in numbers.into_iter().zip(bytes[3506..3510].chunks_mut(2)) {
                place.copy_from_slice(&match order {
                    ByteOrder::Big => i16::to_be_bytes(number),
                    ByteOrder::Little => i16::to_le_bytes(number),
                });
            }
            let warnings = warned(&bytes);
            match extra {
                0 => assert_eq!(warnings, [], "{order:?} {numbers:?}"),
                _ => assert!(
                    matches!(warnings[..], [Warning::ExtraHeaders { count, .. }] if count == extra as u64),
                    "{order:?} {numbers:?} {warnings:?}"
                ),
            }
        }
    }
}

#[test]
fn header_counts_of_which_both_or_neither_fit_are_reported() {
    let mut bytes = with_extra_headers(ByteOrder::Big, 0);
    bytes[3506..3510].fill(0x20);
    let warnings = warned(&bytes);
    let [Warning::HeaderCount { both: false, taken: 0, .. }] = warnings[..] else {
        panic!("{warnings:?}")
    };
    let said = warnings[0].to_string();
    assert!(said.contains("bytes 3507-3510") && said.contains("neither"), "{said}");
    // 1280 bytes are 4 traces, or one with 4 more headers.
    let mut bytes = with_extra_headers(ByteOrder::Big, 0);
    bytes[3512..3520].fill(0);
    bytes[3509] = 4;
    for (minor, taken) in [(1, 0), (0, 4)] {
        bytes[3501] = minor;
        let reader = open(&bytes).expect("read");
        let layout = reader.layout();
        assert_eq!(layout.header_bytes, 240 * (1 + taken));
        let both =
            |w: &Warning| matches!(w, Warning::HeaderCount { both: true, wide: 4, narrow: 0, .. });
        assert!(reader.warnings().iter().any(both), "{:?}", reader.warnings());
    }
}

#[test]
fn positions_need_a_unit_that_is_one_of_length() {
    let mut bytes = file(Revision::One);
    for index in 0..TRACES {
        set_in_trace(&mut bytes, index, trace::RECEIVER_X, 100 * index as i64);
        set_in_trace(&mut bytes, index, trace::COORDINATE_SCALAR, -10);
    }
    set(&mut bytes, binary::MEASUREMENT, 2);
    let x = |bytes: &[u8], unit| {
        let gathers = read_gathers(&mut open(bytes).expect("read"), unit);
        gathers.map(|gathers| gathers[0].receivers[3].x).map_err(|error| error.to_string())
    };
    assert!((x(&bytes, None).expect("feet") - 9.144).abs() < 1e-12);
    set(&mut bytes, binary::MEASUREMENT, 0);
    assert!(x(&bytes, None).expect_err("no unit").contains("bytes 3255-3256"));
    assert_eq!(x(&bytes, Some(LengthUnit::Metre)), Ok(30.0));
    set_in_trace(&mut bytes, 2, trace::COORDINATE_UNITS, 2);
    let said = x(&bytes, Some(LengthUnit::Metre)).expect_err("arc seconds");
    assert!(said.contains("trace 3: bytes 89-90 of the trace header"), "{said}");
}

#[test]
fn delays_and_shots_part_gathers() {
    let mut bytes = file(Revision::One);
    set_in_trace(&mut bytes, 2, trace::RECORD, 9);
    set_in_trace(&mut bytes, 3, trace::RECORD, 9);
    set_in_trace(&mut bytes, 3, trace::DELAY, 500);
    set_in_trace(&mut bytes, 3, trace::TIME_SCALAR, -10);
    let gathers = read_gathers(&mut open(&bytes).expect("read"), None).expect("gathers");
    let parts: Vec<(i64, usize, f64)> =
        gathers.iter().map(|g| (g.record, g.receivers.len(), g.start)).collect();
    assert_eq!(parts, [(0, 2, 0.0), (9, 1, 0.0), (9, 1, 0.05)]);
    assert_eq!(gathers[1].traces[[0, 1]], 201.0);
    assert_eq!(Format::ALL.len(), 13);
}

#[test]
fn what_is_not_applied_is_counted_and_what_was_applied_is_told() {
    for field in [trace::SOURCE_STATIC, trace::RECEIVER_STATIC, trace::WEIGHT, trace::LAG_B] {
        let mut bytes = file(Revision::One);
        for index in 1..TRACES {
            set_in_trace(&mut bytes, index, field, 8);
        }
        let warnings = warned(&bytes);
        let [Warning::Unapplied { value: 8, traces: Alike { first: 1, others: 2, .. }, .. }] =
            &warnings[..]
        else {
            panic!("{warnings:?}")
        };
        let said = warnings[0].to_string();
        let wanted = format!("{} of trace 2 say 8, and 2 other traces", field.place());
        assert!(said.contains(&wanted), "{wanted}: {said}");
        // A trace that is read again is counted once, and one that is left out is not.
        let kill = Kill { dead: false, traces: vec![2, 3] };
        let mut reader = open(&bytes).expect("read").without(kill);
        samples(&mut reader);
        reader.trace(3).expect("there");
        let [Warning::Unapplied { traces: Alike { first: 3, others: 0, .. }, .. }] =
            reader.warnings()
        else {
            panic!("{:?}", reader.warnings())
        };
    }
    // The total is what was applied, of the two.
    let mut bytes = file(Revision::One);
    for (index, field) in
        [(0, trace::SOURCE_STATIC), (0, trace::TOTAL_STATIC), (2, trace::TOTAL_STATIC)]
    {
        set_in_trace(&mut bytes, index, field, -5);
    }
    let warnings = warned(&bytes);
    assert!(
        matches!(
            &warnings[..],
            [Warning::Shifted { value: -5, traces: Alike { first: 0, others: 1, .. }, .. }]
        ),
        "{warnings:?}"
    );
}
