//! Turns what a request says of itself into whether it is answered: only reading, only under names of this preview, and never for a
//! page of another site.
//!
//! Must not trust a name: a page of another site can point its own name at this machine, and then asks with that name as its host.

use std::net::IpAddr;

use axum::http::{HeaderMap, Method, StatusCode, header};

/// The names under which the preview answers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Hosts {
    /// Those of this machine for itself.
    Loopback,
    /// These too, any address, and names of this machine: the one that the author gave, or its own. A page can't make a browser ask under
    /// an address that isn't the server's, so that addresses need no list.
    Beyond(Vec<String>),
}

impl Hosts {
    /// Whether `host`, as a browser sends it, is one of them.
    fn hold(&self, host: &str) -> bool {
        let name = match host.rsplit_once(':') {
            Some((name, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) => name,
            _ => host,
        };
        let address = name.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')).unwrap_or(name).parse::<IpAddr>().ok();
        let is_here = name.eq_ignore_ascii_case("localhost") || address.is_some_and(|address| address.is_loopback());
        match self {
            Self::Loopback => is_here,
            Self::Beyond(own) => is_here || address.is_some() || own.iter().any(|own| name.eq_ignore_ascii_case(own)),
        }
    }
}

/// Why a request is refused: the status, and words for whoever reads them.
pub(super) type Refusal = (StatusCode, String);

/// Lets a request pass, or says why not.
pub(super) fn check(method: &Method, headers: &HeaderMap, hosts: &Hosts) -> Result<(), Refusal> {
    let text = |name: &str| headers.get(name).map(|value| value.to_str().unwrap_or("?"));
    let forbidden = |words: String| Err((StatusCode::FORBIDDEN, words));
    if headers.get_all(header::HOST).iter().count() > 1 {
        return Err((StatusCode::BAD_REQUEST, "a request has one host\n".to_owned()));
    }
    let host = text(header::HOST.as_str()).unwrap_or_default();
    if !hosts.hold(host) {
        let hint = match hosts {
            Hosts::Loopback => "ask for localhost; `serve --host NAME` answers under another name",
            Hosts::Beyond(_) => "`serve --host NAME` answers under that name",
        };
        return forbidden(format!("this preview doesn't answer under the name \"{host}\": {hint}\n"));
    }
    if text(header::ORIGIN.as_str()).is_some_and(|origin| origin != format!("http://{host}")) {
        return forbidden("this preview doesn't answer pages of other sites\n".to_owned());
    }
    // A link to a page may stand anywhere, and so may a frame, into which another site can't look. Anything else is its own only.
    let is_foreign = matches!(text("sec-fetch-site"), Some("cross-site" | "same-site"));
    if is_foreign && text("sec-fetch-mode") != Some("navigate") {
        return forbidden("this preview's files are for its own pages\n".to_owned());
    }
    if !matches!(*method, Method::GET | Method::HEAD) {
        return Err((StatusCode::METHOD_NOT_ALLOWED, "this preview can only be read\n".to_owned()));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_previews_own_names_are_answered() {
        let beyond = Hosts::Beyond(vec!["gpu-box".to_owned(), "gpu-box.local".to_owned()]);
        for (host, loopback, both) in [
            ("localhost:4000", true, true),
            ("LOCALHOST", true, true),
            ("127.0.0.1:4001", true, true),
            ("[::1]:4000", true, true),
            ("192.168.1.7:4000", false, true),
            ("[fe80::1]:4000", false, true),
            ("GPU-box:4000", false, true),
            ("gpu-box.local:4000", false, true),
            ("gpu-box.evil.org", false, false),
            ("", false, false),
            ("localhost.example.org", false, false),
            ("evil.org:4000", false, false),
            ("127.0.0.1.nip.io", false, false),
            ("localhost:4000:evil.org", false, false),
            ("[::1", false, false),
        ] {
            assert_eq!((Hosts::Loopback.hold(host), beyond.hold(host)), (loopback, both), "{host}");
        }
    }

    #[test]
    fn other_sites_may_link_and_not_read() {
        let own = ("host", "localhost:4000");
        for (method, headers, expected) in [
            (Method::GET, &[own][..], 200),
            (Method::HEAD, &[own], 200),
            (Method::POST, &[own], 405),
            (Method::OPTIONS, &[own], 405),
            (Method::GET, &[], 403),
            (Method::GET, &[own, ("host", "evil.org")], 400),
            (Method::GET, &[own, own], 400),
            (Method::GET, &[own, ("origin", "http://localhost:4000")], 200),
            (Method::GET, &[own, ("origin", "http://localhost:3000")], 403),
            (Method::GET, &[own, ("origin", "https://evil.org")], 403),
            (Method::GET, &[own, ("origin", "null")], 403),
            (Method::GET, &[own, ("sec-fetch-site", "same-origin"), ("sec-fetch-mode", "cors")], 200),
            (Method::GET, &[own, ("sec-fetch-site", "none"), ("sec-fetch-mode", "navigate")], 200),
            (Method::GET, &[own, ("sec-fetch-site", "cross-site"), ("sec-fetch-mode", "navigate")], 200),
            (Method::GET, &[own, ("sec-fetch-site", "cross-site"), ("sec-fetch-mode", "no-cors")], 403),
            (Method::GET, &[own, ("sec-fetch-site", "same-site"), ("sec-fetch-mode", "cors")], 403),
        ] {
            let mut map = HeaderMap::new();
            for (name, value) in headers {
                map.append(name.parse::<header::HeaderName>().unwrap(), value.parse().unwrap());
            }
            let status = check(&method, &map, &Hosts::Loopback).err().map_or(200, |(status, _)| status.as_u16());
            assert_eq!(status, expected, "{method} {headers:?}");
        }
    }
}
