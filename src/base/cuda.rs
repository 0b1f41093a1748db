//! Turns CUDA and C++ text into tokens: for markers, fingerprints and highlighting.
//!
//! Must not know regions or pages; it never fails, whatever the text.
