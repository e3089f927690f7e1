use super::*;
use crate::grid::Axes;

const CUBE: Axes<f64> = Axes { z: 10.0, x: 10.0, y: 10.0 };
const FLAT: Axes<f64> = Axes { z: 8.0, ..CUBE };

fn table(points: Points, spacing: Axes<f64>, bins: usize) -> Arc<Table> {
    let media = Media { spacing, volume: true, slowest: 1500.0, fastest: 4500.0 };
    let dt = 0.4 * spacing.z / media.fastest;
    Table::fitted(points, &media, dt, bins).expect("a step that has a stable fit")
}

#[test]
fn rows_follow_the_cosine_and_more_points_follow_it_closer() {
    for spacing in [CUBE, FLAT] {
        let [few, many] = [Points::Few, Points::Many].map(|points| {
            let errors = table(points, spacing, 13).errors();
            println!("{points:?} {spacing:?}: {errors:?}");
            errors
        });
        assert!(few.row <= 2e-6 && many.row <= 2e-6, "{few:?} {many:?}");
        // The star alone sets the error along an axis; the diagonals help between the axes.
        assert!(many.row < if spacing == CUBE { few.row } else { 1.2 * few.row });
        // Half way between two of 13 velocities.
        assert!(few.between > few.row);
        assert!(few.two_terms.is_some_and(|error| error <= 2.5e-6));
    }
    let errors = |bins| table(Points::Few, FLAT, bins).errors().between;
    assert!(errors(25) < 0.6 * errors(13), "more bins are nearer");
}

/// The error between bins is that of the velocity: `sin(phase) phase` times half a bin.
#[test]
fn the_error_between_bins_is_bounded() {
    let table = table(Points::Few, FLAT, 25);
    let step = (table.velocities[1] - table.velocities[0]) / 2.0;
    let shape = Shape::new(table.points, table.media.spacing, true);
    let phase = 0.8 * shape.end() * table.media.slowest * table.dt / shape.unit();
    let bound = phase * phase * step / table.media.slowest;
    let errors = table.errors();
    assert!(errors.between < 1.2 * bound + errors.row, "{errors:?}, {bound}");
}

#[test]
fn no_wave_grows_and_a_constant_field_stays() {
    for points in [Points::Few, Points::Many] {
        let table = table(points, FLAT, 13);
        let shape = Shape::new(points, FLAT, true);
        for k in shape.zone(20) {
            let theta: Vec<f64> = k.iter().zip(&shape.h).map(|(k, h)| k * h).collect();
            for bin in 0..13 {
                let symbol = symbol(points, table.row(bin), &theta);
                assert!((-1.0..=1.0 + 1e-9).contains(&symbol), "{points:?} {bin} {k:?}: {symbol}");
            }
        }
        for bin in 0..13 {
            let still = symbol(points, table.row(bin), &[0.0; 3]);
            assert!((still - 1.0).abs() < 1e-14, "{still}");
        }
    }
}

/// Tests the test: one weight off by 1 %.
#[test]
fn a_wrong_weight_is_seen() {
    let right = table(Points::Few, FLAT, 13);
    for wrong in 0..right.points.distinct() {
        let table = right.mapped(|i, c| if i == wrong { 1.01 * c } else { c });
        let (off, on) = (table.errors().row, right.errors().row);
        assert!(off > 3.0 * on, "weight {wrong}: {off:e} and {on:e}");
    }
}

#[test]
fn the_nearest_row_and_what_is_refused() {
    let all = table(Points::Few, FLAT, 13);
    for (bin, velocity) in all.velocities.iter().enumerate() {
        assert_eq!(all.nearest(*velocity), bin);
        assert_eq!(all.nearest(velocity + 100.0), bin.min(12));
    }
    assert_eq!((all.nearest(-1.0), all.nearest(1e9)), (0, 12));
    let refused = |media: Media, dt, bins| {
        let refused = Table::fitted(Points::Few, &media, dt, bins);
        refused.expect_err("no table").to_string()
    };
    let media = all.media;
    assert!(refused(media, all.dt, 1).contains("at least 2"));
    assert!(refused(media, 10.0 * all.dt, 3).contains("shorter step"));
    let uneven = Media { spacing: Axes { y: 12.0, ..FLAT }, ..media };
    assert!(refused(uneven, all.dt, 3).contains("10 m and 12 m"));
}
