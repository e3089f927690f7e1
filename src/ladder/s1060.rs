//! The measurements of Micikevicius on a Tesla S1060: *3D Finite Difference Computation on GPUs
//! using CUDA*, GPGPU-2 (2009), section 4.

use super::{Case, Operator, Published};
use crate::engine::gpu::bench::Update;
use serde::Serialize;

/// The tiles of the paper's kernels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tile {
    /// 16x16 nodes by as many threads.
    Of16,
    /// 32x32 nodes by 32x16 threads.
    Of32,
}

/// A volume, `[dimx, dimy, dimz]`, which are our `[nz, nx, ny]`, and Mpoints/s.
type Line<const N: usize> = ([usize; 3], [f64; N]);

/// Table 1: the stencil alone with a tile of 16x16, for these orders.
const ORDERS: [usize; 4] = [6, 8, 10, 12];
const TABLE_1: [Line<4>; 5] = [
    ([480, 480, 400], [4455.0, 4269.0, 3435.0, 2885.0]),
    ([544, 544, 400], [4389.0, 4214.0, 3347.0, 2816.0]),
    ([640, 640, 400], [4168.0, 3932.0, 3331.0, 2802.0]),
    ([800, 800, 400], [3807.0, 3717.0, 3236.0, 2752.0]),
    ([800, 800, 800], [3780.0, 3656.0, 3247.0, 2302.0]),
];

/// Table 2: the wave equation with order 8, for tiles of 16x16 and of 32x32.
const TABLE_2: [Line<2>; 5] = [
    ([320, 320, 400], [2870.7, 2783.5]),
    ([480, 480, 480], [2965.5, 3050.5]),
    ([544, 544, 544], [2786.5, 3121.6]),
    ([640, 640, 400], [2686.9, 3046.8]),
    ([800, 800, 200], [2518.3, 3196.9]),
];
/// Table 3: the wave equation with order 8 and a tile of 16x16 on 1, 2 and 4 GPUs of S1070 servers,
/// two per host.
const GPUS: [usize; 3] = [1, 2, 4];
const TABLE_3: [Line<3>; 5] = [
    ([480, 480, 800], [2986.85, 5944.98, 11845.90]),
    ([544, 544, 400], [2826.35, 5545.63, 6453.15]),
    ([544, 544, 800], [2736.89, 5459.69, 11047.20]),
    ([640, 640, 640], [2487.17, 5380.89, 10298.97]),
    ([640, 640, 800], [2433.94, 5269.04, 10845.55]),
];
/// The rows to compare other volumes with: 480 x 480 x 400, 480 x 480 x 480 and 480 x 480 x 800.
const USUAL: [usize; 3] = [0, 1, 0];
/// The order to compare other orders with.
const ORDER: usize = 8;

/// Additions and multiplications per node of the loops in the paper's appendix, for a stencil of order
/// k: k / 2 times five additions, a multiplication and an addition, and a multiplication for the
/// centre; four more in a step of the wave. Its section 4.2 says 7 k / 2 + 4 for the step, one fewer.
pub(crate) fn flops(update: Update, order: usize) -> f64 {
    let of_step = if update == Update::Wave { 4.0 } else { 0.0 };
    3.5 * order as f64 + 1.0 + of_step
}

/// Every case of the paper's two tables.
pub fn cases() -> Vec<(Update, Case)> {
    let table_1 = TABLE_1.iter().flat_map(|(size, _)| {
        ORDERS.map(|order| (Update::Laplacian, Case::volume(*size, Operator::Order(order))))
    });
    let table_2 =
        TABLE_2.iter().map(|(size, _)| (Update::Wave, Case::volume(*size, Operator::Order(ORDER))));
    table_1.chain(table_2).collect()
}

/// Every case of its table 3, of several GPUs.
pub fn cases_of_devices() -> impl Iterator<Item = Case> {
    TABLE_3.iter().map(|(size, _)| Case::volume(*size, Operator::Order(ORDER)))
}

