//! Turns `[physics]` of a manifest into what no run may exceed.
//!
//! Must not know values, nor what any device can do.

use crate::base::problem::{Problem, Problems};
use crate::course::keys::Keys;
use crate::course::sweep::Level;
use crate::expr::Expr;

use super::one_of;

/// What no run of a sweep may exceed, over the constants, the row's values and the device. It changes no measurement.
#[derive(Debug, Clone, Default)]
pub struct PhysicsSpec {
    /// Where the bytes of a launch come from, if the sweep says.
    pub level: Option<Level>,
    /// The peak rate of that level, if it is not DRAM.
    pub peak_bandwidth: Option<Expr>,
    /// The peak rate of floating-point operations.
    pub peak_flops: Option<Expr>,
    /// Operations that each wait for the one before, and the cycles that one takes.
    pub chain: Option<(Expr, Expr)>,
}

/// The limits that `keys` states.
pub(super) fn physics(mut keys: Keys<'_>, problems: &mut Problems) -> PhysicsSpec {
    let mut level = None;
    if keys.item("level").is_some() {
        level = one_of(&mut keys, "level", &Level::ALL, Level::name, problems);
    }
    let (peak_bandwidth, peak_flops) = (keys.expr("peak_bandwidth", problems), keys.expr("peak_flops", problems));
    if let (Some(peak), None | Some(Level::Dram)) = (&peak_bandwidth, level) {
        problems.push(
            Problem::error("manifest-value", peak.span(), "a peak of DRAM is not stated: it follows from the device")
                .hint("say which `level` the bytes come from: `l2`, `l1` or `shared`"),
        );
    }
    let chain = keys.table("chain", "`chain`", problems).and_then(|mut chain| {
        let (operations, latency) = (chain.expr("operations", problems), chain.expr("latency", problems));
        let operations = chain.required("operations", operations, problems);
        let latency = chain.required("latency", latency, problems);
        chain.finish(problems);
        operations.zip(latency)
    });
    keys.finish(problems);
    PhysicsSpec { level, peak_bandwidth, peak_flops, chain }
}
