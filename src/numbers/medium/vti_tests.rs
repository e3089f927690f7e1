//! Tests of the coefficients of VTI.

use super::{Medium, Pair, Vti, VtiTerm};
use crate::{
    boundary::{Absorber, Boundary, Top},
    grid::{Axes, Axis},
    model::{Anisotropy, Density, Thomsen},
    plan::{Plan, PlanError, Setup, Window},
    stencil::{Family, ete::Points},
    testing::{random, rock, setup, shot},
};
use ndarray::Array3;

/// 20 rows of 30 nodes with epsilon, delta and density by x and z.
fn vti(order: usize, top: Top, of: impl Fn(usize, usize) -> [f64; 3]) -> Result<Plan, PlanError> {
    let values =
        |which: usize| Array3::from_shape_fn((1, 30, 20), |(_, x, z)| of(x, z)[which] as f32);
    let model = rock([30, 20], [10.0, 8.0], 2000.0);
    let density = Density::new(values(2)).expect("densities in kg/m3");
    let [epsilon, delta] = [0, 1].map(|which| Thomsen::new(values(which)));
    let anisotropy = Some(Anisotropy::new(epsilon, delta, 0.32)?);
    let base = setup(model, vec![shot(100.0, 48.0, Vec::new())]);
    let boundary = Boundary { top, sides: Absorber::Zero };
    Plan::new(Setup { density, anisotropy, boundary, operator: Family::Taylor { order }, ..base })
}

fn coefficients(plan: &Plan) -> &Vti {
    plan.medium.vti().expect("it is anisotropic")
}

/// epsilon to 0.3, epsilon - delta to 0.25 and densities to a ratio of 2, at random.
fn rough() -> impl Fn(usize, usize) -> [f64; 3] {
    let values = random(11, 1800);
    move |x, z| {
        let [a, b, c] = [0, 600, 1200].map(|first| values[first + 20 * x + z] + 0.5);
        [0.3 * a, 0.3 * a - 0.25 * b, 1000.0 + 1000.0 * c]
    }
}

/// `sin^2 A_h + cos^2 A_z` has the square of the exact phase velocity of P waves over that along the axis as
/// its largest eigenvalue (Tsvankin 1996, "P-wave signatures and notation for transversely isotropic media: an overview",
/// Geophysics 61, 467-483, equation 8), and a smaller one of the slow wave.
#[test]
fn the_phase_velocity_is_tsvankins() {
    for (epsilon, delta, ratio) in [(0.2, 0.05, 0.32), (0.1, 0.1, 0.5), (0.3, -0.1, 0.2)] {
        let thomsen = Thomsen::uniform;
        let made = Anisotropy::new(thomsen(epsilon), thomsen(delta), ratio).expect("it is allowed");
        let (epsilon, delta, f) = (f64::from(epsilon), f64::from(delta), made.f());
        let base = setup(rock([30; 2], [10.0; 2], 2000.0), vec![shot(150.0, 150.0, Vec::new())]);
        let plan = Plan::new(Setup { anisotropy: Some(made), ..base }).expect("a valid setup");
        let node = Axes { z: 3, x: 4, y: 0 };
        let vti = coefficients(&plan);
        for angle in (0..=9).map(|i| f64::from(10 * i).to_radians()) {
            let (sin2, cos2) = (angle.sin().powi(2), angle.cos().powi(2));
            let matrix = Pair::default().plus(sin2, vti.across(node)).plus(cos2, vti.along(node));
            let inner = (1.0 + 2.0 * epsilon * sin2 / f).powi(2)
                - 8.0 * (epsilon - delta) * sin2 * cos2 / f;
            let exact = 1.0 + epsilon * sin2 - 0.5 * f + 0.5 * f * inner.sqrt();
            assert!((matrix.largest() / exact - 1.0).abs() < 1e-6, "{angle}");
            assert!(matrix.smallest() > 0.0 && matrix.smallest() < 0.9 * exact);
        }
    }
}

