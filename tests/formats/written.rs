//! Written files are read again, in every format, byte order and revision.

use crate::{open, samples};
use huygens::{
    grid::Position,
    io::{
        model_file::{ModelFile, ReadOptions},
        segy::{
            Bins, ByteOrder, Format, IntervalUnit, LengthUnit, ModelSpec, Reader, ReaderOptions,
            Revision, SegyError, ShotSpec, Spec, SurveyFile, SurveySpec, Trace, ValueUnit, Writer,
            read_gathers, read_model, trace, write_gather, write_model,
        },
    },
    model::Placement,
};
use ndarray::{Array2, Array3};

/// Small whole numbers, which every format has.
fn value(trace: usize, sample: usize) -> f64 {
    ((trace * 37 + sample * 11) % 120) as f64
}

fn written(spec: Spec, traces: usize) -> Vec<u8> {
    let samples = spec.samples;
    let mut writer = Writer::new(Vec::new(), spec).expect("a valid file");
    for trace in 0..traces {
        let header = writer.header();
        writer.trace(header, (0..samples).map(|sample| value(trace, sample))).expect("written");
    }
    writer.finish().expect("whole")
}

#[test]
fn every_format_order_and_revision_comes_back() {
    for format in Format::ALL {
        for order in [ByteOrder::Big, ByteOrder::Little] {
            for revision in [Revision::One, Revision::Two] {
                let said = "made by a test".to_owned();
                let text = vec![said.clone()];
                let spec = Spec {
                    revision,
                    order,
                    format,
                    samples: 31,
                    interval: 2000.0,
                    text,
                    traces: Some(5),
                    ..Spec::default()
                };
                if revision == Revision::One && !format.in_revision_1() {
                    let refused = Writer::new(Vec::new(), spec).expect_err("not in revision 1");
                    assert!(matches!(refused, SegyError::FormatOfRevision2 { .. }));
                    continue;
                }
                let bytes = written(spec, 5);
                assert_eq!(bytes.len(), 3600 + 5 * (240 + 31 * format.bytes()));
                let mut reader = open(&bytes).expect("a whole file");
                assert_eq!(reader.warnings(), []);
                let layout = *reader.layout();
                assert_eq!((layout.format, layout.samples, layout.traces), (format, 31, 5));
                assert_eq!((layout.interval, layout.unit), (Some(2000.0), Some(LengthUnit::Metre)));
                assert_eq!(layout.revision, if revision == Revision::One { 1 } else { 2 });
                assert_eq!(reader.order(), order);
                assert_eq!(reader.texts()[0][0], format!("C 1 {said}"));
                assert_eq!(reader.texts()[0][39], "C40 END TEXTUAL HEADER");
                let wanted: Vec<f64> = (0..5)
                    .flat_map(|trace| (0..31).map(move |sample| value(trace, sample)))
                    .collect();
                assert_eq!(samples(&mut reader), wanted, "{format:?} {order:?} {revision:?}");
                assert_eq!(reader.trace(3).expect("there").samples[2], value(3, 2));
                assert_eq!(reader.next_trace().expect("read").expect("there").index, 4);
                assert!(reader.next_trace().expect("read").is_none());
                assert!(matches!(reader.trace(5), Err(SegyError::NoSuchTrace { .. })));
            }
        }
    }
}

#[test]
fn files_too_large_for_revision_1_are_of_revision_2() {
    let spec = |samples, interval| {
        Spec { samples, interval, traces: Some(1), ..Spec::default() }.in_earliest_revision()
    };
    assert_eq!(spec(65535, 65535.0).revision, Revision::One);
    for (samples, interval) in [(70_000, 1000.0), (10, 1234.5), (10, 100_000.0)] {
        let spec = spec(samples, interval);
        assert_eq!(spec.revision, Revision::Two);
        let bytes = written(spec, 1);
        let reader = open(&bytes).expect("a whole file");
        assert_eq!((reader.layout().samples, reader.layout().interval), (samples, Some(interval)));
        assert_eq!(reader.warnings(), []);
    }
    for (samples, interval) in [(0, 1000.0), (10, 0.0), (10, f64::NAN), (10, -1.0)] {
        let spec = Spec { samples, interval, ..Spec::default() };
        assert!(Writer::new(Vec::new(), spec).is_err());
    }
}

