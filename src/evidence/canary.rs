//! Turns the launches that lessonc brings itself into results beside those of the rows: what they tell is whether the machine
//! moved while the code did not.
//!
//! Must not know how a canary is launched, nor what is compared with it.

use serde::{Deserialize, Serialize};

use crate::base::statistics::median;
use crate::plan::launch::{DeviceFacts, Launch};

use super::record::{Outcome, Record, samples};

/// A launch that lessonc brings itself. Its name stands for its code: a canary that does other work gets another name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Canary {
    /// A large copy from device memory to device memory: the canary of rows that wait for memory.
    Copy,
    /// A loop of fused multiply-adds on registers alone: the canary of rows that compute.
    Fma,
}

impl Canary {
    /// All of them.
    pub const ALL: [Self; 2] = [Self::Copy, Self::Fma];

    /// Its name, as records and tables have it.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Copy => "copy",
            Self::Fma => "fma",
        }
    }

    /// The canary of a launch's kind: what bounds it on `gpu` by the bytes and operations that it declares. `None` if it
    /// declares neither.
    #[must_use]
    pub fn of(launch: &Launch, gpu: &DeviceFacts) -> Option<Self> {
        match (launch.bytes, launch.flop) {
            (None, None) => None,
            (Some(_), None) => Some(Self::Copy),
            (None, Some(_)) => Some(Self::Fma),
            (Some(bytes), Some(flop)) => {
                // The longer of the two times at the device's peaks, as in a roofline; kHz cancel out.
                let lanes = if gpu.compute_capability <= (8, 0) { 64.0 } else { 128.0 };
                let per_cycle = f64::from(gpu.sms) * lanes * 2.0;
                let at_memory = bytes as f64 / (f64::from(gpu.memory_bus_bits) / 8.0 * 2.0 * f64::from(gpu.memory_clock_khz));
                let at_lanes = flop as f64 / (per_cycle * f64::from(gpu.sm_clock_khz));
                Some(if at_memory >= at_lanes { Self::Copy } else { Self::Fma })
            }
        }
    }
}

/// A canary in one round.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CanaryResult {
    /// Round, from 1.
    pub round: u32,
    /// Which.
    pub canary: Canary,
    /// How it ended.
    pub outcome: Outcome,
    /// Launches in a sample.
    pub launches: u32,
    /// What one launch does: bytes read and written by a copy, operations of multiply-adds.
    pub work: u64,
    /// The span of each sample, nanoseconds.
    #[serde(deserialize_with = "samples::read")]
    pub spans_ns: Vec<u64>,
    /// SM clock of each sample, MHz.
    #[serde(deserialize_with = "samples::read")]
    pub clock_mhz: Vec<u32>,
    /// Throttle reasons of the driver before the samples, by name.
    pub throttle_before: Option<Vec<String>>,
    /// And after.
    pub throttle_after: Option<Vec<String>>,
    /// Launches of warm-up.
    pub warmup_launches: u32,
}

impl Record {
    /// The results of `canary` that are `ok`, in the order they were measured.
    fn canary_results(&self, canary: Canary) -> impl Iterator<Item = &CanaryResult> {
        self.canaries.iter().filter(move |result| result.canary == canary && result.outcome == Outcome::Ok)
    }

    /// For each round from the first, the time of one launch of `canary` in nanoseconds: the median over the round's samples.
    /// `None` where it was not `ok`.
    #[must_use]
    pub fn canary_round_ns(&self, canary: Canary) -> Vec<Option<f64>> {
        let mut rounds = vec![None; self.header.identity.timing.rounds as usize];
        for result in self.canary_results(canary) {
            let spans: Vec<f64> = result.spans_ns.iter().map(|&span| span as f64).collect();
            if let Some(place) = (result.round as usize).checked_sub(1).and_then(|round| rounds.get_mut(round)) {
                *place = median(&spans).map(|span| span / f64::from(result.launches.max(1)));
            }
        }
        rounds
    }

    /// The times of [`Record::canary_round_ns`] in the rounds in which `canary` was `ok`.
    #[must_use]
    pub fn canary_ns(&self, canary: Canary) -> Vec<f64> {
        self.canary_round_ns(canary).into_iter().flatten().collect()
    }

    /// The smallest step that a time of `canary` can make, nanoseconds a launch, as [`Record::quantum_ns`] is of a row.
    #[must_use]
    pub fn canary_quantum_ns(&self, canary: Canary) -> f64 {
        self.tick_ns() / self.canary_work(canary).map_or(1.0, |(launches, _)| f64::from(launches.max(1)))
    }

    /// Launches in a sample of `canary` and the work of each: equal in all rounds, and in runs that can be compared.
    #[must_use]
    pub fn canary_work(&self, canary: Canary) -> Option<(u32, u64)> {
        self.canary_results(canary).next().map(|result| (result.launches, result.work))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evidence::record::tests::sample;

    #[test]
    fn the_kind_of_a_row_follows_from_what_it_declares() {
        let record = sample();
        let gpu = record.header.identity.gpu.as_ref().unwrap();
        let launch = record.rows[0].launch.as_ref().unwrap();
        // 4 SMs of 128 lanes at 1.98 GHz do 2.03 TFLOP/s; 5120 bits at 2 x 2.619 GHz move 3.35 TB/s: 0.6 operations a byte.
        let cases = [
            (None, None, None),
            (Some(1), None, Some(Canary::Copy)),
            (None, Some(1), Some(Canary::Fma)),
            (Some(1000), Some(600), Some(Canary::Copy)),
            (Some(1000), Some(610), Some(Canary::Fma)),
        ];
        for (bytes, flop, expected) in cases {
            assert_eq!(Canary::of(&Launch { bytes, flop, ..launch.clone() }, gpu), expected, "{bytes:?} {flop:?}");
        }
    }
}
