//! Why a device makes no peer copies.

use super::cuda::CudaError;
use crate::EngineError;
use ash::vk;

#[derive(Debug, thiserror::Error)]
pub(crate) enum PeerError {
    #[error("its Vulkan driver imports no memory")]
    NoImport,
    #[error("its Vulkan driver says: {0}")]
    Vulkan(#[from] vk::Result),
    #[error(transparent)]
    Cuda(#[from] CudaError),
    #[error(transparent)]
    Engine(#[from] EngineError),
    #[error("it does not reach the memory of a neighbour")]
    NoWay,
    #[error("it is its own neighbour, which is slower than through the host")]
    SameGpu,
    #[error("a pattern that was fetched from a neighbour's memory is not the one that was there")]
    Wrong,
}
