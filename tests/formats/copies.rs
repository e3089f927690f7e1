//! Copies of traces to other formats, byte orders and kinds of files.

use crate::{open, samples};
use huygens::{
    grid::Position,
    io::segy::{
        Bins, ByteOrder, CopySpec, Field, Format, LengthUnit, Reader, ReaderOptions, Revision,
        SegyError, ShotSpec, Spec, SurveyFile, SurveySpec, TRACE, TraceHeader, ValueUnit, Writer,
        copy, copy_su, read_gathers, trace,
    },
    model::Placement,
};
use ndarray::Array2;
use std::io::Cursor;

const SAMPLES: usize = 300;

/// Two shots of different receivers, in whole numbers, which every format has; `traces` of each
/// are several blocks.
fn survey(traces: usize) -> Vec<u8> {
    let at = |x: f64| Position { x, y: 25.5, z: 10.0 };
    let shot = |record: i64| ShotSpec {
        record,
        source: at(100.0 * record as f64),
        receivers: (0..traces).map(|n| at(12.25 * (n % 100) as f64)).collect(),
    };
    let survey = SurveyFile::segy(SurveySpec {
        text: vec!["a survey".into()],
        shots: vec![shot(3), shot(4)],
        samples: SAMPLES,
        interval: 0.002,
        format: Format::F32,
        order: ByteOrder::Big,
        unit: LengthUnit::Metre,
        bins: Some(Bins { width: (12.5, 0.0), along_x: 100, placement: Placement::default() }),
        values: ValueUnit::Pascal,
    })
    .expect("a survey");
    let mut bytes = survey.headers().expect("headers");
    for shot in 0..2 {
        let traces = Array2::from_shape_fn((traces, SAMPLES), |(r, t)| ((r + 7 * t) % 120) as f32);
        bytes.extend(survey.shot(shot, traces.view()).expect("traces"));
    }
    bytes
}

fn copied(bytes: &[u8], format: Format, order: ByteOrder) -> Vec<u8> {
    let spec = CopySpec { format: Some(format), order: Some(order), ..CopySpec::default() };
    copy(&mut open(bytes).expect("whole"), Vec::new(), spec).expect("copied")
}

#[test]
fn a_copy_of_a_copy_in_the_first_format_has_the_same_bytes() {
    let bytes = survey(5000);
    assert!(bytes.len() > 2 * (4 << 20), "several blocks");
    let same = copy(&mut open(&bytes).expect("whole"), Vec::new(), CopySpec::default());
    assert!(same.expect("copied") == bytes);
    let bytes = survey(4);
    for order in [ByteOrder::Big, ByteOrder::Little] {
        for format in Format::ALL {
            let there = copied(&bytes, format, order);
            let mut reader = open(&there).expect("whole");
            assert_eq!((reader.layout().format, reader.order()), (format, order));
            assert_eq!(reader.warnings(), []);
            assert_eq!(samples(&mut reader), samples(&mut open(&bytes).expect("whole")));
            let back = copied(&there, Format::F32, ByteOrder::Big);
            assert!(back == bytes, "{format:?} {order:?}");
        }
    }
}

#[test]
fn gathers_are_the_same_in_seismic_unix_and_back() {
    let bytes = survey(5);
    let gathers =
        |reader: &mut Reader<Cursor<&[u8]>>| read_gathers(reader, Some(LengthUnit::Metre));
    let wanted = gathers(&mut open(&bytes).expect("whole")).expect("gathers");
    for order in [ByteOrder::Big, ByteOrder::Little] {
        let spec = CopySpec {
            order: Some(order),
            text: vec!["from Seismic Unix".into()],
            ..CopySpec::default()
        };
        let su = copy_su(&mut open(&bytes).expect("whole"), Vec::new(), spec.clone());
        let su = su.expect("copied");
        assert_eq!(su.len(), bytes.len() - 3600);
        let mut reader =
            Reader::new(Cursor::new(su.as_slice()), ReaderOptions::su()).expect("whole");
        assert_eq!((reader.order(), reader.layout().interval), (order, Some(2000.0)));
        assert_eq!(gathers(&mut reader).expect("gathers"), wanted);
        let refused = copy(&mut reader, Vec::new(), spec.clone()).expect_err("no unit");
        assert!(matches!(refused, SegyError::SuUnit));
        let mut reader =
            Reader::new(Cursor::new(su.as_slice()), ReaderOptions::su()).expect("whole");
        let spec = CopySpec { unit: Some(LengthUnit::Metre), ..spec };
        let back = copy(&mut reader, Vec::new(), spec).expect("copied");
        let mut reader = open(&back).expect("whole");
        assert_eq!(reader.texts()[0][0], "C 1 from Seismic Unix");
        assert_eq!(gathers(&mut reader).expect("gathers"), wanted);
        let numbers = |reader: &mut Reader<Cursor<&[u8]>>| {
            let last = reader.trace(7).expect("a trace").header;
            [trace::IN_FILE, trace::RECORD, trace::OFFSET, trace::ENSEMBLE].map(|f| last.get(f))
        };
        assert_eq!(numbers(&mut reader), numbers(&mut open(&bytes).expect("whole")));
    }
}