/// The paper's figure for a case if it has one, else for its usual volume and, if it lacks the
/// order too, for order 8; `None` if it did not measure such a kernel at all.
pub(crate) fn published(tile: Tile, update: Update, case: &Case) -> Option<Published> {
    let size = [case.nz, case.nx, case.ny];
    let order = 2 * case.operator.wing();
    let (size, order, mpts) = match (update, tile) {
        (Update::Laplacian, Tile::Of16) => {
            let column = ORDERS.iter().position(|known| *known == order).unwrap_or(1);
            let (size, mpts) = line(&TABLE_1, size, USUAL[0]);
            (size, ORDERS[column], mpts[column])
        }
        (Update::Laplacian, Tile::Of32) => return None,
        (Update::Wave, tile) => {
            // With another order no volume is the same.
            let size = if order == ORDER { size } else { [0; 3] };
            let (size, mpts) = line(&TABLE_2, size, USUAL[1]);
            (size, ORDER, mpts[usize::from(tile == Tile::Of32)])
        }
    };
    let case = Case::volume(size, Operator::Order(order));
    Some(Published { gpts: 1e-3 * mpts, case })
}

/// The paper's figures for several GPUs.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct PublishedDevices {
    /// 10^6 nodes/s.
    pub mpoints: f64,
    /// Speed-up over one GPU.
    pub times: f64,
    /// The measured case.
    pub case: Case,
}

/// The paper's figures for a number of GPUs, if it has them: for a case that it has, else for 480 x
/// 480 x 800 with order 8.
pub(crate) fn published_devices(devices: usize, case: &Case) -> Option<PublishedDevices> {
    let column = GPUS.iter().position(|gpus| *gpus == devices)?;
    let same = 2 * case.operator.wing() == ORDER;
    let size = if same { [case.nz, case.nx, case.ny] } else { [0; 3] };
    let (size, mpts) = line(&TABLE_3, size, USUAL[2]);
    let case = Case::volume(size, Operator::Order(ORDER));
    Some(PublishedDevices { mpoints: mpts[column], times: mpts[column] / mpts[0], case })
}

fn line<const N: usize>(table: &[Line<N>], size: [usize; 3], usual: usize) -> Line<N> {
    *table.iter().find(|line| line.0 == size).unwrap_or(&table[usual])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn several_gpus_are_those_of_table_3() {
        let of = |devices, size, order| {
            published_devices(devices, &Case::volume(size, Operator::Order(order)))
        };
        let scaling = |size| of(4, size, 8).map(|known| (100.0 * known.times).round());
        assert_eq!(scaling([544, 544, 400]), Some(228.0));
        assert_eq!(scaling([640, 640, 800]), Some(446.0));
        let usual = of(2, [640, 640, 800], 6).expect("2 are in the paper");
        assert_eq!((usual.mpoints, usual.case.size()), (5944.98, "480 x 480 x 800".into()));
        assert_eq!(of(3, [480, 480, 800], 8), None);
    }

    #[test]
    fn the_paper_s_own_cases_are_found_and_others_set_beside_the_usual() {
        let of = |tile, update, size, order| {
            let case = Case::volume(size, Operator::Order(order));
            published(tile, update, &case).map(|known| (known.gpts, known.case))
        };
        let case = |size, order| Case::volume(size, Operator::Order(order));
        let (same, other) = ([800, 800, 800], [512, 512, 512]);
        let laplacian = |size, order| of(Tile::Of16, Update::Laplacian, size, order);
        assert_eq!(laplacian(same, 12), Some((2.302, case(same, 12))));
        assert_eq!(laplacian(other, 10), Some((3.435, case([480, 480, 400], 10))));
        assert_eq!(laplacian(other, 4), Some((4.269, case([480, 480, 400], 8))));
        assert_eq!(of(Tile::Of32, Update::Laplacian, same, 8), None);
        let wave = |size, order| of(Tile::Of32, Update::Wave, size, order);
        assert_eq!(wave([800, 800, 200], 8), Some((1e-3 * 3196.9, case([800, 800, 200], 8))));
        assert_eq!(wave([800, 800, 200], 6), Some((1e-3 * 3050.5, case([480, 480, 480], 8))));
        assert_eq!(cases().len(), 25);
        for (update, case) in cases() {
            let known = published(Tile::Of16, update, &case).expect("it is the paper's");
            assert_eq!(known.case, case);
        }
    }
}
