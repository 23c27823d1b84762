//! A web server for one folder of files and one user: loopback only, read-only.
//!
//! The files are listed, and only what is on that list is ever opened, so no request can name a path outside the folder.
//! A request for a path that is not on the list renews it, because the folder may have been rebuilt. Browsers revalidate what they cache by its entity tag, so a
//! rebuilt folder is shown at once, and get the compressed copies (`.br`, `.gz`) that the build writes beside its files.

use std::collections::BTreeMap;
use std::fs;
use std::io::{self, BufRead, BufReader, Read as _, Write as _};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use percent_encoding::percent_decode_str;

use crate::content::Digest;

/// Longest head of a request, and largest number of its headers; browsers stay far below both.
const LONGEST_HEAD: u64 = 64 * 1024;
const MOST_HEADERS: usize = 200;

/// A connection that is idle for this long is closed.
const PATIENCE: Duration = Duration::from_secs(30);

/// Codings of compressed copies, and what their names end in; the smaller first.
const CODINGS: [(&str, &str); 2] = [("br", ".br"), ("gzip", ".gz")];

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
    loop {
        let head = read_head(&mut reader)?;
        let mut headers = [httparse::EMPTY_HEADER; MOST_HEADERS];
        let mut request = httparse::Request::new(&mut headers);
        if !matches!(request.parse(&head), Ok(httparse::Status::Complete(_))) {
            return Ok(());
        }
        let (head, body) = {
            // A thread that panicked while it held the list has not changed it halfway.
            let mut site = site.lock().unwrap_or_else(PoisonError::into_inner);
            reply(&request, &mut site)
        };
        let mut writer = connection;
        writer.write_all(head.as_bytes())?;
        if request.method != Some("HEAD") {
            writer.write_all(&body)?;
        }
        // A body of the request would be taken for the next one.
        let has_body = ["Content-Length", "Transfer-Encoding"]
            .iter()
            .any(|name| !sent(&request, name).is_empty());
        let is_last = sent(&request, "Connection").eq_ignore_ascii_case("close");
        if has_body || is_last || request.version == Some(0) {
            return Ok(());
        }
    }
}

/// The head of the next request; cut off where the connection ends or it is too long.
fn read_head(reader: &mut impl BufRead) -> io::Result<Vec<u8>> {
    let mut head = Vec::new();
    let mut reader = reader.take(LONGEST_HEAD);
    while !head.ends_with(b"\r\n\r\n") && reader.read_until(b'\n', &mut head)? > 0 {}
    Ok(head)
}

/// The value of a header; empty without it.
fn sent<'r>(request: &httparse::Request<'_, 'r>, name: &str) -> &'r str {
    let mut headers = request.headers.iter();
    let header = headers.find(|header| header.name.eq_ignore_ascii_case(name));
    header.and_then(|header| core::str::from_utf8(header.value).ok()).unwrap_or_default()
}

/// The head of a reply as it is sent, and the body.
fn reply(request: &httparse::Request<'_, '_>, site: &mut Site) -> (String, Vec<u8>) {
    if !matches!(request.method, Some("GET" | "HEAD")) {
        return refusal("405 Method Not Allowed");
    }
    let path = request.path.unwrap_or_default().split(['?', '#']).next().unwrap_or_default();
    let path = percent_decode_str(path).decode_utf8().ok();
    let Some(file) = path.and_then(|path| site.file(&path)) else {
        return refusal("404 Not Found");
    };
    let (coding, copy) = site.coded(&file, sent(request, "Accept-Encoding"));
    // The file was removed after it was listed: the folder is being rebuilt.
    let Ok(body) = fs::read(copy) else { return refusal("404 Not Found") };
    let kind = mime_guess::from_path(file).first_or_octet_stream();
    let charset = if kind.type_() == "text" { "; charset=utf-8" } else { "" };
    let tag = format!("\"{}{coding}\"", Digest::new().with(&body).text());
    let coding =
        if coding.is_empty() { String::new() } else { format!("Content-Encoding: {coding}\r\n") };
    let more = format!("{coding}ETag: {tag}\r\nVary: Accept-Encoding\r\n");
    match sent(request, "If-None-Match").contains(&tag) {
        true => (head("304 Not Modified", &format!("{kind}{charset}"), &more), Vec::new()),
        false => {
            let more = format!("Content-Length: {}\r\n{more}", body.len());
            (head("200 OK", &format!("{kind}{charset}"), &more), body)
        }
    }
}