/// The operator of both fields, applied to them: `[p or m][x][z]`.
fn applied(
    plan: &Plan,
    u: &dyn Fn(usize, isize, isize) -> f64,
    which: usize,
    x: usize,
    z: usize,
) -> f64 {
    let vti = coefficients(plan);
    let free = plan.free_surface;
    let (x, z) = (x as isize, z as isize);
    let at = |which: usize, x: isize, z: isize| match ((0..30).contains(&x), z) {
        (true, 0..20) => u(which, x, z),
        (true, -20..0) if free => -u(which, x, -z),
        _ => 0.0,
    };
    let times = |matrix: Pair, [p, m]: [f64; 2]| match which {
        0 => matrix.p * p + matrix.cross * m,
        _ => matrix.cross * p + matrix.m * m,
    };
    let both = |x: isize, z: isize| [0, 1].map(|which| at(which, x, z));
    let signed = |x: isize, z: isize| Axes { z: if free { z.abs() } else { z }, x, y: 0 };
    let mut sum = -times(vti.own(Axes { z: z as usize, x: x as usize, y: 0 }), both(x, z));
    for (axis, [dx, dz]) in [(Axis::Z, [0, 1]), (Axis::X, [1, 0])] {
        let here = vti.matrix(axis, signed(x, z));
        for (c, j) in axis.of(&plan.operator).second.iter().zip(0..) {
            for by in if j == 0 { vec![0] } else { vec![-j, j] } {
                let (x, z) = (x + by * dx, z + by * dz);
                let mean =
                    Pair::default().plus(0.5, here).plus(0.5, vti.matrix(axis, signed(x, z)));
                sum += c * times(mean, both(x, z));
            }
        }
    }
    sum
}

/// `u' K w = w' K u`, `u' K u < 0`, and the bound of the time step is above `v^2/b` times the quotient of any field.
#[test]
fn the_operator_is_symmetric_and_no_field_has_negative_energy() {
    for (order, top) in [(2, Top::Zero), (8, Top::Zero), (8, Top::Free)] {
        let plan = vti(order, top, rough()).expect("a valid setup");
        let rows = usize::from(plan.free_surface)..20;
        let bound = (2.0 / plan.time.limit).powi(2);
        for seed in 0..4 {
            let [one, other] = [random(2 * seed, 1200), random(2 * seed + 1, 1200)];
            let field =
                |values: &[f64], which: usize, x: isize, z: isize| match (plan.free_surface, z) {
                    (true, 0) => 0.0,
                    _ => values[600 * which + 20 * x as usize + z as usize],
                };
            let [mut crossed, mut back, mut energy, mut norm] = [0.0; 4];
            for (which, x) in (0..2).flat_map(|which| (0..30).map(move |x| (which, x))) {
                for z in rows.clone() {
                    let node = Axes { z, x, y: 0 };
                    let [u, w] = [&one, &other].map(|of| field(of, which, x as isize, z as isize));
                    let of_one = applied(&plan, &|a, x, z| field(&one, a, x, z), which, x, z);
                    let of_other = applied(&plan, &|a, x, z| field(&other, a, x, z), which, x, z);
                    crossed += w * of_one;
                    back += u * of_other;
                    energy -= u * of_one;
                    let b = coefficients(&plan).buoyancy(node);
                    norm += u * u * b / 2000f64.powi(2);
                }
            }
            assert!((crossed / back - 1.0).abs() < 1e-9, "{crossed} {back}");
            assert!(energy > 0.0 && energy < bound * norm);
        }
    }
}

/// Row sums are 0: constant fields are exact solutions away from the edges.
#[test]
fn constant_fields_are_exact_solutions() {
    let plan = vti(8, Top::Zero, rough()).expect("a valid setup");
    let scale = plan.operator.z.second[0].abs();
    for which in 0..2 {
        let of = applied(&plan, &|a, _, _| if a == 0 { 1.0 } else { -2.0 }, which, 14, 9);
        assert!(of.abs() < 1e-12 * scale, "{of}");
    }
}

#[test]
fn the_largest_step_is_that_of_the_fastest_velocity() {
    let limit = |epsilon: f64, delta: f64| {
        let made = vti(8, Top::Zero, |_, _| [epsilon, delta, 1000.0]);
        made.expect("a valid setup").time.limit
    };
    let isotropic = setup(rock([30, 20], [10.0, 8.0], 2000.0), vec![shot(100.0, 48.0, Vec::new())]);
    let operator = Family::Taylor { order: 8 };
    let boundary = Boundary { top: Top::Zero, sides: Absorber::Zero };
    let isotropic = Plan::new(Setup { operator, boundary, ..isotropic }).expect("a valid setup");
    // 1 + 2 epsilon along x, 1 along z.
    let (x, z): (f64, f64) = (1.0 / 100.0, 1.0 / 64.0);
    let expected = ((x + z) / (1.4 * x + z)).sqrt() * isotropic.time.limit;
    assert!((limit(0.2, 0.2) / expected - 1.0).abs() < 1e-6);
    let ratio = limit(0.2, 0.05) / expected;
    assert!((0.98..1.02).contains(&ratio), "{ratio}");
    assert!((limit(1e-7, 1e-7) / isotropic.time.limit - 1.0).abs() < 1e-6);
}

