//! A server of the page for its test, on this machine alone: it also serves the test, and takes what that reports.

use super::PAGE;
use crate::run::root;
use std::{
    fs,
    io::{self, BufRead, BufReader, Read, Write},
    net::{TcpListener, TcpStream},
    path::Path,
    sync::mpsc::{Receiver, Sender, channel},
    thread,
};

/// The folder of what the test keeps.
pub const KEPT: &str = "target/web-test";
/// The most bytes of a request.
const MOST: usize = 64 << 20;

/// Serves until the program ends; the address of the test, and its report when it comes.
pub fn serve() -> io::Result<(String, Receiver<String>)> {
    let listener = TcpListener::bind("127.0.0.1:0")?;
    let address = format!("http://{}/test.html", listener.local_addr()?);
    let (report, reported) = channel();
    thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let report = report.clone();
            // A browser that goes away ends its own requests alone.
            thread::spawn(move || drop(answer(stream, &report)));
        }
    });
    Ok((address, reported))
}

fn answer(mut stream: TcpStream, report: &Sender<String>) -> io::Result<()> {
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
    let name = path.rsplit('/').next().unwrap_or("").split('?').next().unwrap_or("");
    match (method, path) {
        ("POST", "/report") => {
            let _ = report.send(String::from_utf8_lossy(&body).into_owned());
        }
        ("POST", "/progress") => println!("  {}", String::from_utf8_lossy(&body)),
        ("POST", _) => fs::write(root().join(KEPT).join(name), &body)?,
        _ => {
            let found = file(if name.is_empty() { "index.html" } else { name });
            return send(&mut stream, name, found.ok().as_deref());
        }
    }
    send(&mut stream, "", Some(&[]))
}

/// A file of the page, or of its test: the page with the test beside it.
fn file(name: &str) -> io::Result<Vec<u8>> {
    let page = root().join(PAGE);
    match name {
        "test.js" => fs::read(root().join("web/test.js")),
        "test.html" => {
            let page = fs::read_to_string(page.join("index.html"))?;
            let test = "<script type=\"module\" src=\"test.js\"></script>\n</body>";
            Ok(page.replace("</body>", test).into_bytes())
        }
        name => fs::read(page.join(name)),
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
