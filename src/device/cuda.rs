//! Turns the calls of the device seam into CUDA: the one file that names cudarc.
//!
//! Must not decide anything: order, counts and verdicts come from above.