#[test]
fn jumps_that_may_grow_are_refused_with_their_nodes() {
    let heavy = |x: usize, _: usize| [0.1, 0.0, if x < 12 { 25_000.0 } else { 1000.0 }];
    let refused = vti(8, Top::Zero, heavy).expect_err("waves grow").to_string();
    assert!(refused.contains("z = 0") && refused.contains("order 2 or 4"), "{refused}");
    assert!(refused.contains("x = 11") || refused.contains("x = 12"), "{refused}");
    assert!(vti(2, Top::Zero, heavy).is_ok(), "at order 2 no wave grows");
}

#[test]
fn no_anisotropy_is_the_medium_without_it() {
    let none = vti(8, Top::Zero, |_, _| [0.0, 0.0, 1000.0]).expect("a valid setup");
    assert!(matches!(none.medium, Medium::Velocity));
    let dense = vti(8, Top::Zero, |x, _| [0.0, 0.0, 1000.0 + x as f64]).expect("a valid setup");
    assert!(matches!(dense.medium, Medium::Density(_)));
    let model = rock([30; 2], [10.0; 2], 2000.0);
    let anisotropy = Anisotropy::new(Thomsen::uniform(0.1), Thomsen::default(), 0.32).ok();
    let base = setup(model, vec![shot(100.0, 48.0, Vec::new())]);
    let operator = Family::Ete { points: Points::Few };
    let refused = Plan::new(Setup { anisotropy, operator, ..base }).expect_err("it is fitted");
    assert!(refused.to_string().contains("isotropic"));
}

/// Some columns alone have the coefficients that they have among all, and the digest knows each parameter.
#[test]
fn parts_and_digests_know_the_coefficients() {
    let plan = vti(8, Top::Free, rough()).expect("a valid setup");
    let part = plan.subdomain(7..19);
    for (x, z) in [(7, 0), (8, 5), (18, 19)] {
        let own = |plan: &Plan, x| coefficients(plan).own(Axes { z, x, y: 0 });
        assert_eq!(own(&part, x - 7), own(&plan, x));
    }
    let digest = |epsilon: f64, delta: f64| {
        let of =
            move |x: usize, _: usize| if x == 3 { [epsilon, delta, 1e3] } else { [0.1, 0.0, 1e3] };
        vti(8, Top::Zero, of).expect("a valid setup").digest(0)
    };
    assert_eq!(digest(0.1, 0.0), digest(0.1, 0.0));
    assert!(digest(0.2, 0.0) != digest(0.1, 0.0) && digest(0.1, 0.01) != digest(0.1, 0.0));
    let source = &plan.shots[0].sources[0];
    let nearest = coefficients(&plan).buoyancy(source.at);
    let push = plan.v2dt2(Window::whole(0), source.at) / nearest;
    assert!((source.scale / (push * nearest / plan.grid.cell_volume()) - 1.0).abs() < 1e-12);
}

/// Columns are made with all of their nodes at once, to the bits of single nodes.
#[test]
fn a_column_has_the_sums_of_its_nodes() {
    for top in [Top::Zero, Top::Free] {
        let plan = vti(8, top, rough()).expect("a valid setup");
        for (x, z) in [(0, 0), (12, 7), (29, 0)] {
            let of = |term: VtiTerm, part: fn(Pair) -> f64| {
                let mut column = vec![0.0; 20 - z];
                plan.vti_of_column(term, Window::whole(0), Axes { z, x, y: 0 }, &mut column);
                let nodes =
                    (z..20).map(|z| part(coefficients(&plan).own(Axes { z, x, y: 0 })) as f32);
                assert_eq!(column, nodes.collect::<Vec<_>>(), "{term:?}");
            };
            of(VtiTerm::OwnOfP, |own| own.p);
            of(VtiTerm::OwnCross, |own| own.cross);
            of(VtiTerm::OwnOfM, |own| own.m);
        }
    }
}