#[test]
fn a_file_has_the_samples_and_the_traces_that_it_says() {
    let spec = Spec { samples: 3, interval: 1000.0, traces: Some(2), ..Spec::default() };
    let mut writer = Writer::new(Vec::new(), spec.clone()).expect("valid");
    let header = writer.header();
    let refused = writer.trace(header.clone(), [1.0, 2.0]).expect_err("too short");
    assert!(matches!(refused, SegyError::TraceLength { samples: 2, wanted: 3, .. }));
    writer.trace(header, [1.0, 2.0, 3.0]).expect("written");
    assert!(matches!(writer.finish(), Err(SegyError::TraceCount { said: 2, found: 1, .. })));
    let spec = Spec { format: Format::Ibm, ..spec };
    let mut writer = Writer::new(Vec::new(), spec).expect("valid");
    let header = writer.header();
    let refused = writer.trace(header, [1.0, f64::NAN, 3.0]).expect_err("IBM has no NaN");
    assert!(refused.to_string().starts_with("sample 2 of trace 1 is NaN"), "{refused}");
}

fn model() -> Array3<f32> {
    Array3::from_shape_fn((3, 4, 9), |(y, x, z)| 1500.0 + (100 * y + 10 * x + z) as f32)
}

#[test]
fn a_model_comes_back_with_its_spacing() {
    for (format, order, unit) in [
        (Format::F32, ByteOrder::Big, LengthUnit::Metre),
        (Format::Ibm, ByteOrder::Little, LengthUnit::Foot),
    ] {
        let spacing = (12.5, 24.384);
        let text = vec!["velocity in m/s; a sample interval of 10000 stands for 10 m".into()];
        let (interval, revision) = (10_000.0, Revision::One);
        let spec = ModelSpec {
            text,
            spacing,
            interval,
            revision,
            format,
            order,
            unit,
            placement: Placement::default(),
        };
        let bytes = write_model(Vec::new(), model().view(), spec).expect("written");
        let mut reader = open(&bytes).expect("a whole file");
        let read = read_model(&mut reader, None).expect("a model");
        assert_eq!(reader.warnings(), []);
        assert_eq!((read.values, read.interval), (model(), Some(10_000.0)));
        let (hx, hy) = read.spacing.expect("even");
        assert!((hx - 12.5).abs() < 1e-4 && (hy - 24.384).abs() < 1e-4, "{hx} {hy}");
    }
}

/// The sample interval has 16 bits in the headers that every program reads, and is 80 m here.
#[test]
fn a_coarse_model_has_its_spacing_in_the_fields_of_revision_1() {
    for (metres, revision, count) in [(80.0, 1, 8000), (80.001, 2, 8000), (700.0, 1, 700)] {
        let (unit, interval) = IntervalUnit::of(metres);
        let spec = ModelSpec {
            text: vec![unit.line()],
            spacing: (25.0, 25.0),
            interval,
            revision: Revision::One,
            format: Format::F32,
            order: ByteOrder::Big,
            unit: LengthUnit::Metre,
            placement: Placement::default(),
        };
        let bytes = write_model(Vec::new(), model().view(), spec).expect("written");
        assert_eq!(bytes[3216..3218], u16::to_be_bytes(count), "{metres}");
        assert_eq!(bytes[3716..3718], u16::to_be_bytes(count), "{metres}");
        let folder = tempfile::tempdir().expect("a temporary folder");
        let path = folder.path().join("deep.sgy");
        std::fs::write(&path, bytes).expect("written");
        let reader = Reader::open(&path, ReaderOptions::default()).expect("a file");
        assert_eq!((reader.layout().revision, reader.warnings()), (revision, [].as_slice()));
        let file = ModelFile::open(&path, ReadOptions::default()).expect("a model");
        let order = file.order(None).expect("named");
        assert_eq!(file.spacing(&order).expect("stated").z, metres);
    }
}

