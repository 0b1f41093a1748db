//! Turns the words of a language into what templates look them up in.
//!
//! Must not know any word. It is made once for all pages.

use std::sync::{Arc, OnceLock};

use minijinja::Value;
use minijinja::value::{Object, Serde, ValueKind};
use rustc_hash::FxHashMap;
use serde::{Serialize as _, Serializer};

use super::{ENGLISH, HEBREW, Words};

/// Serialises words as the plain data that was made of them once: they are on every page.
pub(crate) fn made_once<S: Serializer>(words: &&'static Words, serializer: S) -> Result<S::Ok, S::Error> {
    static ALL: [(&Words, OnceLock<Value>); 2] = [(&ENGLISH, OnceLock::new()), (&HEBREW, OnceLock::new())];
    match ALL.iter().find(|(known, _)| std::ptr::eq(*known, *words)) {
        Some((words, view)) => view.get_or_init(|| Dictionary::of(&Value::from(Serde(*words)))).serialize(serializer),
        None => words.serialize(serializer),
    }
}

/// Words by their names. Templates ask for some sixty a page, and there are two hundred.
#[derive(Debug)]
struct Dictionary(FxHashMap<String, Value>);

impl Dictionary {
    /// `words`, if they are some by their names, and those among them likewise.
    fn of(words: &Value) -> Value {
        if words.kind() != ValueKind::Map {
            return words.clone();
        }
        let named = |name: Value| Some((name.as_str()?.to_owned(), Self::of(&words.get_item(&name).ok()?)));
        Value::from_object(Self(words.try_iter().into_iter().flatten().filter_map(named).collect()))
    }
}

impl Object for Dictionary {
    fn get_value(self: &Arc<Self>, key: &Value) -> Option<Value> {
        self.get_value_by_str(key.as_str()?)
    }

    fn get_value_by_str(self: &Arc<Self>, key: &str) -> Option<Value> {
        self.0.get(key).cloned()
    }
}
