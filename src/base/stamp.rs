//! Turns what a value was made from into a stamp: two stamps are alike where each part is the very same value, or an equal digest.
//!
//! Must not know what the parts are. A stamp keeps its parts alive, so that no later value can stand at the address of an earlier one.

use std::any::Any;
use std::fmt;
use std::sync::Arc;

use super::digest::Checksum;

/// What a value was made from.
#[derive(Clone, Default)]
pub struct Stamp(Vec<Part>);

#[derive(Clone)]
enum Part {
    Same(Arc<dyn Any + Send + Sync>),
    Equal(Checksum),
    Missing,
}

impl Stamp {
    /// Adds this very value.
    pub fn same<T: Any + Send + Sync>(&mut self, part: &Arc<T>) {
        self.0.push(Part::Same(part.clone()));
    }

    /// Adds this very value, or that there is none.
    pub fn same_or_none<T: Any + Send + Sync>(&mut self, part: Option<&Arc<T>>) {
        self.0.push(part.map_or(Part::Missing, |part| Part::Same(part.clone())));
    }

    /// Adds anything equal to what has this digest, or that there is nothing.
    pub fn equal(&mut self, part: Option<Checksum>) {
        self.0.push(part.map_or(Part::Missing, Part::Equal));
    }
}

impl PartialEq for Stamp {
    fn eq(&self, other: &Self) -> bool {
        self.0.len() == other.0.len() && self.0.iter().zip(&other.0).all(|(one, other)| one.is_like(other))
    }
}

impl Part {
    fn is_like(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Same(one), Self::Same(other)) => std::ptr::addr_eq(Arc::as_ptr(one), Arc::as_ptr(other)),
            (Self::Equal(one), Self::Equal(other)) => one == other,
            (Self::Missing, Self::Missing) => true,
            _ => false,
        }
    }
}

impl fmt::Debug for Stamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a stamp of {} parts", self.0.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_is_the_same_and_an_equal_value_is_another() {
        let (one, twin) = (Arc::new("a".to_owned()), Arc::new("a".to_owned()));
        let of = |part: Option<&Arc<String>>, digest: &str| {
            let mut stamp = Stamp::default();
            stamp.same_or_none(part);
            stamp.equal(Some(Checksum::of(digest)));
            stamp
        };
        assert!(of(Some(&one), "x") == of(Some(&one.clone()), "x"));
        assert!(of(Some(&one), "x") != of(Some(&twin), "x"));
        assert!(of(Some(&one), "x") != of(Some(&one), "y"));
        assert!(of(None, "x") != of(Some(&one), "x") && of(None, "x") == of(None, "x"));
        let mut longer = of(None, "x");
        longer.equal(None);
        assert!(longer != of(None, "x"));
    }
}
