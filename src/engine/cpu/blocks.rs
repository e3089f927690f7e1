//! The parts of the field that the tasks of one step write: blocks of columns, in 3-D of planes and
//! columns. A block reads as many neighbours as its surface, so blocks of a volume are about as wide
//! as they are long.

use super::bands::Part;
use crate::{Layout, boundary::Profile, plan::Plan};
use std::ops::Range;

/// Tasks per thread and step: enough for threads to help each other, few enough to cost nothing.
const PER_THREAD: usize = 4;
/// The same in a volume on many threads, which wait for the slowest: parts at an edge lie in two
/// layers. On two threads smaller parts cost more than they balance.
const PER_THREAD_OF_MANY: usize = 8;
/// Many threads.
const MANY: usize = 8;
/// The fewest nodes that are worth a task: about two microseconds of work.
const SMALLEST: usize = 2 * 1024;
/// What a node costs, and what one in an absorbing layer does that runs across its column.
const COST: [usize; 2] = [5, 10];

/// What the nodes along an axis cost, to cut it into parts that take as long.
pub(crate) struct Costs {
    /// Of all before each, and of all.
    before: Vec<usize>,
}

impl Costs {
    /// Of a Plan's pieces of the slowest axis, and of their columns.
    pub(crate) fn of(plan: &Plan, layout: &Layout) -> [Self; 2] {
        match layout.is_volume() {
            true => [Costs::along(&plan.profile.y), Costs::along(&plan.profile.x)],
            false => [Costs::along(&plan.profile.x), Costs::even(1)],
        }
    }

    fn along(profile: &Profile) -> Self {
        let (n, [low, high]) = (profile.nodes.len(), profile.memory);
        Costs::new((0..n).map(|i| COST[usize::from(i < low || i + high >= n)]))
    }

    pub(crate) fn even(n: usize) -> Self {
        Costs::new((0..n).map(|_| 1))
    }

    fn new(costs: impl Iterator<Item = usize>) -> Self {
        let sums = costs.scan(0, |sum, cost| {
            *sum += cost;
            Some(*sum)
        });
        Costs { before: [0].into_iter().chain(sums).collect() }
    }

    pub(crate) fn len(&self) -> usize {
        self.before.len() - 1
    }

    /// The `i`th of `parts` parts of a range that cost about as much.
    pub(crate) fn part(&self, range: Range<usize>, i: usize, parts: usize) -> Range<usize> {
        let [first, last] = [self.before[range.start], self.before[range.end]];
        let cut = |i: usize| match i {
            0 => range.start,
            i if i == parts => range.end,
            _ => self
                .before
                .partition_point(|cost| (cost - first.min(*cost)) * parts < (last - first) * i),
        };
        cut(i)..cut(i + 1)
    }
}

/// The parts of a step for some threads; those of a thread lie beside each other.
pub(crate) fn parts(layout: &Layout, [pieces, columns]: &[Costs; 2], threads: usize) -> Vec<Part> {
    let nodes = layout.n.y * layout.n.x * layout.n.z;
    let many = layout.is_volume() && threads >= MANY;
    let per_thread = if many { PER_THREAD_OF_MANY } else { PER_THREAD };
    let most = (threads * per_thread).min(nodes / SMALLEST).max(1);
    let count = |along_columns: usize| {
        let columns = along_columns.min(columns.len());
        ((most / columns).clamp(1, pieces.len()), columns)
    };
    // Of all ways that give every thread its tasks, the one with the smallest surface.
    let surface = |(by, bx): &(usize, usize)| by * columns.len() + bx * pieces.len();
    let counts = (1..=most).filter(|bx| most.is_multiple_of(*bx)).map(count);
    let (by, bx) = counts.min_by_key(surface).unwrap_or((1, 1));
    let all = (0..by).flat_map(|y| (0..bx).map(move |x| (y, x)));
    let part = |(y, x)| Part {
        pieces: pieces.part(0..pieces.len(), y, by),
        columns: columns.part(0..columns.len(), x, bx),
    };
    all.map(part).collect()
}
