//! Turns what a system says of files, event by event, into changes that are whole: when to read which of them.
//!
//! Must not look at a disk or a clock; events come with their kind and time. An editor that saves makes one to eight events, and a
//! checkout thousands; each is to be one change, and a save is to be seen at once.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use notify::event::{AccessKind, AccessMode, CreateKind, ModifyKind, RenameMode};
use notify::{Event, EventKind};

/// How long a whole file is kept waiting, to see whether it comes alone.
const NEXT: Duration = Duration::from_millis(2);

/// How long all must be quiet when several files change, or one is half written or gone.
const QUIET: Duration = Duration::from_millis(25);

/// How long a busy folder is waited for at most.
const PATIENCE: Duration = Duration::from_millis(500);

/// In which state an event leaves a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum State {
    /// It can be read.
    Whole,
    /// Somebody still writes, or the system doesn't say when that ends.
    Open,
    /// It went; where it is being replaced, another comes.
    Gone,
}

/// The states in which `event` leaves its files; none where nothing changed.
pub(super) fn states(event: Event) -> Vec<(PathBuf, State)> {
    let state = match event.kind {
        EventKind::Access(AccessKind::Close(AccessMode::Write)) => State::Whole,
        EventKind::Access(_) => return Vec::new(),
        EventKind::Modify(ModifyKind::Metadata(_) | ModifyKind::Name(RenameMode::To)) | EventKind::Create(CreateKind::Folder) => {
            State::Whole
        }
        EventKind::Modify(ModifyKind::Name(RenameMode::From)) | EventKind::Remove(_) => State::Gone,
        EventKind::Modify(ModifyKind::Name(RenameMode::Both)) => {
            return event.paths.into_iter().zip([State::Gone, State::Whole]).collect();
        }
        _ => State::Open,
    };
    event.paths.into_iter().map(|path| (path, state)).collect()
}

/// What changed and was not read yet.
#[derive(Debug)]
pub(super) struct Batch {
    paths: BTreeMap<PathBuf, State>,
    /// Whether anything at all may have changed.
    everything: bool,
    begun: Instant,
    last: Instant,
}

impl Batch {
    /// Nothing, at `now`.
    pub(super) fn new(now: Instant) -> Self {
        Self { paths: BTreeMap::new(), everything: false, begun: now, last: now }
    }

    pub(super) fn add(&mut self, path: PathBuf, state: State, now: Instant) {
        self.paths.insert(path, state);
        self.last = now;
    }

    /// The system lost count, or a folder of inputs came or went.
    pub(super) fn add_everything(&mut self, now: Instant) {
        self.everything = true;
        self.last = now;
    }

    /// Whether more than one file is in it, as after a checkout.
    pub(super) fn is_burst(&self) -> bool {
        self.everything || self.paths.len() > 1
    }

    /// Until when more is waited for.
    pub(super) fn until(&self) -> Instant {
        let is_one_whole = !self.is_burst() && self.paths.values().all(|state| *state == State::Whole);
        let wait = if is_one_whole { NEXT } else { QUIET };
        (self.last + wait).min(self.begun + PATIENCE)
    }

    /// What to read; `None` for everything.
    pub(super) fn paths(self) -> Option<Vec<PathBuf>> {
        (!self.everything).then(|| self.paths.into_keys().collect())
    }
}

#[cfg(test)]
mod tests {
    use notify::event::{DataChange, MetadataKind, RemoveKind};

    use super::*;

    const CREATED: EventKind = EventKind::Create(CreateKind::File);
    const WRITTEN: EventKind = EventKind::Modify(ModifyKind::Data(DataChange::Any));
    const CLOSED: EventKind = EventKind::Access(AccessKind::Close(AccessMode::Write));
    const READ: EventKind = EventKind::Access(AccessKind::Close(AccessMode::Read));
    const MODE: EventKind = EventKind::Modify(ModifyKind::Metadata(MetadataKind::Any));
    const FROM: EventKind = EventKind::Modify(ModifyKind::Name(RenameMode::From));
    const TO: EventKind = EventKind::Modify(ModifyKind::Name(RenameMode::To));
    const REMOVED: EventKind = EventKind::Remove(RemoveKind::File);

    /// A name of a case, events a millisecond apart, and for how many more milliseconds to wait after the last.
    type Case<'a> = (&'a str, &'a [(EventKind, &'a str)], u64);

    #[test]
    fn a_save_is_read_at_once_and_what_may_go_on_is_waited_for() {
        let cases: [Case<'_>; 9] = [
            ("written in place, as VS Code does", &[(WRITTEN, "a"), (WRITTEN, "a"), (CLOSED, "a"), (READ, "a")], 2),
            ("renamed over, the temporary one being no input", &[(TO, "a"), (MODE, "a")], 2),
            ("moved away and written anew, as vim does", &[(FROM, "a"), (CREATED, "a"), (WRITTEN, "a"), (CLOSED, "a"), (MODE, "a")], 2),
            ("half of that", &[(FROM, "a"), (CREATED, "a")], 25),
            ("half written", &[(WRITTEN, "a")], 25),
            ("gone", &[(REMOVED, "a")], 25),
            ("a temporary file among the inputs", &[(CREATED, "t"), (CLOSED, "t"), (FROM, "t"), (TO, "a")], 25),
            ("two files", &[(CLOSED, "a"), (CLOSED, "b")], 25),
            ("touched", &[(MODE, "a")], 2),
        ];
        for (name, events, expected) in cases {
            let begun = Instant::now();
            let (mut batch, mut now) = (Batch::new(begun), begun);
            for (kind, path) in events {
                now += Duration::from_millis(1);
                for (path, state) in states(Event::new(*kind).add_path(path.into())) {
                    batch.add(path, state, now);
                }
            }
            let last = if events.last().is_some_and(|(kind, _)| *kind == READ) { now - Duration::from_millis(1) } else { now };
            assert_eq!(batch.until() - last, Duration::from_millis(expected), "{name}");
        }
    }

    #[test]
    fn nobody_waits_for_ever_and_everything_is_everything() {
        let begun = Instant::now();
        let mut batch = Batch::new(begun);
        batch.add("a".into(), State::Open, begun + PATIENCE);
        assert_eq!(batch.until(), begun + PATIENCE);
        assert!(!batch.is_burst());
        batch.add("b".into(), State::Whole, begun);
        assert!(batch.is_burst());
        batch.add_everything(begun);
        assert_eq!(batch.paths(), None);
    }

    #[test]
    fn a_rename_seen_whole_is_both_ends() {
        let event = Event::new(EventKind::Modify(ModifyKind::Name(RenameMode::Both))).add_path("a".into()).add_path("b".into());
        assert_eq!(states(event), [("a".into(), State::Gone), ("b".into(), State::Whole)]);
    }
}
