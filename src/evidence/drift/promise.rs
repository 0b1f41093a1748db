//! Turns simulated machines into verdicts, thousands of times, and counts: what is promised of a comparison, tried out.
//!
//! Must not need a clock or another seed than its own: every count repeats. Spreads are standard deviations in percent.

use super::*;

/// Rounds of a run.
const ROUNDS: usize = 11;
/// Rows of a page.
const ROWS: usize = 10;

/// The largest spreads that a promise is given for.
const INSIDE: Spreads = Spreads { rounds: 0.5, sessions: 0.2 };

#[derive(Debug, Clone, Copy)]
struct Spreads {
    rounds: f64,
    sessions: f64,
}

/// How the times of a row scatter.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Noise {
    /// Samples scatter evenly, and rounds by the samples alone.
    Even,
    /// Rounds scatter by more than their samples.
    BetweenRounds,
    /// The machine drifts: a round is like the one before it. What that shifts a whole run by is its session.
    Drifting,
    /// Three rounds in ten are slower than the others.
    TwoModed,
    /// Some rounds lie far out.
    HeavyTailed,
}

const NOISES: [Noise; 5] = [Noise::Even, Noise::BetweenRounds, Noise::Drifting, Noise::TwoModed, Noise::HeavyTailed];

/// SplitMix64.
struct Random(u64);

impl Random {
    /// In `0.0..1.0`, never 0.
    fn unit(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut bits = self.0;
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((bits ^ (bits >> 31)) >> 11) as f64 / (1_u64 << 53) as f64 + 1e-17
    }

    fn normal(&mut self) -> f64 {
        libm::sqrt(-2.0 * libm::log(self.unit())) * libm::cos(std::f64::consts::TAU * self.unit())
    }
}

/// One session of a machine: what all its rows and canaries share.
struct Session {
    noise: Noise,
    spread: f64,
    shift: f64,
    drift: Vec<f64>,
}

impl Session {
    fn new(noise: Noise, spreads: Spreads, rounds: usize, random: &mut Random) -> Self {
        let mut drift = vec![0.0; rounds];
        if noise == Noise::Drifting {
            // Of a round's drift seven parts in ten stay for the next. It moves the mean of eleven rounds by two thirds of its own
            // spread, and that is all that this noise has of a session.
            let size = spreads.sessions * 1.5;
            let mut now = size * random.normal();
            for drift in &mut drift {
                *drift = now;
                now = 0.7 * now + size * libm::sqrt(1.0 - 0.49) * random.normal();
            }
        }
        let shift = if noise == Noise::Drifting { 0.0 } else { spreads.sessions * random.normal() };
        // What the drift does not take of the rounds' spread is even.
        let drifting = if noise == Noise::Drifting { 1.5 * spreads.sessions / spreads.rounds } else { 0.0 };
        let left = libm::sqrt(1.0 - (drifting * drifting).min(0.9));
        Self { noise, spread: spreads.rounds * left, shift, drift }
    }

    /// The rounds of one row, or canary, that is `slower` percent slower than it was: logarithms.
    fn row(&self, slower: f64, random: &mut Random) -> Vec<f64> {
        let base = libm::log1p(slower / 100.0);
        self.drift.iter().map(|drift| base + (self.shift + drift + self.spread * self.round(random)) / 100.0).collect()
    }

    /// What a round scatters by, at a standard deviation of 1.
    fn round(&self, random: &mut Random) -> f64 {
        match self.noise {
            Noise::Even => {
                // The middle one of 21 even samples has the standard deviation 1 / (2 √23) of their width.
                let mut samples = [0.0; 21];
                samples.iter_mut().for_each(|sample| *sample = random.unit() - 0.5);
                let (_, middle, _) = samples.select_nth_unstable_by(10, f64::total_cmp);
                *middle * 2.0 * libm::sqrt(23.0)
            }
            Noise::BetweenRounds | Noise::Drifting => random.normal(),
            // 2 with the chance 0.3 has the variance 0.84; the rest is even.
            Noise::TwoModed => {
                let mode = if random.unit() < 0.3 { 1.4 } else { -0.6 };
                mode + 0.4 * random.normal()
            }
            // Student's t with four degrees of freedom has the variance 2.
            Noise::HeavyTailed => {
                let chi = -2.0 * (libm::log(random.unit()) + libm::log(random.unit()));
                random.normal() / libm::sqrt(chi / 4.0) / libm::sqrt(2.0)
            }
        }
    }
}

fn sample(logs: &[f64]) -> Sample {
    Sample::of(logs, 0.0).unwrap()
}

/// Verdicts on `rows` rows of which each is `slower` percent slower, with canaries, of a run that may take more rounds twice if
/// `looks` says so.
fn page(noise: Noise, spreads: Spreads, rows: usize, slower: f64, looks: u32, random: &mut Random) -> Vec<Verdict> {
    let most = ROUNDS * looks as usize;
    let (then, now) = (Session::new(noise, spreads, ROUNDS, random), Session::new(noise, spreads, most, random));
    let canary = (then.row(0.0, random), now.row(0.0, random));
    let pairs: Vec<_> = (0..rows).map(|_| (then.row(0.0, random), now.row(slower, random))).collect();
    let level = level(ROWS, looks);
    let at = |rounds: usize| {
        let moved = Moved { recorded: sample(&canary.0), fresh: sample(&canary.1[..rounds]) };
        let verdict = |(before, now): &(Vec<f64>, Vec<f64>)| {
            let (before, now) = (sample(before), sample(&now[..rounds]));
            // What is not worth a word is neither slower nor faster; no bound has to be known for that.
            let idle = slower == 0.0 && looks == 1 && (now.mean - before.mean).abs() <= libm::log1p(CHANGE);
            if idle { Verdict::Same } else { judge(before, now, Some(moved), level).1 }
        };
        pairs.iter().map(verdict).collect::<Vec<_>>()
    };
    let mut verdicts = at(ROUNDS);
    for look in 2..=looks as usize {
        if !verdicts.contains(&Verdict::Unresolved) {
            break;
        }
        verdicts = at(ROUNDS * look);
    }
    verdicts
}

