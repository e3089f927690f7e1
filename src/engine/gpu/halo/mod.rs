//! Halos that leave a device for neighbours elsewhere, and arrive from them: through the host or,
//! between devices that can, directly.

mod route;

use super::{
    device::{Device, PeerCopies},
    packing::{Exchanged, Packing, values},
    peer::Peer,
    slab::Slab,
    wavefield::Wavefield,
};
use crate::{
    EngineError,
    share::{Message, Neighbours, Share, Side, Way},
};
use route::Route;
use web_time::Instant;

/// The exchange at the ends of a share.
pub(crate) struct Halo {
    ends: Vec<End>,
    /// Messages that were read, for reuse.
    spare: Vec<Message>,
    /// Whether it is known if messages need values.
    met: bool,
    way: Way,
    /// Seconds of waiting for copies to and from the host.
    copying: f64,
}

struct End {
    side: Side,
    given: Exchanged,
    taken: Exchanged,
    /// Numbers of outgoing and incoming values.
    values: [usize; 2],
    pack: Packing,
    unpack: Packing,
    route: Route,
    /// Whether values have arrived by this route.
    came: bool,
    /// The direct route, for values that neither end needs on the host.
    direct: Option<Peer>,
}

impl Halo {
    pub(crate) fn new(
        device: &Device,
        wavefield: &Wavefield,
        share: &Share,
    ) -> Result<Self, EngineError> {
        let ends = share.sides().map(|side| End::new(device, wavefield, share, side));
        let mut ends = ends.collect::<Result<Vec<_>, EngineError>>()?;
        // Among equal shares, both sides of a seam exchange there first, so that one's copies
        // arrive while the other's leave.
        if (share.pieces.start / share.pieces.len().max(1)).is_multiple_of(2) {
            ends.reverse();
        }
        Ok(Halo { ends, spare: Vec::new(), met: false, way: Way::default(), copying: 0.0 })
    }

    /// Takes a way from the next exchange on.
    pub(crate) fn go_by(&mut self, way: Way) {
        if self.way != way {
            self.ends.iter_mut().for_each(|end| end.direct = None);
            (self.way, self.met) = (way, false);
        }
    }

    /// Enables copies between this device and its neighbours without the host, if that is its way and
    /// the devices can; they are in this process.
    pub(crate) fn meet(&mut self, device: &Device, wavefield: &Wavefield) {
        let may = !self.met
            && match device.peer_copies {
                PeerCopies::Always => true,
                PeerCopies::Never => false,
                PeerCopies::BetweenGpus => self.way == Way::Direct,
            };
        for end in self.ends.iter_mut().filter(|_| may) {
            let (slabs, pieces) = (slabs(wavefield, end.side), [&end.given, &end.taken]);
            end.direct = Peer::new(device, slabs, pieces, end.values);
        }
        self.met = true;
    }

    /// Seconds of waiting for copies to and from the host.
    pub(crate) fn copying(&self) -> f64 {
        self.copying
    }

