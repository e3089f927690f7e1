//! A file without its soft links, which the HDF5 crate takes for broken objects in groups of the
//! oldest kind: their entry has no address of an object.
//!
//! *HDF5 File Format Specification 3.0, section III.B, Group Symbol Table Nodes.*

use hdf5_pure::{FormatError, Source};
use std::sync::{
    Arc, OnceLock,
    atomic::{AtomicU64, Ordering},
};

/// The start of a node of a group's symbol table.
const NODE: &[u8] = b"SNOD";
/// Bytes before a node's entries: the signature, a version, and how many there are.
const HEAD: usize = 8;
/// Bytes of an entry beside its name and its address.
const REST: usize = 24;
/// The cache type of a soft link.
const SOFT: [u8; 4] = [2, 0, 0, 0];

/// The sizes of numbers in a file, which are known once it is open.
#[derive(Clone, Debug, Default)]
pub(super) struct Sizes(Arc<OnceLock<(usize, usize)>>);

impl Sizes {
    /// Bytes of a length and of an offset.
    pub(crate) fn set(&self, length: u8, offset: u8) {
        self.0.get_or_init(|| (length.into(), offset.into()));
    }
}

/// The offset of the first read since [`FirstRead::forget`]. A list of a group's members begins with
/// the group's header, whose offset tells groups apart that have several names.
#[derive(Clone, Debug)]
pub(super) struct FirstRead(Arc<AtomicU64>);

/// No read.
const NONE: u64 = u64::MAX;

impl FirstRead {
    pub(crate) fn new() -> Self {
        FirstRead(Arc::new(AtomicU64::new(NONE)))
    }

    pub(crate) fn forget(&self) {
        self.0.store(NONE, Ordering::Relaxed);
    }

    pub(crate) fn offset(&self) -> Option<u64> {
        Some(self.0.load(Ordering::Relaxed)).filter(|offset| *offset != NONE)
    }

    fn see(&self, offset: u64) {
        // Only the first is kept.
        let _ = self.0.compare_exchange(NONE, offset, Ordering::Relaxed, Ordering::Relaxed);
    }
}

/// A source of which nodes of symbol tables have no soft links.
pub(super) struct WithoutSoftLinks<S> {
    pub(crate) source: S,
    pub(crate) sizes: Sizes,
    pub(crate) first: FirstRead,
}

impl<S: Source> WithoutSoftLinks<S> {
    /// The node at an offset, from its head to its last hard link; `None` if it has no soft link, or
    /// is cut.
    fn node(&self, offset: u64, head: &[u8]) -> Option<Vec<u8>> {
        let (length, address) = *self.sizes.0.get()?;
        let (entry, kind) = (length + address + REST, length + address);
        let count = usize::from(u16::from_le_bytes([head[6], head[7]]));
        let whole = self.source.read_metadata_at(offset, HEAD + count * entry).ok()?;
        let is_hard = |entry: &&[u8]| entry[kind..kind + 4] != SOFT;
        let hard: Vec<_> = whole[HEAD..].chunks_exact(entry).filter(is_hard).collect();
        if hard.len() == count {
            return None;
        }
        let mut node = whole[..HEAD].to_vec();
        node[6..HEAD].copy_from_slice(&(hard.len() as u16).to_le_bytes());
        node.extend(hard.concat());
        Some(node)
    }
}

impl<S: Source> Source for WithoutSoftLinks<S> {
    fn len(&self) -> u64 {
        self.source.len()
    }

    fn read_at(&self, offset: u64, buf: &mut [u8]) -> Result<(), FormatError> {
        self.first.see(offset);
        self.source.read_at(offset, buf)
    }

    fn read_metadata_at(&self, offset: u64, len: usize) -> Result<Vec<u8>, FormatError> {
        self.first.see(offset);
        let mut read = self.source.read_metadata_at(offset, len)?;
        if len >= HEAD
            && read.starts_with(NODE)
            && let Some(node) = self.node(offset, &read[..HEAD])
        {
            let same = len.min(node.len());
            read[..same].copy_from_slice(&node[..same]);
        }
        Ok(read)
    }
}
