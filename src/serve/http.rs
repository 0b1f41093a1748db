//! Turns requests of a browser on this machine into files of the site, with the means to reload them.
//!
//! Must not answer anybody else: a page of another site that points its name at this machine sends its own `Host`.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::extract::{Request, State};
use axum::http::{HeaderValue, Method, StatusCode, header};
use axum::middleware::{self, Next};
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use futures_util::stream;

use super::preview::{Preview, Shown};
use crate::pages::html::escape;

/// Asks to be told of a new generation, and loads the page again when there is one.
const RELOAD: &str = include_str!("reload.js");

pub(super) fn router(preview: Arc<Preview>) -> Router {
    Router::new()
        .route("/_lessonc/reload.js", get(|| async { ([(header::CONTENT_TYPE, "text/javascript; charset=utf-8")], RELOAD) }))
        .route("/_lessonc/events", get(events))
        .fallback(file)
        .with_state(preview)
        .layer(middleware::from_fn(guard))
}

/// Lets only this machine's own names and reading pass, and keeps browsers from keeping anything.
async fn guard(request: Request, next: Next) -> Response {
    let host = request.headers().get(header::HOST).and_then(|host| host.to_str().ok()).unwrap_or_default();
    if !is_loopback(host) {
        return (StatusCode::FORBIDDEN, "this preview answers to localhost only\n").into_response();
    }
    if !matches!(*request.method(), Method::GET | Method::HEAD) {
        return (StatusCode::METHOD_NOT_ALLOWED, "this preview can only be read\n").into_response();
    }
    let mut response = next.run(request).await;
    let headers = response.headers_mut();
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    response
}

fn is_loopback(host: &str) -> bool {
    let name = match host.rsplit_once(':') {
        Some((name, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) => name,
        _ => host,
    };
    matches!(name.to_ascii_lowercase().as_str(), "localhost" | "127.0.0.1" | "[::1]")
}

/// A stream of generations: the present one at once, then each new one.
async fn events(State(preview): State<Arc<Preview>>) -> impl IntoResponse {
    let mut generations = preview.generations();
    generations.mark_changed();
    let stream = stream::unfold(generations, |mut generations| async move {
        generations.changed().await.ok()?;
        let generation = *generations.borrow_and_update();
        Some((Ok::<_, Infallible>(Event::default().event("generation").data(generation.to_string())), generations))
    });
    Sse::new(stream).keep_alive(KeepAlive::new().interval(Duration::from_secs(15)))
}

async fn file(State(preview): State<Arc<Preview>>, request: Request) -> Response {
    let Some(mut path) = decoded(request.uri().path().trim_start_matches('/')) else {
        return (StatusCode::BAD_REQUEST, "the path is not UTF-8\n").into_response();
    };
    if path.is_empty() || path.ends_with('/') {
        path.push_str("index.html");
    }
    let shown = preview.now();
    match shown.file(&path).as_deref() {
        Some(Ok(bytes)) if path.ends_with(".html") => html(StatusCode::OK, &with_reload(&String::from_utf8_lossy(bytes), &shown)),
        Some(Ok(bytes)) => ([(header::CONTENT_TYPE, mime(&path))], bytes.clone()).into_response(),
        Some(Err(words)) => html(StatusCode::INTERNAL_SERVER_ERROR, &notice("This page can't be rendered", words, &shown)),
        None => html(StatusCode::NOT_FOUND, &notice("There is no such page", &format!("/{path}"), &shown)),
    }
}

fn html(status: StatusCode, text: &str) -> Response {
    (status, [(header::CONTENT_TYPE, "text/html; charset=utf-8")], text.to_owned()).into_response()
}

/// The page with the problems over it, if there are any, and the script that loads it again.
fn with_reload(page: &str, shown: &Shown) -> String {
    let mut added = String::new();
    if !shown.problems.is_empty() {
        let (open, title) = if shown.errors > 0 { (" open", "This course has errors") } else { ("", "This course has warnings") };
        added.push_str(&format!(
            "<details id=\"lessonc-problems\"{open} dir=\"ltr\" style=\"position:fixed;inset:auto 0 0 0;z-index:2147483647;max-height:60vh;\
             overflow:auto;margin:0;padding:.5rem 1rem;background:#fff;color:#111;border-top:3px solid #b00;font:14px/1.4 monospace\">\
             <summary style=\"cursor:pointer\">{title}</summary><pre style=\"white-space:pre-wrap;margin:.5rem 0\">{}</pre></details>\n",
            escape(&shown.problems)
        ));
    }
    added.push_str(&format!("<script src=\"/_lessonc/reload.js\" data-generation=\"{}\"></script>\n", shown.generation));
    let at = page.rfind("</body>").unwrap_or(page.len());
    format!("{}{added}{}", &page[..at], &page[at..])
}

/// A page of the preview's own.
fn notice(title: &str, words: &str, shown: &Shown) -> String {
    let page = format!(
        "<!doctype html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n<title>{title}</title>\n<body style=\"font:16px/1.5 sans-serif;margin:3rem auto;max-width:45rem\">\n\
         <h1>{title}</h1>\n<pre style=\"white-space:pre-wrap\">{}</pre>\n<p><a href=\"/index.html\">To the first page</a></p>\n</body>\n</html>\n",
        escape(words)
    );
    with_reload(&page, shown)
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
    fn only_this_machines_names_are_answered() {
        for (host, expected) in [
            ("localhost:4000", true),
            ("LOCALHOST", true),
            ("127.0.0.1:4001", true),
            ("[::1]:4000", true),
            ("", false),
            ("localhost.example.org", false),
            ("evil.org:4000", false),
            ("127.0.0.1.nip.io", false),
        ] {
            assert_eq!(is_loopback(host), expected, "{host}");
        }
    }

    #[test]
    fn paths_are_decoded() {
        let cases = [("a%20b.html", Some("a b.html")), ("%D7%90", Some("א")), ("100%", Some("100%")), ("%zz", Some("%zz")), ("%FF", None)];
        for (path, expected) in cases {
            assert_eq!(decoded(path).as_deref(), expected, "{path}");
        }
    }
}
