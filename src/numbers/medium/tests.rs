use super::{Medium, REFERENCE, VariableDensity};
use crate::{
    boundary::{Absorber, Boundary, Cpml, Top},
    grid::Axes,
    model::{Density, VelocityModel},
    plan::{Plan, PlanError, Setup, Window},
    stencil::{Family, ete::Points},
    testing::{random, rock, setup, shot},
};
use ndarray::Array3;

/// 20 rows of 30 nodes with these densities by x and z, kg/m3.
fn dense(order: usize, top: Top, rho: impl Fn(usize, usize) -> f64) -> Result<Plan, PlanError> {
    within(Boundary { top, sides: Absorber::Zero }, order, rho)
}

/// [`dense`] with these edges.
fn within(
    boundary: Boundary,
    order: usize,
    rho: impl Fn(usize, usize) -> f64,
) -> Result<Plan, PlanError> {
    let values = Array3::from_shape_fn((1, 30, 20), |(_, x, z)| rho(x, z) as f32);
    let model = rock([30, 20], [10.0, 8.0], 2000.0);
    let density = Density::new(values).expect("densities in kg/m3");
    let base = setup(model, vec![shot(100.0, 48.0, Vec::new())]);
    Plan::new(Setup { density, boundary, operator: Family::Taylor { order }, ..base })
}

fn density(plan: &Plan) -> &VariableDensity {
    plan.medium.density().expect("it varies")
}

/// A density between 1000 and 2500 kg/m3 at random.
fn rough() -> impl Fn(usize, usize) -> f64 {
    let values = random(11, 600);
    move |x, z| 1750.0 + 1500.0 * values[20 * x + z]
}

/// `sum_j c_j w_j (p_j - p_i)` is zero for a constant p: V w = L w, with w even about a free surface
/// and constant beyond the other edges.
#[test]
fn a_constant_pressure_is_an_exact_solution() {
    for (order, top) in [(2, Top::Zero), (8, Top::Zero), (8, Top::Free)] {
        let plan = dense(order, top, rough()).expect("a valid setup");
        let density = density(&plan);
        let w = |x: isize, z: isize| {
            let z = if top == Top::Free { z.abs() } else { z.max(0) }.min(19);
            density.root(Axes { z: z as usize, x: x.clamp(0, 29) as usize, y: 0 })
        };
        let mut largest = 0.0f64;
        for (x, z) in (0..30).flat_map(|x| (0..20).map(move |z| (x, z))) {
            let along = |weights: &[f64], of: &dyn Fn(isize) -> f64| -> f64 {
                let pair = |j: usize| weights[j] * (of(j as isize) + of(-(j as isize)));
                weights[0] * of(0) + (1..weights.len()).map(pair).sum::<f64>()
            };
            let of_roots = along(&plan.operator.z.second, &|j| w(x, z + j))
                + along(&plan.operator.x.second, &|j| w(x + j, z));
            let node = Axes { z: z as usize, x: x as usize, y: 0 };
            let potential = plan.potential(Window::whole(0), node);
            largest = largest.max(potential.abs());
            assert!((potential * w(x, z) - of_roots).abs() < 1e-12, "{node:?}");
        }
        assert!(largest > 1e-3);
    }
}

/// A potential that varies along the normal lets waves grow in a layer.
#[test]
fn the_potential_is_constant_across_a_layer() {
    let boundary = Boundary { top: Top::Free, sides: Absorber::Cpml(Cpml::new(6)) };
    let plan = within(boundary, 8, rough()).expect("a valid setup");
    let n = plan.grid.n;
    assert_eq!((n.x, n.z), (42, 26));
    let potential = |x: usize, z: usize| density(&plan).potential(Axes { z, x, y: 0 });
    for cell in 0..6 {
        for z in 0..n.z {
            assert_eq!(potential(cell, z), potential(0, z));
            assert_eq!(potential(41 - cell, z), potential(41, z));
        }
        assert!((0..n.x).all(|x| potential(x, 25 - cell) == potential(x, 25)));
    }
    assert!((10..30).all(|x| potential(x, 10) != potential(x + 1, 10) && potential(x, 25) != 0.0));
    // The densities away from the layers, and at the free surface, are the model's own.
    let own = |x: usize, z: usize| (1000.0 / rough()(x, z)).sqrt();
    for (x, z) in [(3, 0), (26, 16), (12, 1)] {
        let root = density(&plan).root(Axes { z, x: x + 6, y: 0 });
        assert!((root - own(x, z)).abs() < 1e-6, "{x} {z}");
    }
}

#[test]
fn a_column_has_the_potentials_of_its_nodes() {
    let plan = dense(8, Top::Free, rough()).expect("a valid setup");
    for (x, z) in [(0, 0), (29, 3), (14, 0)] {
        let from = Axes { z, x, y: 0 };
        let mut column = vec![-1.0; 20 - z];
        plan.potential_of_column(Window::whole(0), from, &mut column);
        for (below, value) in column.iter().enumerate() {
            let node = Axes { z: z + below, ..from };
            assert_eq!(*value, plan.potential(Window::whole(0), node) as f32);
        }
    }
    // Some columns alone have the potentials that they have among all.
    let part = plan.subdomain(7..19);
    for x in 7..19 {
        let potential = |plan: &Plan, x| plan.potential(Window::whole(0), Axes { z: 5, x, y: 0 });
        assert_eq!(potential(&part, x - 7), potential(&plan, x));
    }
}