/// A file of one trace, with these numbers in its header.
fn one(revision: Revision, numbers: &[(Field<TRACE>, i64)]) -> Vec<u8> {
    let spec = Spec { revision, samples: 2, interval: 2000.0, ..Spec::default() };
    let mut writer = Writer::new(Vec::new(), spec).expect("valid");
    let mut header = writer.header();
    for (field, number) in numbers {
        header.set(*field, *number).expect("it fits");
    }
    writer.trace(header, [1.0, -2.5]).expect("written");
    writer.finish().expect("whole")
}

#[test]
fn seismic_unix_has_no_scalar_of_times_and_no_lines() {
    let bytes = one(
        Revision::One,
        &[(trace::DELAY, -1234), (trace::TIME_SCALAR, -10), (trace::INLINE, 7), (trace::CDP_X, 9)],
    );
    let su = copy_su(&mut open(&bytes).expect("whole"), Vec::new(), CopySpec::default());
    let su = su.expect("copied");
    let header = TraceHeader::from_bytes(*su.first_chunk().expect("240 bytes"), ByteOrder::Big);
    assert_eq!(header.get(trace::DELAY), -123, "milliseconds");
    assert!(header.bytes()[180..].iter().all(|byte| *byte == 0));
}

#[test]
fn samples_and_traces_that_do_not_fit_are_refused() {
    let bytes = one(Revision::One, &[]);
    let spec = CopySpec { format: Some(Format::U8), ..CopySpec::default() };
    let refused = copy(&mut open(&bytes).expect("whole"), Vec::new(), spec).expect_err("-2.5");
    assert!(matches!(refused, SegyError::Sample { sample: 1, .. }), "{refused}");
    let spec =
        Spec { revision: Revision::Two, samples: 70_000, interval: 2000.0, ..Spec::default() };
    let mut writer = Writer::new(Vec::new(), spec).expect("valid");
    let header = writer.header();
    writer.trace(header, vec![0.0; 70_000]).expect("written");
    let bytes = writer.finish().expect("whole");
    let mut reader = open(&bytes).expect("whole");
    let refused = copy_su(&mut reader, Vec::new(), CopySpec::default()).expect_err("too long");
    assert!(matches!(refused, SegyError::Su { .. }), "{refused}");
}

#[test]
fn extended_textual_headers_are_copied() {
    let mut bytes = one(Revision::One, &[]);
    bytes[3504..3506].copy_from_slice(&[0xff; 2]);
    let traces = bytes.split_off(3600);
    for text in ["((a: b))", "((SEG: EndText))"] {
        bytes.extend(format!("{text:<3200}").as_bytes());
    }
    bytes.extend(traces);
    for revision in [Revision::One, Revision::Two] {
        let spec = CopySpec { revision, ..CopySpec::default() };
        let there = copy(&mut open(&bytes).expect("whole"), Vec::new(), spec).expect("copied");
        let reader = open(&there).expect("whole");
        assert_eq!((reader.warnings(), reader.layout().extended_texts), ([].as_slice(), 2));
        assert_eq!(reader.texts()[1][0], "((a: b))");
        assert_eq!(there[..3200], bytes[..3200]);
    }
}
