//! Turns a record into what its run took: on the wall, and of that on the device for what was meant to be there.
//!
//! Must not know how long anything should take.

use std::time::Duration;

use chrono::DateTime;

use super::record::{Outcome, Record};

/// How long the run of `record` took on the wall; to the second where the record does not say more. `None` for one that was not
/// finished, or not in one piece.
#[must_use]
pub fn wall(record: &Record) -> Option<Duration> {
    let footer = record.footer.as_ref().filter(|footer| footer.resumed.is_empty())?;
    if let Some(wall) = footer.wall_ms {
        return Some(Duration::from_millis(wall));
    }
    let time = |text: &str| DateTime::parse_from_rfc3339(text).ok();
    time(&footer.ended)?.signed_duration_since(time(&record.header.started)?).to_std().ok()
}

/// How long warm-up and samples were, those of canaries included. A record has no spans of warm-up: its launches count as long as those of the row's own samples
/// on average, and at least the time that warm-up is held to, since between its launches the cache is emptied, too.
#[must_use]
pub fn timed(record: &Record) -> Duration {
    let least = 1e6 * f64::from(record.header.identity.timing.warmup_ms);
    let took = |spans: &[u64], of_sample: u32, of_warmup: u32| {
        let launched = spans.len() as f64 * f64::from(of_sample);
        let spans = spans.iter().fold(0_u64, |sum, span| sum.saturating_add(*span)) as f64;
        let warmup = spans * f64::from(of_warmup) / launched.max(1.0);
        spans + warmup.max(least)
    };
    let rows = record.results.iter().filter(|result| result.outcome == Outcome::Ok).map(|result| {
        let launches = record.rows.get(result.row as usize).map_or(1, |row| row.launches_per_sample);
        took(&result.spans_ns, launches, result.warmup_launches)
    });
    let canaries = record.canaries.iter().filter(|result| result.outcome == Outcome::Ok);
    let canaries = canaries.map(|result| took(&result.spans_ns, result.launches, result.warmup_launches));
    Duration::from_nanos(rows.chain(canaries).sum::<f64>() as u64)
}

#[cfg(test)]
mod tests {
    use super::super::canary::{Canary, CanaryResult};
    use super::super::record::tests::sample;
    use super::*;

    #[test]
    fn warm_up_counts_like_the_samples_and_the_wall_by_the_clock() {
        let mut record = sample();
        record.header.identity.timing.warmup_ms = 0;
        let spans = |record: &Record| record.results.iter().filter(|result| result.outcome == Outcome::Ok).count() as u64;
        let measured = spans(&record);
        assert!(measured > 0);
        for result in &mut record.results {
            (result.spans_ns, result.warmup_launches) = (vec![1_000; 20], 0);
        }
        record.canaries.clear();
        assert_eq!(timed(&record), Duration::from_nanos(20_000 * measured));
        for result in &mut record.results {
            result.warmup_launches = 40 * record.rows[result.row as usize].launches_per_sample;
        }
        assert_eq!(timed(&record), Duration::from_nanos(60_000 * measured));
        record.header.identity.timing.warmup_ms = 200;
        assert_eq!(timed(&record), Duration::from_nanos(200_020_000 * measured));
        record.canaries.push(CanaryResult {
            round: 1,
            canary: Canary::Copy,
            outcome: Outcome::Ok,
            launches: 4,
            work: 1,
            spans_ns: vec![4_000; 20],
            clock_mhz: vec![1_000; 20],
            throttle_before: None,
            throttle_after: None,
            warmup_launches: 800_000,
        });
        assert_eq!(timed(&record), Duration::from_nanos(200_020_000 * measured + 80_000 + 800_000_000), "canaries are measured, too");
        record.header.started = "2026-02-03T04:05:06Z".to_owned();
        let Some(footer) = &mut record.footer else { panic!("the record is closed") };
        footer.ended = "2026-02-03T04:06:16Z".to_owned();
        assert_eq!(wall(&record), Some(Duration::from_secs(70)));
        if let Some(footer) = &mut record.footer {
            footer.wall_ms = Some(71_250);
        }
        assert_eq!(wall(&record), Some(Duration::from_millis(71_250)));
        record.footer = None;
        assert_eq!(wall(&record), None);
    }
}
