//! A web server for one folder of files and one user: loopback only, read-only.
//!
//! The files are listed, and only what is on that list is ever opened, so no request can name a path outside the folder.
//! A request for a path that is not on the list renews it, because the folder may have been rebuilt. It speaks enough HTTP/1.1 for browsers: GET and HEAD,
//! persistent connections, entity tags, and the compressed copies (`.br`, `.gz`) that the build writes beside its files.

use std::collections::BTreeMap;
use std::fs;
use std::io::{self, BufRead, BufReader, Read as _, Write as _};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use crate::content::Digest;

/// Longest line of a request, and largest number of lines; browsers stay far below both.
const LONGEST_LINE: u64 = 16 * 1024;
const MOST_LINES: usize = 200;

/// Codings of compressed copies, and what their names end in; the smaller first.
const CODINGS: [(&str, &str); 2] = [("br", ".br"), ("gzip", ".gz")];

/// A connection that is idle for this long is closed.
const PATIENCE: Duration = Duration::from_secs(30);

/// Files by the path of their address, `/` for the first page.
#[derive(Debug)]
pub(crate) struct Site {
    folder: PathBuf,
    files: BTreeMap<String, PathBuf>,
}

impl Site {
    /// Lists the files of a folder and its folders.
    pub(crate) fn of(folder: &Path) -> io::Result<Self> {
        let mut files = BTreeMap::new();
        let mut folders = vec![(String::from("/"), folder.to_owned())];
        while let Some((address, folder)) = folders.pop() {
            for entry in fs::read_dir(folder)? {
                let entry = entry?;
                // A name that is not Unicode cannot be requested.
                let Some(name) = entry.file_name().to_str().map(str::to_owned) else { continue };
                if entry.file_type()?.is_dir() {
                    folders.push((format!("{address}{name}/"), entry.path()));
                } else {
                    files.insert(format!("{address}{name}"), entry.path());
                }
            }
        }
        if let Some(first) = files.get("/index.html").cloned() {
            files.insert("/".to_owned(), first);
        }
        Ok(Self { folder: folder.to_owned(), files })
    }

    /// The file of an address; the folder is listed again if the address is unknown.
    fn file(&mut self, path: &str) -> Option<PathBuf> {
        if !self.files.contains_key(path) {
            *self = Self::of(&self.folder).ok()?;
        }
        self.files.get(path).cloned()
    }

    /// The copy of a file to send to a browser that accepts these codings, and the coding it is in; the file itself and no coding where there is none.
    fn coded(&self, file: &Path, accepts: &str) -> (&'static str, PathBuf) {
        let accepted = |coding: &str| {
            accepts.split(',').any(|word| {
                let (name, quality) = word.split_once(';').unwrap_or((word, ""));
                name.trim() == coding && !matches!(quality.trim(), "q=0" | "q=0.0")
            })
        };
        let copies = CODINGS.iter().filter(|(coding, _)| accepted(coding));
        copies
            .map(|&(coding, ending)| {
                let mut name = file.as_os_str().to_owned();
                name.push(ending);
                (coding, PathBuf::from(name))
            })
            .find(|(_, copy)| self.files.values().any(|listed| listed == copy))
            .unwrap_or_else(|| ("", file.to_owned()))
    }

    /// Whether there is a first page.
    pub(crate) fn has_first_page(&self) -> bool {
        self.files.contains_key("/")
    }
}

/// Takes a port on the loopback interface; 0 lets the system choose.
pub(crate) fn listen(port: u16) -> io::Result<TcpListener> {
    TcpListener::bind((Ipv4Addr::LOCALHOST, port))
}

/// Answers requests until the program ends.
pub(crate) fn serve(listener: &TcpListener, site: Site) {
    let site = Arc::new(Mutex::new(site));
    for connection in listener.incoming() {
        // After a failed connection the browser tries again.
        let Ok(connection) = connection else { continue };
        let site = Arc::clone(&site);
        thread::spawn(move || answer_all(&connection, &site));
    }
}

/// Answers the requests of one connection until it is closed, idle for too long, or not HTTP.
fn answer_all(connection: &TcpStream, site: &Mutex<Site>) -> io::Result<()> {
    connection.set_read_timeout(Some(PATIENCE))?;
    connection.set_nodelay(true)?;
    let mut reader = BufReader::new(connection);
    while let Some(request) = read_request(&mut reader)? {
        let reply = reply(&request, site);
        let mut writer = connection;
        writer.write_all(&reply.head)?;
        if request.method != "HEAD" {
            writer.write_all(&reply.body)?;
        }
        if reply.is_last || request.closes {
            break;
        }
    }
    Ok(())
}

/// A request.
struct Request {
    method: String,
    target: String,
    /// Codings that it accepts, and the tags of the copies that the browser has, as sent.
    accepts: String,
    known: String,
    closes: bool,
}

