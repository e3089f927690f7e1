//! Stacks of the images of shots.

use super::{ShotMisfit, Stacked, Units};
use crate::plan::{Offsets, Plan, normal};
use ndarray::{Array3, Axis};
use rayon::prelude::*;
use std::{borrow::Cow, collections::BTreeMap, ops::Range};

/// The sum of some shots.
#[derive(Clone, Debug, PartialEq)]
pub struct Partial {
    /// The shots: a power of two of them, from a multiple of it on.
    pub shots: Range<usize>,
    /// The powers of two by which the arrays are divided.
    pub units: Units,
    /// The image, the sum over the imaging steps on the model's nodes, `[y][x][z]`: times
    /// [`super::scale`] it is I; the illumination by the sources: times -[`super::scale`] it is the
    /// sum of p_t^2 / v^2; then offset gathers, `[offset][x][z]`, of each requested
    /// kind: offset 0 is the image.
    pub arrays: Vec<Array3<f32>>,
    /// How the traces of each shot compare, if residuals were sent back.
    pub misfits: Vec<ShotMisfit>,
}

impl Partial {
    /// Shapes of the arrays of a Plan's shots.
    pub(crate) fn shapes(plan: &Plan, offsets: &[Offsets]) -> Vec<[usize; 3]> {
        let n = plan.survey_grid().n;
        let image = [n.y, n.x, n.z];
        let of_gathers = offsets.iter().map(|offsets| [offsets.count(), n.x, n.z]);
        [image, image].into_iter().chain(of_gathers).collect()
    }

    /// Adds earlier shots; the sum of two is the same in either order.
    fn with(&mut self, before: &Partial) {
        self.shots.start = before.shots.start;
        let units = self.units.with(before.units);
        let times = |factor: f32, value: f32| match factor {
            1.0 => value,
            factor => normal(factor * value),
        };
        for (index, (sum, values)) in self.arrays.iter_mut().zip(&before.arrays).enumerate() {
            let [own, other] = [self.units, before.units].map(|of| of.factor(units, index));
            // Planes of a volume, lines of a plane.
            let axis = Axis(usize::from(sum.len_of(Axis(0)) == 1));
            let parts: Vec<_> = sum.axis_iter_mut(axis).zip(values.axis_iter(axis)).collect();
            parts.into_par_iter().for_each(|(mut sum, values)| {
                sum.zip_mut_with(&values, |sum, value| {
                    *sum = normal(times(own, *sum) + times(other, *value));
                });
            });
        }
        self.units = units;
        self.misfits = [&before.misfits[..], &self.misfits].concat();
    }
}

/// The sum of the images of shots by pairs: shots 0 and 1, 2 and 3, then these sums by pairs, and
/// so on. The pairs follow from the numbers of the shots alone, so that the sum has the same bits
/// in whatever order, by whichever tasks and after however many breaks they are migrated; and its
/// rounding grows as the logarithm of their number (Higham 1993, "The accuracy of floating point
/// summation", SIAM J. Sci. Comput. 14(4)). At most log2(n) + 1 sums wait if shots come in order
/// from the first; a share that begins elsewhere has at most twice as many.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Stack {
    /// By their first shots.
    partials: BTreeMap<usize, Partial>,
    /// True if each shot stays by itself until the end.
    is_apart: bool,
}

impl Stack {
    /// A stack that keeps each shot by itself: its sum is that of another.
    pub(crate) fn apart() -> Self {
        Stack { is_apart: true, ..Stack::default() }
    }

    /// Adds a shot, or several that are not there yet.
    pub fn add(&mut self, mut partial: Partial) {
        loop {
            let (first, count) = (partial.shots.start, partial.shots.len());
            let sibling = first ^ count;
            let is_whole = |other: &Partial| !self.is_apart && other.shots.len() == count;
            match self.partials.get(&sibling).is_some_and(is_whole) {
                true => {
                    let other = self.partials.remove(&sibling).expect("it is there");
                    let (before, mut after) =
                        if first < sibling { (partial, other) } else { (other, partial) };
                    after.with(&before);
                    partial = after;
                }
                false => {
                    self.partials.insert(first, partial);
                    return;
                }
            }
        }
    }

