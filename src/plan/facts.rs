//! Turns what the driver says of a device and of a kernel into named values: `device.sms`, `residency.blocks_per_sm`.
//!
//! Must not know which expression asks.

use std::sync::Arc;

use crate::base::quantity::{Amount, Dimension, Quantity, Rational, Unit};
use crate::expr::{Absent, Row, Value};

use super::launch::{DeviceFacts, Launch, Residency};

/// Values by name, in an order of their own.
#[derive(Clone)]
pub struct Facts {
    title: String,
    values: Vec<(&'static str, Value)>,
}

impl Row for Facts {
    fn title(&self) -> String {
        self.title.clone()
    }

    fn column(&self, name: &str) -> Result<Value, Absent> {
        match self.values.iter().find(|(known, _)| *known == name) {
            Some((_, value)) => Ok(value.clone()),
            None => Err(format!("{} has no `{name}`", self.title).into()),
        }
    }

    fn columns(&self) -> Vec<String> {
        self.values.iter().map(|(name, _)| (*name).to_owned()).collect()
    }
}

/// What `device` is in expressions: the fields of [`DeviceFacts`] by their names, with `architecture`.
#[must_use]
pub fn device(facts: &DeviceFacts) -> Arc<Facts> {
    let counted = |count: u32, noun| Value::Quantity(Quantity::counted(count, noun));
    let bytes = |count: u64| Value::Quantity(Quantity::bytes(count));
    let clock = |khz: u32| {
        let hertz = Rational::from_integer(i128::from(khz) * 1000);
        Value::Quantity(Quantity { amount: Amount::Exact(hertz), unit: Unit::automatic(Dimension::CLOCK) })
    };
    let text = |text: &str| Value::Text(text.into());
    let values = vec![
        ("name", text(&facts.name)),
        ("mig", text(facts.mig.as_deref().unwrap_or("none"))),
        ("architecture", text(&facts.architecture())),
        ("compute_capability", text(&format!("{}.{}", facts.compute_capability.0, facts.compute_capability.1))),
        ("sms", counted(facts.sms, "SMs")),
        ("warp_size", counted(facts.warp_size, "threads")),
        ("threads_per_sm", counted(facts.threads_per_sm, "threads")),
        ("blocks_per_sm", counted(facts.blocks_per_sm, "blocks")),
        ("threads_per_block", counted(facts.threads_per_block, "threads")),
        ("registers_per_sm", counted(facts.registers_per_sm, "registers")),
        ("registers_per_block", counted(facts.registers_per_block, "registers")),
        ("shared_bytes_per_sm", bytes(facts.shared_bytes_per_sm.into())),
        ("shared_bytes_per_block", bytes(facts.shared_bytes_per_block.into())),
        ("shared_bytes_per_block_optin", bytes(facts.shared_bytes_per_block_optin.into())),
        ("shared_bytes_reserved_per_block", bytes(facts.shared_bytes_reserved_per_block.into())),
        ("l2_bytes", bytes(facts.l2_bytes)),
        ("memory_bytes", bytes(facts.memory_bytes)),
        ("memory_bus_bits", counted(facts.memory_bus_bits, "bits")),
        ("memory_clock_khz", clock(facts.memory_clock_khz)),
        ("sm_clock_khz", clock(facts.sm_clock_khz)),
        ("ecc", Value::Truth(Some(facts.ecc))),
    ];
    Arc::new(Facts { title: format!("the device ({})", facts.name), values })
}

/// What `residency` is in a launch's grid: the driver's answer and what it says of the kernel. In a measured row the same
/// names are columns.
#[must_use]
pub fn residency(answer: &Residency) -> Arc<Facts> {
    Arc::new(Facts { title: "the driver's residency answer".to_owned(), values: residency_values(answer) })
}

/// The values of [`residency`], by name.
#[must_use]
pub fn residency_values(answer: &Residency) -> Vec<(&'static str, Value)> {
    let counted = |count: u32, noun| Value::Quantity(Quantity::counted(count, noun));
    let bytes = |count: u32| Value::Quantity(Quantity::bytes(count));
    vec![
        ("blocks_per_sm", counted(answer.blocks_per_sm, "blocks")),
        ("registers", counted(answer.kernel.registers, "registers")),
        ("local_bytes", bytes(answer.kernel.local_bytes)),
        ("static_shared", bytes(answer.kernel.static_shared_bytes)),
        ("max_threads", counted(answer.kernel.max_threads_per_block, "threads")),
        ("suggested_block", counted(answer.suggested_block, "threads")),
        ("suggested_grid", counted(answer.suggested_grid, "blocks")),
    ]
}

/// The values of a launch, by the names of their columns; work that the sweep does not declare is left out.
#[must_use]
pub fn launch_values(launch: &Launch) -> Vec<(&'static str, Quantity)> {
    let volume = |sides: [u32; 3]| sides.iter().map(|&side| i128::from(side)).product::<i128>();
    let mut values = vec![
        ("grid", Quantity::counted(volume(launch.grid), "blocks")),
        ("block", Quantity::counted(volume(launch.shape.block), "threads")),
        ("shared", Quantity::bytes(launch.shape.shared_bytes)),
    ];
    values.extend(launch.bytes.map(|bytes| ("bytes", Quantity::bytes(bytes))));
    values.extend(launch.flop.map(|flop| ("flop", Quantity::flop(flop))));
    values
}