/// The next request; `None` where the connection ends or does not speak HTTP.
fn read_request(reader: &mut impl BufRead) -> io::Result<Option<Request>> {
    let Some(first) = read_line(reader)? else { return Ok(None) };
    let mut words = first.split(' ');
    let (Some(method), Some(target), Some(version)) = (words.next(), words.next(), words.next())
    else {
        return Ok(None);
    };
    let mut request = Request {
        method: method.to_owned(),
        target: target.to_owned(),
        accepts: String::new(),
        known: String::new(),
        closes: version == "HTTP/1.0",
    };
    for _ in 0..MOST_LINES {
        let Some(line) = read_line(reader)? else { return Ok(None) };
        if line.is_empty() {
            return Ok(Some(request));
        }
        let line = line.to_ascii_lowercase();
        match line.split_once(':') {
            Some(("accept-encoding", value)) => request.accepts = value.to_owned(),
            Some(("if-none-match", value)) => request.known = value.to_owned(),
            _ => {}
        }
        // A body would be taken for the next request.
        request.closes |= line.starts_with("connection:") && line.contains("close")
            || line.starts_with("content-length:")
            || line.starts_with("transfer-encoding:");
    }
    Ok(None)
}

/// A line without its line end; `None` at the end of the stream or if it is too long.
fn read_line(reader: &mut impl BufRead) -> io::Result<Option<String>> {
    let mut line = Vec::new();
    reader.take(LONGEST_LINE).read_until(b'\n', &mut line)?;
    if line.pop() != Some(b'\n') {
        return Ok(None);
    }
    if line.last() == Some(&b'\r') {
        line.pop();
    }
    Ok(String::from_utf8(line).ok())
}

/// A reply: the head as it is sent, and the body.
struct Reply {
    head: Vec<u8>,
    body: Vec<u8>,
    is_last: bool,
}

fn reply(request: &Request, site: &Mutex<Site>) -> Reply {
    if !matches!(request.method.as_str(), "GET" | "HEAD") {
        return refuse("405 Method Not Allowed");
    }
    let path = request.target.split(['?', '#']).next().unwrap_or_default();
    // A thread that panicked while it held the list has not changed it halfway.
    let find = |path: &str| {
        let mut site = site.lock().unwrap_or_else(PoisonError::into_inner);
        let file = site.file(path)?;
        let (coding, sent) = site.coded(&file, &request.accepts);
        Some((file, coding, sent))
    };
    let Some((file, coding, sent)) = decode(path).and_then(|path| find(&path)) else {
        return refuse("404 Not Found");
    };
    // The file was removed after it was listed: the folder is being rebuilt.
    let Ok(body) = fs::read(sent) else { return refuse("404 Not Found") };
    let tag = format!("\"{}{coding}\"", Digest::new().with(&body).text());
    let coding =
        if coding.is_empty() { String::new() } else { format!("Content-Encoding: {coding}\r\n") };
    let more = format!("{coding}ETag: {tag}\r\nVary: Accept-Encoding\r\n");
    if request.known.contains(&tag) {
        let head = head("304 Not Modified", kind_of(&file), None, &more);
        return Reply { head, body: Vec::new(), is_last: false };
    }
    Reply { head: head("200 OK", kind_of(&file), Some(body.len()), &more), body, is_last: false }
}

fn refuse(status: &str) -> Reply {
    let body = format!("{status}\n").into_bytes();
    let head = head(status, "text/plain; charset=utf-8", Some(body.len()), "");
    Reply { head, body, is_last: true }
}

/// Browsers revalidate everything they cache, so a rebuilt folder is shown at once.
fn head(status: &str, kind: &str, length: Option<usize>, more: &str) -> Vec<u8> {
    let length = length.map_or_else(String::new, |length| format!("Content-Length: {length}\r\n"));
    format!(
        "HTTP/1.1 {status}\r\nContent-Type: {kind}\r\n{length}Cache-Control: no-cache\r\n{more}\
         X-Content-Type-Options: nosniff\r\nReferrer-Policy: no-referrer\r\n\r\n"
    )
    .into_bytes()
}

/// A percent-decoded address; `None` if the result is not UTF-8.
fn decode(path: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(path.len());
    let mut rest = path.as_bytes();
    while let Some((&first, after)) = rest.split_first() {
        rest = after;
        if first != b'%' {
            bytes.push(first);
            continue;
        }
        let (digits, after) = rest.split_at_checked(2)?;
        bytes.push(u8::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()?);
        rest = after;
    }
    String::from_utf8(bytes).ok()
}

