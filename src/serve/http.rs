//! Turns requests of a browser into files of the site, each page with the script that keeps it up to date, and into news for that script.
//!
//! Must not answer what [`super::guard`] refuses, nor serve anything but the site.

use std::convert::Infallible;
use std::sync::{Arc, LazyLock};
use std::time::Duration;

use axum::Router;
use axum::body::Bytes;
use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderValue, StatusCode, Uri, header};
use axum::middleware::{self, Next};
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse, Redirect, Response};
use axum::routing::get;
use futures_util::stream;
use serde_json::json;

use super::guard::{self, Hosts, Refusal};
use super::preview::{File, Preview};
use crate::pages::html::escape;

/// The script on every page, in one function of its own.
static SCRIPT: LazyLock<String> = LazyLock::new(|| {
    format!(
        "(() => {{\n\"use strict\";\nconst STYLE = {};\n{}\n{}\n{}\n{}\n}})();\n",
        json!(include_str!("page/problems.css")),
        include_str!("page/patch.js"),
        include_str!("page/keep.js"),
        include_str!("page/problems.js"),
        include_str!("page/follow.js"),
    )
});

pub(super) fn router(preview: Arc<Preview>, hosts: Hosts) -> Router {
    let guard = move |request: Request, next: Next| {
        let checked = guard::check(request.method(), request.headers(), &hosts);
        async move {
            match checked {
                Ok(()) => kept_by_nobody(next.run(request).await),
                Err(refusal) => refused(refusal),
            }
        }
    };
    Router::new()
        .route("/_lessonc/preview.js", get(|| async { ([(header::CONTENT_TYPE, mime("preview.js"))], SCRIPT.as_str()) }))
        .route("/_lessonc/events", get(events))
        .route("/_lessonc/over", get(over))
        .fallback(file)
        .with_state(preview)
        .layer(middleware::from_fn(guard))
}

fn refused(refusal: Refusal) -> Response {
    let is_method = refusal.0 == StatusCode::METHOD_NOT_ALLOWED;
    let mut response = refusal.into_response();
    if is_method {
        response.headers_mut().insert(header::ALLOW, HeaderValue::from_static("GET, HEAD"));
    }
    response
}

/// Keeps browsers from keeping anything, and other sites from taking anything in.
fn kept_by_nobody(mut response: Response) -> Response {
    let headers = response.headers_mut();
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    headers.insert("cross-origin-resource-policy", HeaderValue::from_static("same-origin"));
    // Editors show previews in frames; web pages have no business to.
    headers.insert(header::CONTENT_SECURITY_POLICY, HeaderValue::from_static("frame-ancestors 'self' vscode-webview:"));
    response
}

/// A stream of what may differ from what the browser shows: at once, then with each generation.
async fn events(State(preview): State<Arc<Preview>>, uri: Uri) -> impl IntoResponse {
    let shown = query(&uri, "since").and_then(|since| since.parse().ok()).unwrap_or(0);
    let mut generations = preview.generations();
    generations.mark_changed();
    let stream = stream::unfold((generations, shown), move |(mut generations, shown)| {
        let preview = preview.clone();
        async move {
            generations.changed().await.ok()?;
            generations.mark_unchanged();
            let (news, now) = preview.since(shown);
            Some((Ok::<_, Infallible>(Event::default().event("changed").id(now.to_string()).data(news.to_string())), (generations, now)))
        }
    });
    Sse::new(stream).keep_alive(KeepAlive::new().interval(Duration::from_secs(10)))
}

/// What is shown over a page: the problems, and what became of it.
async fn over(State(preview): State<Arc<Preview>>, uri: Uri) -> Response {
    let page = query(&uri, "page").and_then(|page| decoded(&page)).unwrap_or_default();
    let words = preview.over(&page).to_string();
    ([(header::CONTENT_TYPE, mime("over.json"))], words).into_response()
}

async fn file(State(preview): State<Arc<Preview>>, uri: Uri) -> Response {
    let Some(mut path) = decoded(uri.path().trim_start_matches('/')) else {
        return (StatusCode::BAD_REQUEST, "the path is not UTF-8\n").into_response();
    };
    if path.is_empty() || path.ends_with('/') {
        path.push_str("index.html");
    }
    let (file, generation) = preview.file(&path);
    match file {
        File::Now(bytes) | File::Before(bytes) if path.ends_with(".html") => {
            html(StatusCode::OK, with_script(&String::from_utf8_lossy(&bytes), generation))
        }
        File::Now(bytes) | File::Before(bytes) => plain(&path, bytes),
        File::Broken => html(StatusCode::INTERNAL_SERVER_ERROR, notice("This page can't be made", &path, generation)),
        // A folder's page has relative links, which need the address of the folder.
        File::Gone if preview.now_has(&format!("{path}/index.html")) => Redirect::permanent(&format!("{}/", uri.path())).into_response(),
        File::Gone => html(StatusCode::NOT_FOUND, notice("There is no such page", &path, generation)),
    }
}

fn plain(path: &str, bytes: Bytes) -> Response {
    ([(header::CONTENT_TYPE, mime(path))], bytes).into_response()
}

