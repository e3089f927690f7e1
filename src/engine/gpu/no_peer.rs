//! `peer/` on systems without NVIDIA's driver library: halos go through the host.

use super::{device::Device, packing::Exchanged, slab::Slab};
use crate::{EngineError, share::Message};
use wgpu::CommandEncoder;

/// Has no values.
pub(crate) enum Peer {}

impl Peer {
    pub(crate) fn new(
        _: &Device,
        _: [&Slab; 2],
        _: [&Exchanged; 2],
        _: [usize; 2],
    ) -> Option<Self> {
        None
    }

    pub(crate) fn pack(&mut self, _step: usize, _: &mut CommandEncoder) -> bool {
        match *self {}
    }

    pub(crate) fn is_packed(&self) -> bool {
        match *self {}
    }

    pub(crate) fn is_fetched(&self) -> bool {
        match *self {}
    }

    pub(crate) fn write_note(&mut self, _: &mut Message) {
        match *self {}
    }

    pub(crate) fn read_note(&mut self, _: &mut Message) -> Result<bool, EngineError> {
        match *self {}
    }

    pub(crate) fn unpack(
        &mut self,
        _step: usize,
        _: &mut CommandEncoder,
    ) -> Result<bool, EngineError> {
        match *self {}
    }
}