    /// The route of the last exchange.
    pub(crate) fn name(&self) -> &'static str {
        let mut names = self.ends.iter().map(End::name);
        let first = names.next().unwrap_or_default();
        if names.all(|name| name == first) { first } else { "several ways" }
    }

    /// Copies the outgoing values at a step, once the previous passes are done.
    pub(crate) fn copy(&mut self, step: usize, encoder: &mut wgpu::CommandEncoder) {
        for End { pack, route, direct, .. } in &mut self.ends {
            if !direct.as_mut().is_some_and(|direct| direct.pack(step, encoder)) {
                pack.encode(step, &mut encoder.begin_compute_pass(&Default::default()));
                route.copy(encoder);
            }
        }
    }

    /// Maps the outgoing values.
    pub(crate) fn map(&self) {
        self.ends.iter().filter(|end| !end.is_direct()).for_each(|end| end.route.map());
    }

    /// Sends the mapped values to the neighbours, once their submit is done, and receives theirs.
    pub(crate) fn exchange(
        &mut self,
        device: &Device,
        neighbours: &mut dyn Neighbours,
    ) -> Result<(), EngineError> {
        let began = Instant::now();
        // Everything is read before a neighbour's end is noticed: a mapped buffer cannot be reused.
        let mut read = Vec::with_capacity(self.ends.len());
        for end in &mut self.ends {
            if end.is_direct() {
                read.push(None);
                continue;
            }
            let [values, _] = end.values;
            let spare = self.spare.iter().position(|spare| spare.values().len() == values);
            let spare = spare.map(|at| self.spare.swap_remove(at).renewed());
            let message = spare.unwrap_or_else(|| Message::new(values));
            read.push(end.route.send(device, message)?);
        }
        self.copying += began.elapsed().as_secs_f64();
        for (End { side, route, came, direct, .. }, read) in self.ends.iter_mut().zip(read) {
            let sending = Instant::now();
            let mut message = read.or(route.sent()?).unwrap_or_default();
            self.copying += sending.elapsed().as_secs_f64();
            if let Some(direct) = direct {
                direct.write_note(&mut message);
            }
            neighbours.send(*side, message)?;
            let mut message = neighbours.receive(*side)?;
            let comes = direct.as_mut().map(|direct| direct.read_note(&mut message)).transpose()?;
            *came = !comes.unwrap_or(false);
            if *came {
                self.spare.extend(route.take(device, message)?);
            }
        }
        Ok(())
    }

    /// Unpacks the received values of a step; returns whether there were any.
    pub(crate) fn bring_in(
        &mut self,
        step: usize,
        encoder: &mut wgpu::CommandEncoder,
    ) -> Result<bool, EngineError> {
        let mut any = false;
        for End { unpack, route, came, direct, .. } in &mut self.ends {
            if std::mem::take(came) {
                let taking = Instant::now();
                self.spare.extend(route.taken()?);
                self.copying += taking.elapsed().as_secs_f64();
                unpack.encode(step, &mut encoder.begin_compute_pass(&Default::default()));
                any = true;
            }
            if let Some(direct) = direct {
                any |= direct.unpack(step, encoder)?;
            }
        }
        Ok(any)
    }
}

impl End {
    fn new(
        device: &Device,
        wavefield: &Wavefield,
        share: &Share,
        side: Side,
    ) -> Result<Self, EngineError> {
        let state = wavefield.mirrors.iter().any(|(of, _)| *of == side);
        let exchanged = |pieces| Exchanged { shots: share.plan.shots.len(), pieces, state };
        let (given, taken) = (exchanged(share.given_to(side)), exchanged(share.taken_of(side)));
        let [end, into] = slabs(wavefield, side);
        let values = [values(&end.part, &given), values(&into.part, &taken)];
        let route = Route::new(device, values)?;
        let pack = Packing::new(device, end, &given, "pack", route.going_out())?;
        let unpack = Packing::new(device, into, &taken, "unpack", route.coming_in())?;
        Ok(End { side, given, taken, values, pack, unpack, route, came: false, direct: None })
    }

    /// True if the outgoing values stay on devices this time.
    fn is_direct(&self) -> bool {
        self.direct.as_ref().is_some_and(Peer::is_packed)
    }

    fn name(&self) -> &'static str {
        let direct = self.direct.as_ref().is_some_and(Peer::is_fetched);
        if direct { "peer copies" } else { self.route.name() }
    }
}

/// The slab that sends at an end, and the one that receives.
fn slabs(wavefield: &Wavefield, side: Side) -> [&Slab; 2] {
    let end = wavefield.end(side);
    let mirror = wavefield.mirrors.iter().find(|(of, _)| *of == side);
    [end, mirror.map_or(end, |(_, slab)| slab)]
}

#[cfg(test)]
mod tests {
    use crate::{
        Engine, Gathers, Split,
        gpu::{Gpu, PeerCopies, list, memory::tests::plan},
        grid::Axes,
        plan::Plan,
    };
    use ndarray::{Array2, Array3};
    use std::sync::Arc;