/// The largest ratios of densities from node to node at random that let no wave grow, as the
/// smallest eigenvalues of such matrices say.
#[test]
fn ratios_that_may_grow_are_refused_with_their_nodes() {
    let jump = |ratio: f64| move |x: usize, _: usize| if x == 12 { ratio * 1000.0 } else { 1000.0 };
    for (order, ratio) in [(2, 1000.0 / 40.0), (4, 10.0), (8, 10.0), (8, 3.0)] {
        let made = dense(order, Top::Zero, jump(ratio));
        assert!(made.is_ok(), "order {order}, ratio {ratio}: {:?}", made.err());
    }
    let air = |_: usize, z: usize| if z < 4 { 1.2 } else { 1000.0 };
    let refused = dense(8, Top::Zero, air).expect_err("waves grow").to_string();
    for part in ["1 to 1000 kg/m3", "x = 0, z = 3 and x = 0, z = 4", "order 2 or 4"] {
        assert!(refused.contains(part), "{refused}");
    }
    assert!(dense(2, Top::Zero, air).is_ok(), "at order 2 no wave grows");
}

/// The smallest eigenvalue of -L + V, by inverse iteration of the whole matrix, is positive where a
/// Plan is made; here by the quotient of a random field.
#[test]
fn no_field_has_negative_energy() {
    let plan = dense(8, Top::Zero, rough()).expect("a valid setup");
    let n = plan.grid.n;
    for seed in 0..20 {
        let q = random(seed, n.x * n.z);
        let at = |x: isize, z: isize| match (0..30).contains(&x) && (0..20).contains(&z) {
            true => q[20 * x as usize + z as usize],
            false => 0.0,
        };
        let mut energy = 0.0;
        for (x, z) in (0..30).flat_map(|x| (0..20).map(move |z| (x, z))) {
            let node = Axes { z: z as usize, x: x as usize, y: 0 };
            let mut of_q = plan.potential(Window::whole(0), node) * at(x, z);
            for (weights, [dx, dz]) in
                [(&plan.operator.z.second, [0, 1]), (&plan.operator.x.second, [1, 0])]
            {
                of_q -= weights[0] * at(x, z);
                for (c, j) in weights[1..].iter().zip(1..) {
                    of_q -= c * (at(x + j * dx, z + j * dz) + at(x - j * dx, z - j * dz));
                }
            }
            energy += of_q * at(x, z);
        }
        assert!(energy > 0.0);
    }
}

#[test]
fn a_density_shortens_the_largest_step_as_gershgorin_says() {
    let flat = dense(8, Top::Zero, |_, _| 1300.0).expect("a valid setup");
    let half = dense(8, Top::Zero, |_, z| if z < 10 { 1000.0 } else { 3000.0 });
    let half = half.expect("a valid setup");
    let s = (2.0 / (2000.0 * flat.time.limit)).powi(2);
    let potentials = (0..20).map(|z| half.potential(Window::whole(0), Axes { z, x: 3, y: 0 }));
    let most = potentials.fold(0.0, f64::max);
    let expected = 2.0 / (2000.0 * (s + most).sqrt());
    assert!((half.time.limit / expected - 1.0).abs() < 1e-12);
    let ratio = half.time.limit / flat.time.limit;
    assert!((0.93..0.98).contains(&ratio), "{ratio}");
}

#[test]
fn a_constant_density_is_velocity_alone() {
    let made = [1000.0, 2700.0].map(|rho| dense(8, Top::Zero, move |_, _| rho));
    for plan in made {
        assert!(matches!(plan.expect("a valid setup").medium, Medium::Velocity));
    }
    assert!(Density::uniform(2.7).is_err() && Density::uniform(-1.0).is_err());
    assert!(Density::uniform(2700.0).expect("in kg/m3").is_constant());
}

#[test]
fn explicit_time_evolution_and_other_nodes_are_refused() {
    let model = rock([30, 20], [10.0, 8.0], 2000.0);
    let of = |nodes: (usize, usize, usize), operator| {
        let values = Array3::from_shape_fn(nodes, |(_, x, _)| 1000.0 + x as f32);
        let density = Density::new(values).expect("densities in kg/m3");
        let base = setup(model.clone(), vec![shot(100.0, 48.0, Vec::new())]);
        Plan::new(Setup { density, operator, ..base }).expect_err("it cannot be").to_string()
    };
    let said = of((1, 30, 20), Family::Ete { points: Points::Few });
    assert!(said.contains("does not commute"), "{said}");
    let said = of((1, 20, 30), Family::Taylor { order: 4 });
    assert!(said.contains("the density has 20 x 30 nodes, but the velocity has 30 x 20"), "{said}");
}