    /// The sums that wait for further shots, in the order of their shots.
    pub(crate) fn partials(&self) -> impl Iterator<Item = &Partial> {
        self.partials.values()
    }

    /// How the traces of the shots so far compare, in the order of the shots.
    pub(crate) fn misfits(&self) -> impl Iterator<Item = ShotMisfit> {
        self.partials().flat_map(|partial| &partial.misfits).copied()
    }

    /// [`Stack::partials`] by value.
    pub(crate) fn into_partials(self) -> impl Iterator<Item = Partial> {
        self.partials.into_values()
    }

    /// True if a shot is in the stack.
    pub(crate) fn holds(&self, shot: usize) -> bool {
        let before = self.partials.range(..=shot).next_back();
        before.is_some_and(|(_, partial)| partial.shots.contains(&shot))
    }

    /// Shots in the stack.
    pub(crate) fn shots(&self) -> usize {
        self.partials().map(|partial| partial.shots.len()).sum()
    }

    /// The image and the illumination of the shots so far, with a [`super::scale`].
    pub(crate) fn images(&self, scale: &Array3<f64>) -> Option<Stacked> {
        let first_two = |partial: &Partial| Partial {
            arrays: partial.arrays[..2].to_vec(),
            shots: partial.shots.clone(),
            misfits: Vec::new(),
            ..*partial
        };
        let partials = self.partials.iter().map(|(first, partial)| (*first, first_two(partial)));
        Stack { partials: partials.collect(), ..*self }.sum(scale, &[])
    }

    /// The sum of all, with a [`super::scale`] and the offsets of the gathers; `None` without
    /// shots.
    pub fn sum(&self, scale: &Array3<f64>, offsets: &[Offsets]) -> Option<Stacked> {
        if self.is_apart {
            let mut stack = Stack::default();
            self.partials().for_each(|partial| stack.add(partial.clone()));
            return stack.sum(scale, offsets);
        }
        // These have no sibling if the number of shots is no power of two.
        let mut partials = self.partials.values().rev();
        let mut sum = Cow::Borrowed(partials.next()?);
        partials.for_each(|before| sum.to_mut().with(before));
        Stacked::new(&sum, scale, offsets)
    }
}

/// Pairs of places that are added, and the remaining sums: places, and the shots that each then
/// stands for.
pub(super) type Pairs = (Vec<[usize; 2]>, Vec<(usize, Range<usize>)>);

