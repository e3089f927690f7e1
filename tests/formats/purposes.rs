//! What traces are read for says which of them belong together.

use huygens::{
    grid::Position,
    io::{
        gather_file::{self, GatherFile, Given, Kill, Purpose},
        segy::{Field, Spec, TRACE, Writer, trace},
    },
};
use tempfile::NamedTempFile;

type Numbers = Vec<(Field<TRACE>, i64)>;

/// A file of traces with these numbers in their headers; all samples of a trace are its index.
fn file(traces: &[Numbers]) -> NamedTempFile {
    let mut bytes = Vec::new();
    let spec = Spec { samples: 5, interval: 4000.0, ..Spec::default() };
    let mut writer = Writer::new(&mut bytes, spec).expect("valid");
    for (index, numbers) in traces.iter().enumerate() {
        let mut header = writer.header();
        numbers.iter().for_each(|(field, value)| header.set(*field, *value).expect("it fits"));
        writer.trace(header, [index as f64; 5]).expect("written");
    }
    writer.finish().expect("whole");
    let file = tempfile::Builder::new().suffix(".sgy").tempfile().expect("a temporary file");
    std::fs::write(file.path(), bytes).expect("written");
    file
}

fn read(file: &NamedTempFile, purpose: Purpose, kill: &[u64]) -> GatherFile {
    let kill = Kill { dead: false, traces: kill.to_vec() };
    let given = Given { purpose, kill, ..Given::default() };
    let read = gather_file::read(file.path(), &given).expect("gathers");
    // Headers alone say the same.
    let headers = gather_file::read_headers(file.path(), &given).expect("headers");
    assert_eq!((&headers.warnings, &headers.origins), (&read.warnings, &read.origins));
    for (alone, whole) in headers.gathers.iter().zip(&read.gathers) {
        assert_eq!((&alone.receivers, alone.source), (&whole.receivers, whole.source));
        assert_eq!(alone.traces.dim(), (whole.traces.nrows(), 0));
    }
    assert_eq!(headers.gathers.len(), read.gathers.len());
    read
}

fn told(read: &GatherFile, part: &str) -> bool {
    read.warnings.iter().any(|warning| warning.contains(part))
}

#[test]
fn a_section_lies_at_its_ensembles_if_it_has_no_other_position() {
    let at = |n: i64| vec![(trace::CDP_X, 100 * n), (trace::CDP_Y, 7), (trace::RECORD, 1)];
    let mut traces: Vec<Numbers> = (0..4).map(at).collect();
    // One that is left out means nothing.
    traces[1].push((trace::RECEIVER_X, 5));
    let section = file(&traces);
    let taken = read(&section, Purpose::Section, &[2]);
    assert!(told(&taken, "bytes 181-188"), "{:?}", taken.warnings);
    assert_eq!((taken.count, taken.gathers.len()), (4, 3));
    for (gather, n) in taken.gathers.iter().zip([0, 2, 3]) {
        let place = Position { x: 100.0 * f64::from(n), y: 7.0, z: 0.0 };
        assert_eq!((gather.source, gather.receivers[0]), (place, place));
        assert_eq!(gather.traces[[0, 0]], n as f32);
    }
    // A recording does not lie there, and a receiver says where it is.
    let shot = read(&section, Purpose::Recordings, &[2]);
    assert!(!told(&shot, "bytes 181-188") && shot.gathers.len() == 1);
    assert!(shot.gathers[0].receivers.iter().all(|at| *at == Position::default()));
    let placed = read(&section, Purpose::Section, &[]);
    assert!(!told(&placed, "bytes 181-188"));
    assert_eq!(placed.gathers[1].receivers[0].x, 5.0);
}

#[test]
fn a_recording_whose_traces_have_each_their_own_source_is_one_by_its_number() {
    let at = |n: i64| {
        let x = 10 * n;
        vec![(trace::RECORD, 3 + n % 2), (trace::SOURCE_X, x), (trace::RECEIVER_X, x)]
    };
    let passive = file(&(0..6).map(at).collect::<Vec<_>>());
    let one = read(&passive, Purpose::Recordings, &[3]);
    assert!(told(&one, "bytes 9-12") && told(&one, "one recording"), "{:?}", one.warnings);
    let found: Vec<_> = one.gathers.iter().map(|of| (of.record, of.receivers.len())).collect();
    assert_eq!(found, [(3, 2), (4, 3)]);
    let x: Vec<f64> = one.gathers[0].receivers.iter().map(|at| at.x).collect();
    assert_eq!((x, one.gathers[0].traces[[1, 4]]), (vec![0.0, 40.0], 4.0));
    assert_eq!((&one.origins[0].numbers, one.origins[0].of), (&vec![1, 5], 3));
    // As shots each has its source, which is told, and so has a section.
    for purpose in [Purpose::Shots, Purpose::Geometry, Purpose::Section] {
        let each = read(&passive, purpose, &[]);
        assert_eq!(each.gathers.len(), 6, "{purpose:?}");
        assert_eq!(each.gathers[5].source.x, 50.0);
        let is_told =
            told(&each, "the traces of each are a shot here") && told(&each, "bytes 9-12");
        assert_eq!(is_told, purpose != Purpose::Section, "{:?}", each.warnings);
    }
    // A station may be there twice, with other samples.
    let mut doubled: Vec<Numbers> = (0..6).map(at).collect();
    doubled.insert(3, at(2));
    let doubled = file(&doubled);
    assert!(told(&read(&doubled, Purpose::Shots, &[]), "trace 4 lies where another"));
    let doubled = read(&doubled, Purpose::Recordings, &[]);
    let found: Vec<_> = doubled.gathers.iter().map(|of| of.receivers.len()).collect();
    assert_eq!(found, [4, 3], "{:?}", doubled.warnings);
    assert!(told(&doubled, "one recording") && told(&doubled, "trace 4 lies where another"));
    // Two traces of one source are a gather of it.
    let mut shots: Vec<Numbers> = (0..6).map(at).collect();
    shots[2][1].1 = 0;
    let shots = read(&file(&shots), Purpose::Recordings, &[]);
    assert!(!told(&shots, "one recording") && shots.gathers.len() == 5);
}

#[test]
fn a_record_that_is_there_under_another_number_is_told() {
    // All samples of a trace are its index: those of the second record are as the first's.
    let of = |number: i64, x: i64| vec![(trace::RECORD, number), (trace::RECEIVER_X, x)];
    let all: Vec<Numbers> = [1, 7, 8].into_iter().flat_map(|n| [of(n, 0), of(n, 10)]).collect();
    let (written, stride) = (file(&all), 240 + 4 * 5);
    let mut bytes = std::fs::read(written.path()).expect("there");
    assert!(!told(&read(&written, Purpose::Shots, &[]), "places and the samples"));
    for trace in [0, 1] {
        let from = 3600 + trace * stride + 240;
        bytes.copy_within(from..from + 4 * 5, from + 2 * stride);
    }
    std::fs::write(written.path(), bytes).expect("written");
    let again = read(&written, Purpose::Shots, &[]);
    assert!(told(&again, "record 7 (bytes 9-12"), "{:?}", again.warnings);
    assert!(told(&again, "has the places and the samples of record 1: it is read again"));
    assert!(told(&read(&written, Purpose::Recordings, &[]), "places and the samples"));
    // One of both that is chosen is alone.
    let given = Given { records: Some(vec![7, 8]), ..Given::default() };
    let chosen = gather_file::read(written.path(), &given).expect("gathers");
    assert!(!told(&chosen, "places and the samples"), "{:?}", chosen.warnings);
}