/// How many of `pages` pages of rows that did not change have a row that is called slower or faster.
fn alarms(noise: Noise, spreads: Spreads, pages: usize, looks: u32) -> usize {
    let mut random = Random(11);
    let wrong = |verdicts: Vec<Verdict>| verdicts.iter().any(|verdict| matches!(verdict, Verdict::Slower | Verdict::Faster));
    (0..pages).filter(|_| wrong(page(noise, spreads, ROWS, 0.0, looks, &mut random))).count()
}

/// The verdicts on `count` rows, one a page, that are `slower` percent slower.
fn found(noise: Noise, spreads: Spreads, count: usize, slower: f64, looks: u32) -> Vec<Verdict> {
    let mut random = Random(12);
    (0..count).flat_map(|_| page(noise, spreads, 1, slower, looks, &mut random)).collect()
}

fn of(verdicts: &[Verdict], which: Verdict) -> usize {
    verdicts.iter().filter(|&&verdict| verdict == which).count()
}

#[test]
fn spreads_are_what_they_are_called() {
    for noise in NOISES {
        let mut random = Random(3);
        let quiet = Spreads { sessions: 1e-9, ..INSIDE };
        let rounds: Vec<f64> = (0..400).flat_map(|_| Session::new(noise, quiet, ROUNDS, &mut random).row(0.0, &mut random)).collect();
        let spread = 100.0 * sample(&rounds).deviation;
        assert!((spread / 0.5 - 1.0).abs() < 0.06, "{noise:?}: {spread}");
        // Many rounds of little spread show the session alone; a drift is over its eleven rounds.
        let session: Vec<f64> = (0..400)
            .map(|_| {
                let session = Session::new(noise, INSIDE, ROUNDS, &mut random);
                session.shift + mean(&session.drift).unwrap()
            })
            .collect();
        let spread = sample(&session).deviation;
        assert!((spread / 0.2 - 1.0).abs() < 0.12, "{noise:?}: {spread}");
    }
}

#[test]
fn a_page_raises_a_false_alarm_once_in_a_hundred_times_at_most() {
    for noise in NOISES {
        let alarms = alarms(noise, INSIDE, 1000, 1);
        assert!(alarms <= 10, "{noise:?}: {alarms} pages in 1000");
    }
}

#[test]
fn two_percent_are_found_in_ninety_nine_of_a_hundred() {
    for noise in NOISES {
        let verdicts = found(noise, INSIDE, 500, 2.0, 1);
        // Far outliers widen the bounds, so that one look finds fewer; more rounds find the rest, as below.
        let least = if noise == Noise::HeavyTailed { 485 } else { 495 };
        let (slower, unresolved) = (of(&verdicts, Verdict::Slower), of(&verdicts, Verdict::Unresolved));
        assert!(slower >= least && slower + unresolved >= 495, "{noise:?}: {slower} and {unresolved} unresolved of 500");
    }
}

#[test]
fn looking_three_times_keeps_both_promises() {
    // The recorded run gets no more rounds, so that an outlier there stays: the tails of the second leave one in a hundred open.
    for (noise, least, pages) in [(Noise::BetweenRounds, 495, 300), (Noise::HeavyTailed, 490, 50)] {
        let alarms = alarms(noise, INSIDE, pages, LOOKS);
        let verdicts = found(noise, INSIDE, 500, 2.0, LOOKS);
        let (slower, unresolved) = (of(&verdicts, Verdict::Slower), of(&verdicts, Verdict::Unresolved));
        assert!(alarms <= pages / 100, "{noise:?}: {alarms} pages in {pages}");
        assert!(slower >= least && slower + unresolved >= 498, "{noise:?}: {slower} found and {unresolved} unresolved of 500");
    }
}

#[test]
fn beyond_the_promise_it_is_unresolved_and_not_wrong() {
    // A machine with noisy rounds, and one whose sessions differ by far more than a row may.
    for spreads in [Spreads { rounds: 2.0, sessions: 0.2 }, Spreads { rounds: 0.5, sessions: 0.8 }] {
        for noise in NOISES {
            // A drift is part of its rounds' spread.
            let spreads = if noise == Noise::Drifting { Spreads { rounds: spreads.rounds.max(1.5), ..spreads } } else { spreads };
            let alarms = alarms(noise, spreads, 400, 1);
            let verdicts = found(noise, spreads, 100, 2.0, 1);
            let count = |which| of(&verdicts, which);
            assert!(alarms <= 4, "{noise:?} {spreads:?}: {alarms} pages in 400");
            assert!(count(Verdict::Faster) == 0 && count(Verdict::Same) <= 1, "{noise:?} {spreads:?}: {:?}", Verdict::ALL.map(count));
            if spreads.rounds > 1.9 {
                assert!(count(Verdict::Unresolved) > 80, "{noise:?} {spreads:?}: {:?}", Verdict::ALL.map(count));
            }
        }
    }
}