/// Each shot is written by itself, as the tasks of a survey do.
#[test]
fn the_shots_of_a_survey_share_scalars_and_go_on_counting() {
    let at = |x: f64| Position { x, y: 0.0, z: 10.0 };
    let shot = |record: i64, source: f64, receivers: &[f64]| ShotSpec {
        record,
        source: at(source),
        receivers: receivers.iter().map(|x| at(*x)).collect(),
    };
    let survey = SurveyFile::segy(SurveySpec {
        text: Vec::new(),
        shots: vec![shot(1, 100.0, &[50.0, 150.0]), shot(2, 212.5, &[12.25, 212.5, 412.75])],
        samples: 3,
        interval: 0.002,
        format: Format::F32,
        order: ByteOrder::Big,
        unit: LengthUnit::Metre,
        bins: Some(Bins { width: (12.5, 0.0), along_x: 100, placement: Placement::default() }),
        values: ValueUnit::Pascal,
    })
    .expect("a survey");
    let mut bytes = survey.headers().expect("headers");
    for (shot, receivers) in [(0, 2), (1, 3)] {
        let traces = Array2::zeros((receivers, 3));
        bytes.extend(survey.shot(shot, traces.view()).expect("traces"));
    }
    let mut reader = open(&bytes).expect("a whole file");
    let (mut numbers, mut offsets, mut middles) = (Vec::new(), Vec::new(), Vec::new());
    while let Some(Trace { header, .. }) = reader.next_trace().expect("a whole trace") {
        assert_eq!(header.get(trace::COORDINATE_SCALAR), -1000);
        assert_eq!(header.get(trace::VALUE_UNIT), 1, "pascals");
        assert_eq!(header.get(trace::IN_LINE), header.get(trace::IN_FILE));
        numbers.push([trace::IN_FILE, trace::RECORD, trace::IN_RECORD].map(|f| header.get(f)));
        offsets.push(header.get(trace::OFFSET));
        middles.push((header.get(trace::ENSEMBLE), header.get(trace::CDP_X)));
    }
    assert_eq!(numbers, [[1, 1, 1], [2, 1, 2], [3, 2, 1], [4, 2, 2], [5, 2, 3]]);
    assert_eq!(offsets, [-50, 50, -200, 0, 200]);
    assert_eq!(middles, [(7, 75000), (11, 125000), (10, 112375), (18, 212500), (26, 312625)]);
}

#[test]
fn a_gather_comes_back_with_its_positions() {
    let receivers: Vec<Position> =
        (0..6).map(|n| Position { x: 24.384 * f64::from(n), y: 5.0, z: 12.5 }).collect();
    let traces = Array2::from_shape_fn((6, 17), |(r, t)| (r as f32 - 2.5) * (t as f32 * 0.7).sin());
    for (interval, order) in [(0.002, ByteOrder::Big), (0.001_234_5, ByteOrder::Little)] {
        let source = Position { x: 100.25, y: -3.0, z: 20.0 };
        let spec = SurveySpec {
            text: vec!["pressure".into()],
            shots: vec![ShotSpec { record: 7, source, receivers: receivers.clone().into() }],
            samples: 17,
            interval,
            format: Format::F32,
            order,
            unit: LengthUnit::Metre,
            bins: None,
            values: ValueUnit::Unknown,
        };
        let bytes = write_gather(Vec::new(), traces.view(), spec).expect("written");
        let mut reader = open(&bytes).expect("a whole file");
        let read = read_gathers(&mut reader, None).expect("gathers").remove(0);
        assert_eq!(reader.warnings(), []);
        assert_eq!((read.record, read.source, read.start), (7, source, 0.0));
        assert_eq!((read.receivers, read.traces), (receivers.clone(), traces.clone()));
        assert!((read.interval - interval).abs() < 1e-15, "{}", read.interval);
    }
}

/// A file of 10^9 traces would not fit into memory: what is read of it is one trace.
#[test]
fn a_file_larger_than_memory_is_read_by_the_trace() {
    struct Endless {
        head: Vec<u8>,
        length: u64,
        at: u64,
    }
    impl std::io::Read for Endless {
        fn read(&mut self, bytes: &mut [u8]) -> std::io::Result<usize> {
            let n = bytes.len().min((self.length - self.at) as usize);
            let (start, trace) = (3600, self.head.len() as u64 - 3600);
            for byte in &mut bytes[..n] {
                let at = if self.at < start { self.at } else { start + (self.at - start) % trace };
                *byte = self.head[at as usize];
                self.at += 1;
            }
            Ok(n)
        }
    }
    impl std::io::Seek for Endless {
        fn seek(&mut self, to: std::io::SeekFrom) -> std::io::Result<u64> {
            self.at = match to {
                std::io::SeekFrom::Start(at) => at,
                std::io::SeekFrom::End(by) => self.length.saturating_add_signed(by),
                std::io::SeekFrom::Current(by) => self.at.saturating_add_signed(by),
            };
            Ok(self.at)
        }
    }
    let head = written(Spec { samples: 500, interval: 1000.0, ..Spec::default() }, 1);
    let traces = 1_000_000_000;
    let length = 3600 + traces * (240 + 2000);
    let mut reader =
        Reader::new(Endless { head, length, at: 0 }, ReaderOptions::default()).expect("2.2 TB");
    assert_eq!(reader.layout().traces, traces);
    let last = reader.trace(traces - 1).expect("there");
    assert_eq!((last.index, last.samples[499]), (traces - 1, value(0, 499)));
    assert!(reader.next_trace().expect("read").is_none());
}
