//! Turns the folder of a published site back into a list of its files with their digests.
//!
//! Must not know what they should be; comparing is a rule's business.
