//! Where the columns of a model lie: by line numbers and positions, at the bytes of the standard, of
//! revision 0, or of the user; and the depth of their first sample.

use huygens::io::segy::{
    Field, FieldBytes, Kind, Model, Overrides, ReadAs, Reader, ReaderOptions, SegyError, Spec,
    TRACE, Writer, binary, read_gathers, read_model, trace,
};
use std::io::Cursor;

const SAMPLES: usize = 4;
const LINES: (i64, i64) = (3, 5);

type Numbers = Vec<(Field<TRACE>, i64)>;

/// A volume of 3 lines of 5 columns, each with its number in all samples.
fn volume(numbers: impl Fn(i64, i64) -> Numbers) -> Vec<u8> {
    let places = (0..LINES.0).flat_map(|y| (0..LINES.1).map(move |x| (y, x)));
    traces(&places.map(|(y, x)| numbers(y, x)).collect::<Vec<_>>())
}

fn traces(all: &[Numbers]) -> Vec<u8> {
    let spec = Spec { samples: SAMPLES, interval: 10_000.0, ..Spec::default() };
    let mut writer = Writer::new(Vec::new(), spec).expect("valid");
    for (index, numbers) in all.iter().enumerate() {
        let mut header = writer.header();
        numbers.iter().for_each(|(field, value)| header.set(*field, *value).expect("it fits"));
        writer.trace(header, [index as f64; SAMPLES]).expect("written");
    }
    writer.finish().expect("whole")
}

/// The model of a file, and what is told of it.
fn with(bytes: &[u8], overrides: Overrides) -> Result<(Model, Vec<String>), SegyError> {
    let mut reader =
        Reader::new(Cursor::new(bytes), ReaderOptions { overrides, ..ReaderOptions::default() })?;
    let model = read_model(&mut reader, None)?;
    let told = reader.warnings().iter().filter(|of| !of.is_of_gathers()).map(ToString::to_string);
    Ok((model, told.collect()))
}

fn read(bytes: &[u8]) -> (Model, Vec<String>) {
    with(bytes, Overrides::default()).expect("a model")
}

fn is_the_volume(model: &Model) {
    assert_eq!(model.values.dim(), (3, 5, SAMPLES));
    for ((y, x, _), value) in model.values.indexed_iter() {
        assert_eq!(*value, (5 * y + x) as f32, "{y}, {x}");
    }
}

