//! Who is answered, and that nobody else keeps those from being answered: strangers, crowds, the slow, and those who never listen.
//!
//! Must not leave the loopback interface.

use std::io::{BufRead as _, BufReader, ErrorKind, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use lessonc::serve::{DEFAULT_PORT, Port, Server, Settings};

use super::{Events, PATIENCE, Running, course, settings};
use crate::support::Folder;

/// A preview that has little patience.
fn impatient(folder: &Folder) -> Running {
    let server = Server::start(folder.path(), "", settings(), Box::new(|_| {})).unwrap();
    Running::of(server.patient_for(Duration::from_millis(400)))
}

/// Lets this process hold more sockets than it usually may.
fn allow_many_sockets() {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
    let limit = getrlimit(Resource::Nofile);
    let current = limit.maximum.unwrap_or(8192).min(8192);
    setrlimit(Resource::Nofile, Rlimit { current: Some(current), maximum: limit.maximum }).unwrap();
}

/// Whether the other side ends the connection, whatever it sends before.
fn is_ended(stream: &mut TcpStream) -> bool {
    let mut bytes = vec![0; 1 << 16];
    loop {
        match stream.read(&mut bytes) {
            Ok(0) => return true,
            Ok(_) => {}
            Err(error) => return !matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut),
        }
    }
}

#[test]
fn only_this_machine_is_answered_and_only_reading() {
    let folder = course();
    let preview = Running::start(folder.path());
    assert!(preview.address.ip().is_loopback());
    let own = "Host: localhost\r\n";
    for (line, headers, expected) in [
        ("GET /", own, "200"),
        ("HEAD /", own, "200"),
        ("GET /", "Host: evil.example:4000\r\n", "403"),
        ("GET /", "", "403"),
        ("GET /_lessonc/over?page=first.html", "Host: evil.example\r\n", "403"),
        ("GET /_lessonc/events", "Host: evil.example\r\n", "403"),
        ("GET /", "Host: localhost\r\nOrigin: https://evil.example\r\n", "403"),
        ("GET /assets/lessonc.js", "Host: localhost\r\nSec-Fetch-Site: cross-site\r\nSec-Fetch-Mode: no-cors\r\n", "403"),
        ("GET /first.html", "Host: localhost\r\nSec-Fetch-Site: cross-site\r\nSec-Fetch-Mode: navigate\r\n", "200"),
        ("POST /", own, "405"),
        ("DELETE /first.html", own, "405"),
        ("GET /", "Host: localhost\r\nHost: evil.example\r\n", "400"),
        ("GET /no-such-page.html", own, "404"),
        ("GET /../lessons/course.toml", own, "404"),
        ("GET /%2e%2e/lessons/course.toml", own, "404"),
        ("GET /..%2flessons%2fcourse.toml", own, "404"),
        ("GET //etc/passwd", own, "404"),
        ("GET //evil.example/..", own, "404"),
        ("GET /lessons/first.md", own, "404"),
        ("GET /%ff", own, "400"),
    ] {
        let answer = preview.request(line, headers);
        assert!(answer.starts_with(&format!("HTTP/1.1 {expected}")), "{line} {headers}: {answer}");
        assert!(!answer.contains("root:") && !answer.contains("committed ="), "{line}: {answer}");
    }
    assert!(preview.request("POST /", own).contains("allow: GET, HEAD\r\n"));
    let answer = preview.get("/first.html");
    let framed = "content-security-policy: frame-ancestors 'self' vscode-webview:";
    for header in ["cache-control: no-store", "x-content-type-options: nosniff", "cross-origin-resource-policy: same-origin", framed] {
        assert!(answer.contains(header), "{answer}");
    }
}

#[test]
fn a_preview_for_others_answers_under_its_addresses_and_its_name() {
    let folder = course();
    let settings = Settings { host: Some("0.0.0.0".into()), ..settings() };
    let server = Server::start(folder.path(), "", settings, Box::new(|_| {})).unwrap();
    assert!(server.address().ip().is_unspecified());
    let mut preview = Running::of(server);
    preview.address.set_ip([127, 0, 0, 1].into());
    let name = rustix::system::uname().nodename().to_str().unwrap().to_owned();
    for (host, expected) in
        [(&*name, "200"), ("192.168.7.7:4000", "200"), ("localhost", "200"), ("evil.example", "403"), ("192.168.7.7.nip.io", "403")]
    {
        let answer = preview.request("GET /", &format!("Host: {host}\r\n"));
        assert!(answer.starts_with(&format!("HTTP/1.1 {expected}")), "{host}: {answer}");
    }
}

#[test]
fn a_thousand_connections_keep_nobody_out() {
    allow_many_sockets();
    let folder = course();
    let preview = Running::start(folder.path());
    let mut reader = Events::since(&preview, 0);
    reader.next();
    let silent: Vec<TcpStream> = (0..1000).map(|_| preview.connect()).collect();
    let begun = Instant::now();
    assert!(preview.get("/first.html").starts_with("HTTP/1.1 200"));
    assert!(begun.elapsed() < PATIENCE / 4, "{:?}", begun.elapsed());
    // Who asked for something stays longer than who did not.
    folder.edit("lessons/first.md", "Say the one idea", "Another idea");
    reader.next();
    drop(silent);
    // And a thousand who all ask.
    let asking: Vec<TcpStream> = (0..1000)
        .map(|_| {
            let mut stream = preview.connect();
            let _ = stream.write_all(b"GET /first.html HTTP/1.1\r\nHost: localhost\r\n\r\n"); // sent home already, perhaps
            stream
        })
        .collect();
    assert!(preview.get("/first.html").starts_with("HTTP/1.1 200"));
    drop(asking);
}