    /// The gathers and fields of two shots that are advanced in two pieces.
    fn results(engine: &dyn Engine, plan: &Arc<Plan>) -> (Vec<Array2<f32>>, Vec<Array3<f32>>) {
        let mut gathers = Gathers::new(plan);
        let mut run = engine.start(plan.clone()).expect("it starts");
        run.advance(5, &mut gathers).expect("a stable run");
        run.advance(plan.time.steps, &mut gathers).expect("a stable run");
        run.finish(&mut gathers).expect("a stable run");
        (gathers.shots, (0..2).map(|shot| run.field(shot).expect("a field")).collect())
    }

    #[test]
    fn beside_the_steps_and_in_turn_give_the_same() {
        let mut ran = false;
        let plan = Arc::new(plan(Axes { z: 20, x: 17, y: 31 }, 6, 2));
        for adapter in list(false).iter().filter(|adapter| adapter.lacks.is_empty()) {
            let open = || {
                let gpu = Gpu::open_copying(adapter).expect("it opens");
                gpu.with_peer_copies(PeerCopies::Never)
            };
            let whole = results(&open().with_copies_in_turn(), &plan);
            assert!(whole.1[0].iter().any(|p| *p != 0.0));
            let split = |in_turn: bool, other: bool| {
                // Each has a device of its own, with one queue for everything.
                let gpu = |in_turn| -> Box<dyn Engine> {
                    let gpu = open();
                    Box::new(if in_turn { gpu.with_copies_in_turn() } else { gpu })
                };
                Split::new(vec![gpu(in_turn), gpu(other), gpu(in_turn)], &[]).expect("three")
            };
            ran |= open().copies_beside();
            for (one, other) in [(true, true), (false, false), (false, true)] {
                let split = results(&split(one, other), &plan);
                assert!(split == whole, "{}, in turn: {one}, {other}", adapter.name);
            }
        }
        if !ran {
            println!("NOT RUN: no Vulkan");
        }
    }

    #[test]
    fn so_do_copies_from_device_to_device() {
        let mut ran = false;
        let plan = Arc::new(plan(Axes { z: 20, x: 17, y: 31 }, 6, 2));
        const PEERS: &str = "peer copies";
        for adapter in list(false).iter().filter(|adapter| adapter.lacks.is_empty()) {
            let (always, never) = (PeerCopies::Always, PeerCopies::Never);
            let own = Gpu::open(adapter, false).expect("it opens").with_peer_copies(always);
            let open = || {
                let gpu = match own.copies_beside() {
                    true => Gpu::open(adapter, false),
                    false => Gpu::open_copying(adapter),
                };
                gpu.expect("it opens").with_peer_copies(always)
            };
            let whole = results(&own.with_peer_copies(never), &plan);
            let cases = [
                (vec![open(), open(), open()], 1, [PEERS; 3].as_slice()),
                (vec![open(), open()], 2, &[PEERS; 2]),
                // One device.
                (vec![own.clone(); 3], 1, &[PEERS; 3]),
                // A device that receives values has neighbours that do not.
                (
                    vec![open(), open(), open().with_peer_copies(never)],
                    1,
                    &[PEERS, "several ways", "host, beside steps"],
                ),
            ];
            for (gpus, ghost_steps, ways) in cases {
                let engines = gpus.into_iter().map(|gpu| -> Box<dyn Engine> { Box::new(gpu) });
                let split = Split::new(engines.collect(), &[]).expect("a weight each");
                let split = split.with_ghost_steps(ghost_steps).expect("some");
                assert!(results(&split, &plan) == whole, "{}, {ways:?}", adapter.name);
                let routes: Vec<_> = split.timings().iter().map(|share| share.halos).collect();
                ran |= routes == ways;
                assert!(routes == ways || !routes.contains(&PEERS), "{routes:?} for {ways:?}");
            }
        }
        if !ran {
            println!("NOT RUN: no GPU with NVIDIA's driver library");
        }
    }
}