/// Weights of sources and receivers are adjoint, apart from the buoyancy at the source.
#[test]
fn the_factors_of_a_source_and_a_receiver_are_those_of_its_buoyancy() {
    let plan = dense(4, Top::Zero, |x, _| if x < 12 { 1000.0 } else { 2500.0 });
    let plan = plan.expect("a valid setup");
    let whole = Window::whole(0);
    let node = Axes { z: 6, x: 20, y: 0 };
    let root = (REFERENCE / 2500.0).sqrt();
    assert!((plan.pressure_factor(whole, node) * root - 1.0).abs() < 1e-7);
    let source = &plan.shots[0].sources[0];
    let scale = plan.v2dt2(whole, source.at) / plan.grid.cell_volume();
    assert!((source.scale / scale - 1.0).abs() < 1e-7, "at x = 100 m the root is 1");
    let model = rock([30, 20], [10.0, 8.0], 2000.0);
    let gardner = Density::gardner(&VelocityModel::clone(&model));
    assert!(gardner.is_constant() && gardner.at(node).is_some());
}

#[test]
fn the_density_is_in_the_memory() {
    let plan = dense(8, Top::Zero, rough()).expect("a valid setup");
    let bytes = |arrays: Vec<crate::plan::Array>, name: &str| {
        arrays.into_iter().find(|array| array.name == name).map(|array| array.bytes)
    };
    assert_eq!(bytes(plan.memory(), "density"), Some(4 * 600));
    assert_eq!(bytes(plan.own_memory(), "density of the plan"), Some(2 * 4 * 600));
    let flat = dense(8, Top::Zero, |_, _| 1300.0).expect("a valid setup");
    assert_eq!(bytes(flat.memory(), "density"), None);
}

/// A state or a result of one density is not that of another.
#[test]
fn the_digest_knows_the_density() {
    let digest = |rho: f64| {
        let plan = dense(8, Top::Zero, move |x, _| if x == 29 { rho } else { 1000.0 });
        plan.expect("a valid setup").digest(0)
    };
    assert_eq!(digest(1000.0), digest(1000.0));
    assert!(digest(1000.0) != digest(1001.0) && digest(1001.0) != digest(1002.0));
}

/// The sum of random factors times V at the model's nodes has the derivative of its differences by each density.
#[test]
fn the_derivative_by_density_is_that_of_differences() {
    let layers = Absorber::Cpml(Cpml::new(6));
    let edges = [(Top::Zero, Absorber::Zero), (Top::Free, Absorber::Zero), (Top::Free, layers)];
    for (top, sides) in edges {
        let rho = rough();
        let plan = |changed: (usize, usize), factor: f64| {
            let of = |x, z| rho(x, z) * if (x, z) == changed { factor } else { 1.0 };
            within(Boundary { top, sides }, 8, of).expect("a valid setup")
        };
        let factors = random(5, 600);
        let sum = |plan: &Plan| -> f64 {
            let at = |x, z| plan.on_grid(Axes { z, x, y: 0 });
            let of = |x: usize, z: usize| factors[20 * x + z] * density(plan).potential(at(x, z));
            (0..30).flat_map(|x| (0..20).map(move |z| (x, z))).map(|(x, z)| of(x, z)).sum()
        };
        let by_potential = Array3::from_shape_fn((1, 30, 20), |(_, x, z)| factors[20 * x + z]);
        let by_log = plan((0, 0), 1.0).by_log_density(&by_potential).expect("it has V");
        let largest = by_log.iter().fold(0.0f64, |most, of| most.max(of.abs()));
        for node in
            [(0, 0), (1, 3), (3, 2), (4, 0), (15, 1), (15, 10), (26, 16), (27, 19), (29, 19)]
        {
            let step = 1e-2;
            let apart = sum(&plan(node, 1.0 + step)) - sum(&plan(node, 1.0 - step));
            let by = by_log[[0, node.0, node.1]];
            assert!(
                (apart / (2.0 * step) - by).abs() < 2e-4 * largest,
                "{top:?} {node:?}: {apart} {by}"
            );
        }
    }
}

/// Without a density that varies, w is 1 everywhere.
#[test]
fn a_constant_density_has_a_derivative() {
    let plan = dense(2, Top::Zero, |_, _| 1000.0).expect("a valid setup");
    let mut by_potential = Array3::zeros((1, 30, 20));
    by_potential[[0, 12, 9]] = 1.0;
    let by_log = plan.by_log_density(&by_potential).expect("it has V");
    // V is the Laplacian of w, and w falls by half of what ln rho rises by.
    let Axes { z, x, .. } = plan.grid.h.map(|h| h * h);
    assert!((by_log[[0, 13, 9]] + 0.5 / x).abs() < 1e-8);
    assert!((by_log[[0, 12, 8]] + 0.5 / z).abs() < 1e-8);
    assert!((by_log[[0, 12, 9]] - 1.0 / x - 1.0 / z).abs() < 1e-8);
}
