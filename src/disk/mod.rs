//! Turns folders into source trees and sites into folders: reading, publishing, watching.
//!
//! Must not know what its neighbours above do not tell it.