#[test]
fn who_sends_half_a_request_or_takes_no_answer_is_let_go() {
    let folder = course();
    folder.write("lessons/static/large.txt", &"0123456789abcdef".repeat(2 << 20));
    let preview = impatient(&folder);
    let mut slow = preview.connect();
    slow.write_all(b"GET / HTTP/1.1\r\nHost: local").unwrap();
    let silent: Vec<TcpStream> = (0..20)
        .map(|_| {
            let mut stream = preview.connect();
            stream.write_all(b"GET /large.txt HTTP/1.1\r\nHost: localhost\r\n\r\n").unwrap();
            stream
        })
        .collect();
    assert!(preview.get("/first.html").starts_with("HTTP/1.1 200"), "others are answered meanwhile");
    assert!(is_ended(&mut slow));
    // Who reads slowly gets everything all the same.
    let mut patient = preview.connect();
    patient.write_all(b"GET /large.txt HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n").unwrap();
    let (mut taken, mut part) = (0, vec![0; 4 << 20]);
    loop {
        match patient.read(&mut part).unwrap() {
            0 => break,
            count => taken += count,
        }
        std::thread::sleep(Duration::from_millis(2));
    }
    assert!(taken > 32 << 20, "{taken} bytes");
    std::thread::sleep(Duration::from_millis(800));
    for mut stream in silent {
        let mut bytes = Vec::new();
        let _ = stream.read_to_end(&mut bytes); // cut off, with what was on its way
        assert!(bytes.len() < 32 << 20, "somebody who took nothing for so long was still answered");
    }
}

#[test]
fn a_head_without_end_is_refused() {
    let folder = course();
    let preview = Running::start(folder.path());
    let mut stream = preview.connect();
    let line = format!("X-Long: {}\r\n", "a".repeat(1000));
    let _ = stream.write_all(b"GET / HTTP/1.1\r\nHost: localhost\r\n");
    for _ in 0..200 {
        if stream.write_all(line.as_bytes()).is_err() {
            break;
        }
    }
    assert!(is_ended(&mut stream));
    assert!(preview.get("/").starts_with("HTTP/1.1 200"));
}

#[test]
fn a_taken_port_is_an_error_only_when_it_was_asked_for() {
    let folder = course();
    let start = |port| Server::start(folder.path(), "", Settings { port, ..settings() }, Box::new(|_| {}));
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = taken.local_addr().unwrap().port();
    let refused = start(Port::Exactly(port)).err().expect("the port is taken");
    assert!(format!("{refused:#}").contains(&port.to_string()));
    let (any, other) = (start(Port::Any).unwrap(), start(Port::Any).unwrap());
    assert_ne!(any.address(), other.address());
    assert!(any.address().port() >= DEFAULT_PORT);
}

#[test]
fn the_port_is_free_at_once_whoever_is_connected() {
    let folder = course();
    let preview = Running::start(folder.path());
    let address = preview.address;
    let mut events = Events::since(&preview, 0);
    events.next();
    let idle = preview.connect();
    drop(preview);
    let again = Running::at(folder.path(), address.port());
    assert!(again.get("/first.html").starts_with("HTTP/1.1 200"));
    drop(idle);
}

#[test]
fn an_interrupt_ends_the_command_and_others_are_warned_of() {
    let folder = course();
    let mut command = Command::new(env!("CARGO_BIN_EXE_lessonc"));
    command.args(["serve", "--port", "0", "--host", "0.0.0.0", "--course"]).arg(folder.path());
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut url = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut url).unwrap();
    let port: u16 = url.trim().trim_end_matches('/').rsplit(':').next().unwrap().parse().unwrap_or_else(|_| panic!("{url}"));
    let mut lines = BufReader::new(child.stderr.take().unwrap()).lines().map_while(Result::ok);
    assert!(lines.any(|line| line.starts_with("warning: ") && line.contains("can read this course")));
    assert!(lines.any(|line| line.contains("Ctrl-C ends")));
    let open = TcpStream::connect(("127.0.0.1", port)).unwrap();
    let process = rustix::process::Pid::from_child(&child);
    rustix::process::kill_process(process, rustix::process::Signal::INT).unwrap();
    assert!(child.wait().unwrap().success());
    TcpListener::bind(("127.0.0.1", port)).unwrap();
    drop(open);
}

#[test]
fn an_editor_that_nobody_knows_is_a_mistake_of_the_call() {
    let folder = course();
    let said = crate::support::lessonc([&"serve", &"--editor", &"no-such-editor", &"--course", &folder.path()]);
    assert!(said.err.contains("no-such-editor") && said.err.contains("vscode"), "{said:?}");
}