fn refusal(status: &str) -> (String, Vec<u8>) {
    let body = format!("{status}\n").into_bytes();
    let length = format!("Content-Length: {}\r\n", body.len());
    (head(status, "text/plain; charset=utf-8", &length), body)
}

/// Browsers revalidate everything they cache, so a rebuilt folder is shown at once.
fn head(status: &str, kind: &str, more: &str) -> String {
    format!(
        "HTTP/1.1 {status}\r\nContent-Type: {kind}\r\n{more}Cache-Control: no-cache\r\n\
         X-Content-Type-Options: nosniff\r\nReferrer-Policy: no-referrer\r\n\r\n"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A folder of its own, which goes when it is dropped, served; the address's port.
    fn served() -> (tempfile::TempDir, u16) {
        let temporary = tempfile::tempdir().unwrap();
        let folder = temporary.path();
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
        (temporary, port)
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
        let (_folder, port) = served();
        let page = get(port, "/?x=1");
        assert!(page.starts_with("HTTP/1.1 200 OK\r\n"), "{page}");
        assert!(page.contains("\r\nContent-Type: text/html; charset=utf-8\r\n"), "{page}");
        assert!(page.ends_with("\r\n\r\n<p>first"), "{page}");
        assert!(get(port, "/deep/a%20b.wasm").contains("application/wasm"), "percent signs");
        let head = ask(port, "HEAD / HTTP/1.1\r\nConnection: close\r\n\r\n");
        assert!(head.contains("Content-Length: 8") && head.ends_with("\r\n\r\n"), "{head}");
    }

    #[test]
    fn compressed_copies_go_to_those_who_accept_them_and_known_ones_are_not_sent_again() {
        let (_folder, port) = served();
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
        let (_folder, port) = served();
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
        let (folder, port) = served();
        assert!(get(port, "/new.js").starts_with("HTTP/1.1 404"), "not there yet");
        fs::write(folder.path().join("site/new.js"), "1").unwrap();
        assert!(get(port, "/new.js").contains("text/javascript"), "built since");
    }

    #[test]
    fn other_methods_and_noise_are_turned_away() {
        let (_folder, port) = served();
        let post = ask(port, "POST / HTTP/1.1\r\nContent-Length: 3\r\n\r\nabc");
        assert!(post.starts_with("HTTP/1.1 405"), "{post}");
        assert_eq!(ask(port, "\u{1}\u{2}\r\n\r\n"), "", "no HTTP, no answer");
        let two = ask(port, "GET / HTTP/1.1\r\n\r\nGET / HTTP/1.1\r\nConnection: close\r\n\r\n");
        assert_eq!(two.matches("200 OK").count(), 2, "a connection that stays open: {two}");
    }

    #[test]
    fn connections_that_stay_open_keep_no_other_one_waiting() {
        let (_folder, port) = served();
        let mut open: Vec<TcpStream> =
            (0..16).map(|_| TcpStream::connect((Ipv4Addr::LOCALHOST, port)).unwrap()).collect();
        for connection in &mut open {
            connection.write_all(b"GET / HTTP/1.1\r\n\r\n").unwrap();
        }
        for connection in &mut open {
            let mut answer = [0; 12];
            connection.read_exact(&mut answer).unwrap();
            assert_eq!(&answer, b"HTTP/1.1 200");
        }
    }
}
