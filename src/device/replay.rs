//! Turns a record back into the device that made it.
//!
//! Must not know how the record is compared with the new one.