/// The media type of a file, by its extension; browsers refuse scripts and modules without it.
fn kind_of(file: &Path) -> &'static str {
    match file.extension().and_then(|ending| ending.to_str()).unwrap_or_default() {
        "html" => "text/html; charset=utf-8",
        "js" | "mjs" => "text/javascript; charset=utf-8",
        "css" => "text/css; charset=utf-8",
        "json" | "webmanifest" => "application/json; charset=utf-8",
        "wasm" => "application/wasm",
        "svg" => "image/svg+xml",
        "png" => "image/png",
        "webp" => "image/webp",
        "ico" => "image/x-icon",
        "woff2" => "font/woff2",
        "txt" | "md" | "urdf" => "text/plain; charset=utf-8",
        _ => "application/octet-stream",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A folder of its own, served; the address's port.
    fn served(name: &str) -> u16 {
        let folder =
            std::env::temp_dir().join(format!("posekit-serve-{}-{name}", std::process::id()));
        fs::create_dir_all(folder.join("site/deep")).unwrap();
        fs::write(folder.join("secret.txt"), "outside").unwrap();
        fs::write(folder.join("site/index.html"), "<p>first").unwrap();
        fs::write(folder.join("site/deep/a b.wasm"), [0, 97, 115, 109]).unwrap();
        fs::write(folder.join("site/deep/a b.wasm.gz"), "zipped").unwrap();
        fs::write(folder.join("site/deep/a b.wasm.br"), "brotli").unwrap();
        let site = Site::of(&folder.join("site")).unwrap();
        assert!(site.has_first_page(), "an index");
        let listener = listen(0).unwrap();
        let port = listener.local_addr().unwrap().port();
        thread::spawn(move || serve(&listener, site));
        port
    }

    fn ask(port: u16, text: &str) -> String {
        let mut connection = TcpStream::connect((Ipv4Addr::LOCALHOST, port)).unwrap();
        connection.write_all(text.as_bytes()).unwrap();
        let mut answer = Vec::new();
        connection.read_to_end(&mut answer).unwrap();
        String::from_utf8_lossy(&answer).into_owned()
    }

    fn get(port: u16, path: &str) -> String {
        ask(port, &format!("GET {path} HTTP/1.1\r\nConnection: close\r\n\r\n"))
    }

    #[test]
    fn files_come_with_their_type() {
        let port = served("types");
        let page = get(port, "/?x=1");
        assert!(page.starts_with("HTTP/1.1 200 OK\r\nContent-Type: text/html"), "{page}");
        assert!(page.ends_with("\r\n\r\n<p>first"), "{page}");
        assert!(get(port, "/deep/a%20b.wasm").contains("application/wasm"), "percent signs");
        let head = ask(port, "HEAD / HTTP/1.1\r\nConnection: close\r\n\r\n");
        assert!(head.contains("Content-Length: 8") && head.ends_with("\r\n\r\n"), "{head}");
    }

    #[test]
    fn compressed_copies_go_to_those_who_accept_them_and_known_ones_are_not_sent_again() {
        let port = served("codings");
        let with = |header: &str| {
            ask(
                port,
                &format!("GET /deep/a%20b.wasm HTTP/1.1\r\n{header}\r\nConnection: close\r\n\r\n"),
            )
        };
        let brotli = with("Accept-Encoding: gzip, deflate, br");
        assert!(brotli.contains("Content-Encoding: br\r\n") && brotli.ends_with("brotli"));
        assert!(brotli.contains("application/wasm") && brotli.contains("Vary: Accept-Encoding"));
        assert!(with("Accept-Encoding: br;q=0, gzip").ends_with("zipped"), "no brotli");
        assert!(!with("Accept: */*").contains("Content-Encoding"), "neither");
        let tag = brotli.split_once("ETag: ").unwrap().1.split_once("\r\n").unwrap().0;
        let again = with(&format!("Accept-Encoding: br\r\nIf-None-Match: {tag}"));
        assert!(again.starts_with("HTTP/1.1 304 Not Modified"), "{again}");
        assert!(again.ends_with("\r\n\r\n"), "no body: {again}");
        let other = with(&format!("Accept-Encoding: gzip\r\nIf-None-Match: {tag}"));
        assert!(other.starts_with("HTTP/1.1 200 OK"), "another copy: {other}");
    }

    #[test]
    fn nothing_outside_the_folder_is_read() {
        let port = served("outside");
        for path in
            ["/../secret.txt", "/%2e%2e/secret.txt", "/deep/../../secret.txt", "//", "/deep"]
        {
            let answer = get(port, path);
            assert!(answer.starts_with("HTTP/1.1 404"), "{path}: {answer}");
        }
        assert!(get(port, "/%zz").starts_with("HTTP/1.1 404"), "no digits");
        assert!(get(port, "/%").starts_with("HTTP/1.1 404"), "cut off");
    }

    #[test]
    fn what_is_built_later_is_found() {
        let port = served("later");
        assert!(get(port, "/new.js").starts_with("HTTP/1.1 404"), "not there yet");
        let folder =
            std::env::temp_dir().join(format!("posekit-serve-{}-later", std::process::id()));
        fs::write(folder.join("site/new.js"), "1").unwrap();
        assert!(get(port, "/new.js").contains("text/javascript"), "built since");
    }

    #[test]
    fn other_methods_and_noise_are_turned_away() {
        let port = served("noise");
        let post = ask(port, "POST / HTTP/1.1\r\nContent-Length: 3\r\n\r\nabc");
        assert!(post.starts_with("HTTP/1.1 405"), "{post}");
        assert_eq!(ask(port, "\u{1}\u{2}\r\n\r\n"), "", "no HTTP, no answer");
        let two = ask(port, "GET / HTTP/1.1\r\n\r\nGET / HTTP/1.1\r\nConnection: close\r\n\r\n");
        assert_eq!(two.matches("200 OK").count(), 2, "a connection that stays open: {two}");
    }
}
