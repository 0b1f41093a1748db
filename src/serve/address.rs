//! Turns the address that an author wants into sockets that listen, and the names under which they answer.
//!
//! Must not listen to other machines unless it is told to.

use std::io::ErrorKind;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, TcpListener, ToSocketAddrs as _};

use anyhow::{Context as _, Result};

use super::guard::Hosts;

/// Where the preview listens.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Port {
    /// [`DEFAULT_PORT`], or the next one that is free.
    #[default]
    Any,
    /// This one or none; 0 lets the system choose.
    Exactly(u16),
}

/// The port that is tried first.
pub const DEFAULT_PORT: u16 = 4000;

/// How many ports are tried.
const TRIED: u16 = 20;

/// Listens at `host`, a name or an address of this machine, or on the loopback interface. Returns the sockets, the first of which gives
/// the address to name, and under which names they answer.
pub(super) fn listen(host: Option<&str>, port: Port) -> Result<(Vec<TcpListener>, Hosts)> {
    let Some(host) = host.filter(|host| !host.eq_ignore_ascii_case("localhost")) else {
        return Ok((on_port(port, loopback, "the loopback interface")?, Hosts::Loopback));
    };
    let bare = host.trim_start_matches('[').trim_end_matches(']');
    let mut addresses = (bare, 0).to_socket_addrs().with_context(|| format!("cannot tell which address {host} is"))?;
    let ip = addresses.next().with_context(|| format!("{host} has no address"))?.ip();
    let listeners = on_port(port, |port| Ok(vec![TcpListener::bind((ip, port))?]), host)?;
    let is_plain_loopback = ip.is_loopback() && bare.parse::<IpAddr>().is_ok();
    if is_plain_loopback {
        return Ok((listeners, Hosts::Loopback));
    }
    let own = if ip.is_unspecified() { own_names() } else { Vec::new() };
    Ok((listeners, Hosts::Beyond([vec![bare.to_owned()], own].concat())))
}

/// What others on its network call this machine, as far as it knows itself: by its bare name, and by that which it says of itself.
#[cfg(unix)]
fn own_names() -> Vec<String> {
    let system = rustix::system::uname();
    let name = system.nodename().to_string_lossy();
    let bare = name.split('.').next().filter(|bare| !bare.is_empty());
    bare.map(|bare| vec![name.to_string(), bare.to_owned(), format!("{bare}.local")]).unwrap_or_default()
}

#[cfg(not(unix))]
fn own_names() -> Vec<String> {
    let name = std::env::var("COMPUTERNAME").ok().filter(|name| !name.is_empty());
    name.map(|name| vec![format!("{name}.local"), name]).unwrap_or_default()
}

fn on_port<T>(port: Port, bind: impl Fn(u16) -> std::io::Result<T>, place: &str) -> Result<T> {
    match port {
        Port::Exactly(port) => bind(port).with_context(|| format!("cannot listen on port {port} of {place}; name another one with --port")),
        Port::Any => {
            let mut result = bind(DEFAULT_PORT);
            for port in DEFAULT_PORT + 1..DEFAULT_PORT + TRIED {
                match result {
                    Err(error) if error.kind() == ErrorKind::AddrInUse => result = bind(port),
                    other => return other.with_context(|| format!("cannot listen on {place}")),
                }
            }
            result.or_else(|_| bind(0)).with_context(|| format!("cannot listen on {place}"))
        }
    }
}

/// Both addresses of the loopback interface, since browsers take `localhost` for either; where somebody else has one of them, the
/// port is taken.
fn loopback(port: u16) -> std::io::Result<Vec<TcpListener>> {
    let first = TcpListener::bind((Ipv4Addr::LOCALHOST, port))?;
    let chosen = first.local_addr()?.port();
    match TcpListener::bind(SocketAddr::from((Ipv6Addr::LOCALHOST, chosen))) {
        Ok(second) => Ok(vec![first, second]),
        Err(error) if error.kind() == ErrorKind::AddrInUse && port != 0 => Err(error),
        Err(_) => Ok(vec![first]), // a machine without the newer addresses
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_says_who_is_answered() {
        for (host, hosts, is_loopback) in [
            (None, Hosts::Loopback, true),
            (Some("localhost"), Hosts::Loopback, true),
            (Some("127.0.0.1"), Hosts::Loopback, true),
            (Some("0.0.0.0"), Hosts::Beyond([vec!["0.0.0.0".to_owned()], own_names()].concat()), false),
        ] {
            let (listeners, answered) = listen(host, Port::Exactly(0)).unwrap();
            let all_loopback = listeners.iter().all(|listener| listener.local_addr().unwrap().ip().is_loopback());
            assert_eq!((answered, all_loopback), (hosts, is_loopback), "{host:?}");
        }
        assert!(listen(Some("no such name"), Port::Any).is_err());
    }

    #[test]
    fn a_port_that_somebody_has_on_either_address_is_taken() {
        let Ok(other) = TcpListener::bind((Ipv6Addr::LOCALHOST, 0)) else { return };
        let port = other.local_addr().unwrap().port();
        let refused = format!("{:#}", listen(None, Port::Exactly(port)).unwrap_err());
        assert!(refused.contains(&format!("port {port}")) && refused.contains("--port"), "{refused}");
    }
}
