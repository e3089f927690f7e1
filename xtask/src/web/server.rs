//! A server of the page for its test, on this machine alone: it also serves the test, takes what that reports and keeps,
//! and passes on what it asks of the browser.

use crate::run::root;
use serde_json::Value;
use std::{
    fs,
    io::{self, BufRead, BufReader, Read, Write},
    net::{TcpListener, TcpStream},
    path::{Path, PathBuf},
    sync::mpsc::{Receiver, Sender, channel},
    thread,
};

/// The folder of what the test keeps.
pub const KEPT: &str = "target/web-test";
/// The most bytes of a request.
const MOST: usize = 64 << 20;

/// What a test asks.
pub enum Asked {
    /// Its report.
    Report(String),
    /// A DevTools method of the browser, with its parameters; the answer goes back to the test.
    Browser(String, Value, Sender<Value>),
}

/// Serves a page until the program ends; the address of its folder, and what the tests ask.
pub fn serve(page: PathBuf) -> io::Result<(String, Receiver<Asked>)> {
    let listener = TcpListener::bind("127.0.0.1:0")?;
    let address = format!("http://{}/", listener.local_addr()?);
    let (ask, asked) = channel();
    thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let (ask, page) = (ask.clone(), page.clone());
            // A browser that goes away ends its own requests alone.
            thread::spawn(move || drop(answer(stream, &page, &ask)));
        }
    });
    Ok((address, asked))
}

fn answer(mut stream: TcpStream, page: &Path, ask: &Sender<Asked>) -> io::Result<()> {
    let mut reader = BufReader::new(stream.try_clone()?);
    let mut request = String::new();
    reader.read_line(&mut request)?;
    let mut length = 0;
    loop {
        let mut line = String::new();
        if reader.read_line(&mut line)? == 0 || line.trim().is_empty() {
            break;
        }
        if let Some(value) = line.to_ascii_lowercase().strip_prefix("content-length:") {
            length = value.trim().parse().unwrap_or(0).min(MOST);
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body)?;
    let mut words = request.split_whitespace();
    let (method, path) = (words.next().unwrap_or(""), words.next().unwrap_or("/"));
    let (folder, name) = path.split('?').next().unwrap_or("").rsplit_once('/').unwrap_or_default();
    match (method, folder) {
        ("POST", "/browser") => {
            let (reply, answer) = channel();
            let params = serde_json::from_slice(&body).unwrap_or_default();
            let _ = ask.send(Asked::Browser(name.into(), params, reply));
            let answer = answer.recv().unwrap_or_default().to_string();
            return send(&mut stream, name, Some(answer.as_bytes()));
        }
        ("POST", "/keep") => fs::write(root().join(KEPT).join(name), &body)?,
        ("POST", _) if name == "report" => {
            let _ = ask.send(Asked::Report(String::from_utf8_lossy(&body).into_owned()));
        }
        ("POST", _) => println!("  {}", String::from_utf8_lossy(&body)),
        _ => {
            let found = file(page, folder, if name.is_empty() { "index.html" } else { name });
            return send(&mut stream, name, found.ok().as_deref());
        }
    }
    send(&mut stream, "", Some(&[]))
}

/// A file of the page, or of its tests: `test/NAME.html` is the page with the test NAME.js beside it.
fn file(page: &Path, folder: &str, name: &str) -> io::Result<Vec<u8>> {
    let tests = root().join("web/test");
    match (folder, name.strip_suffix(".html")) {
        ("/test", Some(test)) => {
            let page = fs::read_to_string(page.join("index.html"))?;
            let head = "<head>\n<base href=\"/\">";
            let test = format!("<script type=\"module\" src=\"test/{test}.js\"></script>\n</body>");
            Ok(page.replace("<head>", head).replace("</body>", &test).into_bytes())
        }
        ("/test", None) => fs::read(tests.join(name)),
        _ => fs::read(page.join(name)),
    }
}

fn send(stream: &mut TcpStream, name: &str, bytes: Option<&[u8]>) -> io::Result<()> {
    let kind = match Path::new(name).extension().and_then(|ending| ending.to_str()) {
        Some("html") => "text/html; charset=utf-8",
        Some("js") => "text/javascript",
        Some("css") => "text/css",
        Some("wasm") => "application/wasm",
        Some("gif") => "image/gif",
        _ => "application/octet-stream",
    };
    let status = if bytes.is_some() { "200 OK" } else { "404 Not Found" };
    let bytes = bytes.unwrap_or_default();
    let head = format!(
        "HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {}\r\nConnection: close\r\n\r\n",
        bytes.len()
    );
    stream.write_all(head.as_bytes())?;
    stream.write_all(bytes)?;
    stream.flush()
}