/// The pairs that a stack adds for shots with these numbers, ascending: their places among them,
/// the earlier of each pair first; then the remaining places with the shots that each stands for.
pub(super) fn pairs(numbers: &[usize]) -> Pairs {
    let (mut pairs, mut sums) = (Vec::new(), BTreeMap::new());
    for (place, number) in numbers.iter().enumerate() {
        let (mut first, mut count, mut at) = (*number, 1, place);
        while let Some(earlier) =
            first.checked_sub(count).filter(|sibling| sibling ^ count == first)
            && let Some((_, of)) = sums.get(&earlier).filter(|(of, _)| *of == count).copied()
        {
            sums.remove(&earlier);
            pairs.push([of, at]);
            (first, count, at) = (earlier, 2 * count, of);
        }
        sums.insert(first, (count, at));
    }
    let left = sums.into_iter().map(|(first, (count, at))| (at, first..first + count));
    (pairs, left.collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::imaging::Condition;

    const OF: [Offsets; 1] = [Offsets { along: crate::grid::Axis::X, line: 0, most: 0, step: 1 }];

    fn one() -> Array3<f64> {
        Array3::ones((1, 2, 3))
    }

    fn shot(shot: usize) -> Partial {
        let values = |of: f32| {
            Array3::from_shape_fn((1, 2, 3), |(_, x, z)| (of + x as f32).sin() / (1 + z) as f32)
        };
        let of = shot as f32;
        let arrays = [of, -of, 3.0 * of].map(values).into();
        let misfits = Vec::new();
        Partial { shots: shot..shot + 1, units: Units::default(), arrays, misfits }
    }

    /// In any order, by any tasks.
    #[test]
    fn a_sum_has_the_same_bits_however_shots_come() {
        for count in [1, 7, 13, 16] {
            let sum_of = |order: &mut dyn Iterator<Item = usize>| {
                let mut stack = Stack::default();
                order.for_each(|number| stack.add(shot(number)));
                assert_eq!(stack.shots(), count);
                stack.sum(&one(), &OF)
            };
            let all = sum_of(&mut (0..count));
            assert!(all.is_some());
            assert_eq!(sum_of(&mut (0..count).rev()), all);
            assert_eq!(sum_of(&mut (0..count).map(|n| (n * 5 + 3) % count)), all);
            for cut in 0..count {
                let mut whole = Stack::default();
                for share in [0..cut, cut..count] {
                    let mut stack = Stack::default();
                    share.for_each(|number| stack.add(shot(number)));
                    stack.partials().for_each(|partial| whole.add(partial.clone()));
                }
                assert_eq!(whole.partials().count(), count.count_ones() as usize);
                assert_eq!(whole.sum(&one(), &OF), all);
            }
        }
        // Added one after the other it is another sum.
        let mut one_by_one = shot(0);
        (1..16).for_each(|number| one_by_one.with(&shot(number)));
        let mut stack = Stack::default();
        (0..16).for_each(|number| stack.add(shot(number)));
        assert!(stack.holds(15) && !stack.holds(16));
        assert_ne!(Stacked::new(&one_by_one, &one(), &OF), stack.sum(&one(), &OF));
    }

    /// Shots whose products f32 does not hold are added in the larger of their units.
    #[test]
    fn a_sum_of_unlike_shots_has_the_larger_unit() {
        let of = |number: usize, power: i32| {
            let image = 2f64.powi(power);
            Partial { units: Units { image, illumination: image * image }, ..shot(number) }
        };
        let sum_of = |powers: [i32; 3]| {
            let mut stack = Stack::default();
            (0..3).for_each(|number| stack.add(of(number, powers[number])));
            stack.sum(&one(), &OF).expect("three shots")
        };
        let image = |of: &Stacked| of.image(Condition::CrossCorrelation);
        let (same, tiny, large) = (sum_of([0; 3]), sum_of([-200; 3]), sum_of([200; 3]));
        assert_eq!(image(&tiny), image(&same) * 2f64.powi(-200));
        assert_eq!(image(&large), image(&same) * 2f64.powi(200));
        let illumination = large.illumination() * 2f64.powi(-400);
        assert_eq!(illumination, same.illumination());
        // One of three outweighs the others.
        let last = image(&sum_of([0, 0, 200])) * 2f64.powi(-200);
        assert_eq!(last, shot(2).arrays[0].mapv(f64::from));
        let exact = image(&sum_of([0, 1, 3]));
        let known: Array3<f64> = (0..3)
            .map(|number| shot(number).arrays[0].mapv(f64::from) * [1.0, 2.0, 8.0][number])
            .fold(Array3::zeros((1, 2, 3)), |sum, next| sum + next);
        assert!((exact - known).iter().all(|off| off.abs() < 1e-5));
    }

    /// Sums made before the stack are those that the stack would make.
    #[test]
    fn pairs_are_those_of_the_stack() {
        assert_eq!(
            pairs(&[2, 3, 4, 5, 6]),
            (vec![[0, 1], [2, 3]], vec![(0, 2..4), (2, 4..6), (4, 6..7)])
        );
        for numbers in
            [vec![0, 1, 2, 3, 4, 5, 6, 7], vec![1, 2, 3], vec![5, 8, 9, 11, 10 + 2], vec![]]
        {
            let mut all = Stack::default();
            numbers.iter().for_each(|number| all.add(shot(*number)));
            let mut shots: Vec<_> = numbers.iter().map(|number| shot(*number)).collect();
            let (pairs, left) = pairs(&numbers);
            for [to, from] in pairs {
                let before = shots[to].clone();
                shots[from].with(&before);
                shots[to] = shots[from].clone();
            }
            let mut stack = Stack::default();
            for (place, of) in left {
                assert_eq!(shots[place].shots.end, of.end);
                stack.add(Partial { shots: of, ..shots[place].clone() });
            }
            assert_eq!(stack, all, "{numbers:?}");
        }
    }
}