fn html(status: StatusCode, text: String) -> Response {
    let mut headers = HeaderMap::new();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(mime(".html")));
    (status, headers, text).into_response()
}

/// The page with the script that keeps it up to date, before anything else that it runs: what its own scripts change is theirs.
fn with_script(page: &str, generation: u64) -> String {
    let (before, behind) = page.split_at(start_of_head(page));
    format!("{before}<script src=\"/_lessonc/preview.js\" data-generation=\"{generation}\"></script>{behind}")
}

/// Where the head of a page begins; where the page leaves that to the browser, behind what must come first.
fn start_of_head(page: &str) -> usize {
    let lower = page.get(..page.len().min(4096)).unwrap_or(page).to_ascii_lowercase();
    let behind = |tag: &str| {
        let starts = lower.match_indices(tag).map(|(at, _)| at);
        let at = starts.into_iter().find(|at| lower[at + tag.len()..].starts_with(|next: char| next == '>' || next.is_whitespace()))?;
        lower[at..].find('>').map(|end| at + end + 1)
    };
    behind("<head").or_else(|| behind("<html")).or_else(|| behind("<!doctype")).unwrap_or(0)
}

/// A page of the preview's own.
fn notice(title: &str, path: &str, generation: u64) -> String {
    let page = format!(
        "<!doctype html>\n<html lang=\"en\">\n<head><meta charset=\"utf-8\"><meta name=\"viewport\" content=\"width=device-width\">\
         <meta name=\"color-scheme\" content=\"light dark\">\n<title>{title}</title></head>\n\
         <body style=\"font:16px/1.5 system-ui,sans-serif;margin:3rem auto;max-width:45rem;padding:0 1rem\">\n<main><h1>{title}</h1>\n\
         <p><code>/{}</code></p>\n<p><a href=\"/index.html\">To the first page</a></p></main>\n</body>\n</html>\n",
        escape(path)
    );
    with_script(&page, generation)
}

/// The value of `name` in the query of `uri`, as it is written there.
fn query(uri: &Uri, name: &str) -> Option<String> {
    let mut pairs = uri.query()?.split('&').filter_map(|pair| pair.split_once('='));
    pairs.find(|(key, _)| *key == name).map(|(_, value)| value.to_owned())
}

/// `path` with its percent escapes taken out; `None` if that is no text.
fn decoded(path: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(path.len());
    let mut rest = path.as_bytes();
    while let [first, tail @ ..] = rest {
        let digits = tail.get(..2).filter(|_| *first == b'%').and_then(|digits| std::str::from_utf8(digits).ok());
        match digits.and_then(|digits| u8::from_str_radix(digits, 16).ok()) {
            Some(byte) => {
                bytes.push(byte);
                rest = &tail[2..];
            }
            None => {
                bytes.push(*first);
                rest = tail;
            }
        }
    }
    String::from_utf8(bytes).ok()
}

fn mime(path: &str) -> &'static str {
    match path.rsplit_once('.').map(|(_, ending)| ending) {
        Some("html") => "text/html; charset=utf-8",
        Some("css") => "text/css; charset=utf-8",
        Some("js") => "text/javascript; charset=utf-8",
        Some("json") => "application/json",
        Some("xml") => "application/xml; charset=utf-8",
        Some("svg") => "image/svg+xml",
        Some("png") => "image/png",
        Some("jpg" | "jpeg") => "image/jpeg",
        Some("gif") => "image/gif",
        Some("webp") => "image/webp",
        Some("avif") => "image/avif",
        Some("ico") => "image/x-icon",
        Some("woff2") => "font/woff2",
        Some("pdf") => "application/pdf",
        Some("zip") => "application/zip",
        Some("txt" | "csv" | "jsonl" | "cu" | "cuh" | "h" | "cpp" | "md" | "toml") => "text/plain; charset=utf-8",
        _ => "application/octet-stream",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_decoded() {
        let cases = [("a%20b.html", Some("a b.html")), ("%D7%90", Some("א")), ("100%", Some("100%")), ("%zz", Some("%zz")), ("%FF", None)];
        for (path, expected) in cases {
            assert_eq!(decoded(path).as_deref(), expected, "{path}");
        }
    }

    #[test]
    fn the_script_comes_first_in_the_head() {
        for (page, expected) in [
            ("<!doctype html><html><HEAD lang=x><title>", "<!doctype html><html><HEAD lang=x>|<title>"),
            (
                "<!doctype html>\n<html lang=\"en\">\n<meta charset=x><header>",
                "<!doctype html>\n<html lang=\"en\">|\n<meta charset=x><header>",
            ),
            ("<!doctype html><p>", "<!doctype html>|<p>"),
            ("<p>", "|<p>"),
            ("", "|"),
        ] {
            let (before, behind) = page.split_at(start_of_head(page));
            assert_eq!(format!("{before}|{behind}"), expected);
        }
        let long = format!("{}é", "a".repeat(4095));
        assert_eq!(start_of_head(&long), 0, "a character may lie across the part that is looked at");
    }
}
