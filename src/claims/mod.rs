//! Turns sentences with conditions into verdicts, by the evidence of each device.
//!
//! Must not know how a page looks.
