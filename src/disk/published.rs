//! Turns the folder of a published site back into a list of its files with their digests.
//!
//! Must not know what they should be; comparing is a rule's business.

use std::collections::BTreeMap;
use std::io::ErrorKind;
use std::path::Path;

use anyhow::{Context as _, Result};
use rayon::prelude::*;
use walkdir::WalkDir;

use super::read_plain;
use crate::base::digest::Checksum;
use crate::base::share;
use crate::rules::published::{MANIFEST, Manifest, PublishedSite, digest_of_file};

/// What lies in the site folder `folder`; an absent folder is an empty site.
///
/// # Errors
/// When a file can't be read.
pub fn published(folder: &Path) -> Result<PublishedSite> {
    let manifest = match read_plain(&folder.join(MANIFEST)) {
        Ok(bytes) => Some(Manifest::parse(&String::from_utf8_lossy(&bytes))),
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => None,
        Err(error) => return Err(error).with_context(|| format!("cannot read {}", folder.join(MANIFEST).display())),
    };
    let listed = manifest.as_ref().and_then(|manifest| manifest.as_ref().ok()).map(|manifest| &manifest.files);
    let read: Vec<Result<(String, Checksum, Option<String>)>> = files_of(folder)?
        .into_par_iter()
        .with_max_len(share::LARGEST)
        .map(|name| {
            let path = folder.join(&name);
            let bytes = read_plain(&path).with_context(|| format!("cannot read {}", path.display()))?;
            let digest = digest_of_file(&bytes);
            let edited = listed.and_then(|files| files.get(&name)).is_some_and(|listed| *listed != digest);
            let text = edited.then(|| String::from_utf8_lossy(&bytes).replace("\r\n", "\n"));
            Ok((name, digest, text))
        })
        .collect();
    let (mut files, mut edited) = (BTreeMap::new(), BTreeMap::new());
    for file in read {
        let (name, digest, text) = file?;
        edited.extend(text.map(|text| (name.clone(), text)));
        files.insert(name, digest);
    }
    Ok(PublishedSite { manifest, files, edited })
}

/// The files of a site folder by their paths with `/`, hidden ones and the manifest left out, in order.
fn files_of(folder: &Path) -> Result<Vec<String>> {
    if !folder.is_dir() {
        return Ok(Vec::new());
    }
    let visible = |entry: &walkdir::DirEntry| entry.depth() == 0 || !entry.file_name().to_string_lossy().starts_with('.');
    let mut files = Vec::new();
    for entry in WalkDir::new(folder).sort_by_file_name().into_iter().filter_entry(visible) {
        let entry = entry.with_context(|| format!("cannot read {}", folder.display()))?;
        if !entry.file_type().is_file() {
            continue; // folders; and links, which no build makes, so that a page in their place counts as removed
        }
        let relative = entry.path().strip_prefix(folder).unwrap_or(entry.path());
        let name = relative.components().map(|part| part.as_os_str().to_string_lossy()).collect::<Vec<_>>().join("/");
        if name != MANIFEST {
            files.push(name);
        }
    }
    Ok(files)
}
