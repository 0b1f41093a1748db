//! Turns the driver's attributes of a GPU into its facts.
//!
//! Must not know what is computed from them.

use super::api::{Attribute, Failure, Gpu};
use crate::plan::launch::DeviceFacts;

/// What the driver says of the GPU. A MIG instance has its profile in its name.
pub(super) fn facts(gpu: &Gpu) -> Result<DeviceFacts, Failure> {
    use Attribute::*;
    let name = gpu.name()?;
    let (name, mig) = match name.split_once(" MIG ") {
        Some((name, profile)) => (name.to_owned(), Some(profile.trim().to_owned())),
        None => (name, None),
    };
    let ask = |which| gpu.attribute(which);
    Ok(DeviceFacts {
        name,
        mig,
        compute_capability: (ask(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR)?, ask(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR)?),
        sms: ask(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT)?,
        warp_size: ask(CU_DEVICE_ATTRIBUTE_WARP_SIZE)?,
        threads_per_sm: ask(CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR)?,
        blocks_per_sm: ask(CU_DEVICE_ATTRIBUTE_MAX_BLOCKS_PER_MULTIPROCESSOR)?,
        threads_per_block: ask(CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK)?,
        registers_per_sm: ask(CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR)?,
        registers_per_block: ask(CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_BLOCK)?,
        shared_bytes_per_sm: ask(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR)?,
        shared_bytes_per_block: ask(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK)?,
        shared_bytes_per_block_optin: ask(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN)?,
        shared_bytes_reserved_per_block: ask(CU_DEVICE_ATTRIBUTE_RESERVED_SHARED_MEMORY_PER_BLOCK)?,
        l2_bytes: ask(CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE)?.into(),
        memory_bytes: gpu.memory_bytes()?,
        memory_bus_bits: ask(CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH)?,
        memory_clock_khz: ask(CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE)?,
        sm_clock_khz: ask(CU_DEVICE_ATTRIBUTE_CLOCK_RATE)?,
        ecc: ask(CU_DEVICE_ATTRIBUTE_ECC_ENABLED)? != 0,
    })
}