#[test]
fn a_volume_of_revision_0_is_recognised() {
    let numbers = |y, x| vec![(trace::RECORD, 100 + y), (trace::ENSEMBLE, 200 + x)];
    let sources = |y: i64, x: i64| vec![(trace::SOURCE_X, 25 * x), (trace::SOURCE_Y, 12 * y)];
    let receivers = |y: i64, x: i64| vec![(trace::RECEIVER_X, 25 * x), (trace::RECEIVER_Y, 12 * y)];
    let turned = |y: i64, x: i64| {
        vec![(trace::SOURCE_X, 30 * x - 40 * y), (trace::SOURCE_Y, 40 * x + 30 * y)]
    };
    let both = |y, x| [numbers(y, x), receivers(y, x)].concat();
    type Put<'a> = &'a dyn Fn(i64, i64) -> Numbers;
    for (put, spacing, said) in [
        (&numbers as Put<'_>, None, ["bytes 9-12", "bytes 21-24"]),
        (&both, Some((25.0, 12.0)), ["bytes 9-12", "bytes 21-24"]),
        (&sources, Some((25.0, 12.0)), ["bytes 73-76", "bytes 77-80"]),
        (&receivers, Some((25.0, 12.0)), ["bytes 81-84", "bytes 85-88"]),
        (&turned, Some((50.0, 50.0)), ["bytes 73-76", "bytes 77-80"]),
    ] {
        let (model, told) = read(&volume(put));
        is_the_volume(&model);
        assert_eq!(model.spacing, spacing, "{said:?}");
        let [told] = told.as_slice() else { panic!("{told:?}") };
        for part in ["3 lines of 5", "bytes 181-196"].iter().chain(&said) {
            assert!(told.contains(part), "{part}: {told}");
        }
    }
}

/// A line has its numbers and its positions in one of them.
#[test]
fn a_plane_of_revision_0_stays_one() {
    for put in [
        |n: i64| vec![(trace::RECORD, 1), (trace::ENSEMBLE, n), (trace::SOURCE_X, 25 * n)],
        |n: i64| vec![(trace::RECORD, n), (trace::ENSEMBLE, n), (trace::RECEIVER_X, 25 * n)],
        |_| Vec::new(),
    ] {
        let (model, told) = read(&traces(&(1..=15).map(put).collect::<Vec<_>>()));
        assert_eq!((model.values.dim(), model.spacing), ((1, 15, SAMPLES), None));
        assert_eq!(told, Vec::<String>::new());
    }
}

/// Places along a line, out of order.
const SHUFFLED: [i64; 5] = [3, 0, 4, 1, 2];

#[test]
fn a_plane_of_revision_0_out_of_order_is_sorted_along_its_line() {
    type Put = fn(i64) -> Numbers;
    let puts: [(Put, &str); 4] = [
        (|n| vec![(trace::SOURCE_X, 10 + 25 * n)], "bytes 73-76"),
        (|n| vec![(trace::SOURCE_X, 4 * n), (trace::SOURCE_Y, 30 * n)], "bytes 77-80"),
        (|n| vec![(trace::RECEIVER_X, 20 * n * n), (trace::ENSEMBLE, 7 - n)], "bytes 81-84"),
        (|n| vec![(trace::ENSEMBLE, 100 + n)], "bytes 21-24"),
    ];
    for (put, by) in puts {
        let (model, told) = read(&traces(&SHUFFLED.map(put)));
        // Each column has the number of its trace in all samples.
        let columns: Vec<_> = (0..5).map(|x| model.values[[0, x, 0]]).collect();
        assert_eq!(columns, [1.0, 3.0, 4.0, 0.0, 2.0], "{by}");
        let [told] = told.as_slice() else { panic!("{told:?}") };
        assert!(told.contains("out of order") && told.contains(by), "{told}");
        // In order, from either end, nothing is moved and nothing is told.
        for order in [[0, 1, 2, 3, 4], [4, 3, 2, 1, 0]] {
            let (model, told) = read(&traces(&order.map(put)));
            let columns: Vec<_> = (0..5).map(|x| model.values[[0, x, 0]]).collect();
            assert_eq!((columns, told.len()), (vec![0.0, 1.0, 2.0, 3.0, 4.0], 0));
        }
        // Two in one place cannot be sorted.
        let mut twice = SHUFFLED;
        twice[4] = 3;
        let said = with(&traces(&twice.map(put)), Overrides::default());
        let said = said.expect_err("two in one place").to_string();
        for part in ["traces 1 and 5", by, "at which bytes"] {
            assert!(said.contains(part), "{part}: {said}");
        }
    }
}

#[test]
fn numbers_are_read_at_the_bytes_that_are_named() {
    let at = |first| Field::new("elsewhere", first, Kind::I32);
    let (lines, x, y) = ([at(197), at(217)], at(233), at(225));
    // The standard's bytes hold something else.
    let bytes = volume(|row, column| {
        vec![
            (trace::INLINE, 7),
            (trace::CDP_X, 1_000_000 + column * column),
            (lines[0], 1 + row),
            (lines[1], 1 + column),
            (x, 25 * column),
            (y, 12 * row),
        ]
    });
    let fields = FieldBytes {
        iline: Some(197),
        cdp_x: Some(233),
        cdp_y: Some(225),
        ..FieldBytes::default()
    };
    let overrides = Overrides { fields, ..Overrides::default() };
    let (model, _) = with(&bytes, overrides).expect("by its positions");
    is_the_volume(&model);
    assert_eq!(model.spacing, Some((25.0, 12.0)));
    let refused = with(&bytes, Overrides::default()).expect_err("no grid").to_string();
    assert!(refused.contains("bytes 189-192") && refused.contains("at which bytes"), "{refused}");
    let only = FieldBytes { iline: Some(197), ..FieldBytes::default() };
    let refused = with(&bytes, Overrides { fields: only, ..Overrides::default() });
    let refused = refused.expect_err("no crosslines").to_string();
    assert!(refused.contains("3 inline numbers (bytes 197-200"), "{refused}");

    let check = |fields: FieldBytes, read_as| fields.check(read_as).map_err(|e| e.to_string());
    assert_eq!(check(fields, ReadAs { is_model: true, is_su: false }), Ok(()));
    let said = check(fields, ReadAs { is_model: false, is_su: false }).expect_err("of a model");
    assert!(said.contains("iline is 197") && said.contains("source_x"), "{said}");
    let outside = FieldBytes { xline: Some(238), ..FieldBytes::default() };
    let said = check(outside, ReadAs { is_model: true, is_su: false }).expect_err("outside");
    assert!(said.contains("xline is 238") && said.contains("1 to 237"), "{said}");
}

#[test]
fn a_field_of_two_bytes_is_read_as_one() {
    let bytes =
        volume(|y, x| vec![(Field::new("a", 179, Kind::I16), y + 1), (trace::CROSSLINE, x + 1)]);
    let fields = FieldBytes { iline: Some(179), ..FieldBytes::default() };
    let (model, _) = with(&bytes, Overrides { fields, ..Overrides::default() }).expect("lines");
    is_the_volume(&model);
}

#[test]
fn gathers_are_read_at_the_bytes_that_are_named() {
    let bytes = traces(
        &(0..4)
            .map(|n| vec![(trace::SOURCE_POINT, 1 + n / 2), (trace::CDP_X, 10 * n)])
            .collect::<Vec<_>>(),
    );
    let fields = FieldBytes { field_record: Some(17), group_x: Some(181), ..FieldBytes::default() };
    let overrides = Overrides { fields, ..Overrides::default() };
    let mut reader =
        Reader::new(Cursor::new(&bytes), ReaderOptions { overrides, ..ReaderOptions::default() })
            .expect("a file");
    let gathers = read_gathers(&mut reader, None).expect("gathers");
    let found: Vec<_> = gathers.iter().map(|of| (of.record, of.receivers[1].x)).collect();
    assert_eq!(found, [(1, 10.0), (2, 30.0)]);
}

#[test]
fn samples_are_of_the_format_that_is_named() {
    let mut bytes = volume(|y, x| vec![(trace::INLINE, y + 1), (trace::CROSSLINE, x + 1)]);
    let at = binary::FORMAT.place().to_string();
    for code in [1u8, 0] {
        bytes[3225] = code;
        let five = Overrides { format: Some(5), ..Overrides::default() };
        let (model, told) = with(&bytes, five).expect("IEEE floats");
        is_the_volume(&model);
        let said = format!("{at} say {code}; samples of format 5 are taken");
        assert!(told.iter().any(|told| told.contains(&said)), "{told:?}");
    }
    let four = Overrides { format: Some(4), ..Overrides::default() };
    let said = with(&bytes, four).expect_err("obsolete").to_string();
    assert!(said.contains("format is 4") && said.contains("5 (IEEE floats)"), "{said}");
}

#[test]
fn the_depth_of_the_first_sample_is_kept() {
    let numbers = |y: i64, x: i64, delay: i64| {
        vec![
            (trace::INLINE, y + 1),
            (trace::CROSSLINE, x + 1),
            (trace::CDP_X, 25 * x),
            (trace::CDP_Y, 12 * y),
            (trace::DATUM_ELEVATION, 30),
            (trace::DELAY, delay),
        ]
    };
    let (model, told) = read(&volume(|y, x| numbers(y, x, 100)));
    assert_eq!((model.top, model.placement.expect("even").origin.z), (70.0, 70.0));
    assert!(told[0].contains("bytes 109-110") && told[0].contains("100.0 m deeper"), "{told:?}");
    let (model, told) = read(&volume(|y, x| numbers(y, x, 0)));
    assert_eq!((model.top, told), (-30.0, Vec::new()));
    let uneven = volume(|y, x| numbers(y, x, if (y, x) == (1, 2) { 90 } else { 100 }));
    let said = with(&uneven, Overrides::default()).expect_err("two depths").to_string();
    assert!(said.contains("trace 8") && said.contains("say 90") && said.contains("100"), "{said}");
}

#[test]
fn an_empty_or_a_double_place_is_named() {
    let numbers = |y: i64, x: i64| vec![(trace::INLINE, 100 + y), (trace::CROSSLINE, 200 + x)];
    let all: Vec<_> = (0..15).map(|n| numbers(n / 5, n % 5)).collect();
    let refused = |all: &[Numbers]| {
        with(&traces(all), Overrides::default()).expect_err("no grid").to_string()
    };
    let said = refused(&[&all[..9], &all[10..]].concat());
    assert!(
        said.contains("1 of 15 places") && said.contains("inline 101 and crossline 204"),
        "{said}"
    );
    let said = refused(&[&all[..], &all[7..8]].concat());
    assert!(said.contains("traces 8 and 16 both have inline 101 and crossline 202"), "{said}");
}
