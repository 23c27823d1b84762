//! A web server for one folder of files and one user: loopback only, read-only.
//!
//! The files are listed, and only what is on that list is ever opened, so no request can name a path outside the folder.
//! A request for a path that is not on the list renews it, because the folder may have been rebuilt. Browsers revalidate what they cache by its entity tag, so a
//! rebuilt folder is shown at once, and get the compressed copies (`.br`, `.gz`) that the build writes beside its files.

use std::collections::BTreeMap;
use std::fs;
use std::io::{self, Cursor};
use std::net::{Ipv4Addr, TcpListener};
use std::path::{Path, PathBuf};
use std::thread;

use percent_encoding::percent_decode_str;
use tiny_http::{Header, Method, Request, Response, Server};

use crate::content::Digest;

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
pub(crate) fn serve(listener: TcpListener, mut site: Site) -> io::Result<()> {
    let server = Server::from_listener(listener, None).map_err(io::Error::other)?;
    for request in server.incoming_requests() {
        let response = response(&request, &mut site);
        // A browser that no longer waits for the answer gets none.
        thread::spawn(move || request.respond(response));
    }
    Ok(())
}

fn response(request: &Request, site: &mut Site) -> Response<Cursor<Vec<u8>>> {
    const TEXT: (&str, &str) = ("Content-Type", "text/plain; charset=utf-8");
    if !matches!(request.method(), Method::Get | Method::Head) {
        return with_headers(405, b"method not allowed\n".to_vec(), &[TEXT]);
    }
    let sent = |name: &'static str| {
        let header = request.headers().iter().find(|header| header.field.equiv(name));
        header.map_or("", |header| header.value.as_str())
    };
    let path = request.url().split(['?', '#']).next().unwrap_or_default();
    let file = percent_decode_str(path).decode_utf8().ok().and_then(|path| site.file(&path));
    let (coding, copy) = match &file {
        Some(file) => site.coded(file, sent("Accept-Encoding")),
        None => ("", PathBuf::new()),
    };
    // A file may be removed after it was listed: the folder is being rebuilt.
    let (Some(file), Ok(body)) = (file, fs::read(copy)) else {
        return with_headers(404, b"not found\n".to_vec(), &[TEXT]);
    };
    let kind = mime_guess::from_path(file).first_or_octet_stream();
    let charset = if kind.type_() == "text" { "; charset=utf-8" } else { "" };
    let tag = format!("\"{}{coding}\"", Digest::new().with(&body).text());
    // With this status the body is not sent.
    let status = if sent("If-None-Match").contains(&tag) { 304 } else { 200 };
    let headers = [
        ("Content-Type", &*format!("{kind}{charset}")),
        ("ETag", &tag),
        ("Vary", "Accept-Encoding"),
        ("Content-Encoding", coding),
    ];
    with_headers(status, body, if coding.is_empty() { &headers[..3] } else { &headers })
}

/// A response that browsers ask for anew each time, and take for nothing but what its type says.
fn with_headers(status: u16, body: Vec<u8>, headers: &[(&str, &str)]) -> Response<Cursor<Vec<u8>>> {
    const ALWAYS: [(&str, &str); 3] = [
        ("Cache-Control", "no-cache"),
        ("X-Content-Type-Options", "nosniff"),
        ("Referrer-Policy", "no-referrer"),
    ];
    let headers = headers.iter().chain(&ALWAYS);
    let headers = headers.filter_map(|(name, value)| Header::from_bytes(*name, *value).ok());
    let length = Some(body.len());
    Response::new(status.into(), headers.collect(), Cursor::new(body), length, None)
        .with_chunked_threshold(usize::MAX)
}

#[cfg(test)]
mod tests {
    use std::io::{Read as _, Write as _};
    use std::net::TcpStream;

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
        thread::spawn(move || serve(listener, site));
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
        assert!(page.starts_with("HTTP/1.1 200 OK\r\n"), "{page}");
        assert!(page.contains("\r\nContent-Type: text/html; charset=utf-8\r\n"), "{page}");
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
        let post =
            ask(port, "POST / HTTP/1.1\r\nConnection: close\r\nContent-Length: 3\r\n\r\nabc");
        assert!(post.starts_with("HTTP/1.1 405"), "{post}");
        let noise = ask(port, "\u{1}\u{2}\r\n\r\n");
        assert!(noise.starts_with("HTTP/1.1 400"), "no HTTP: {noise}");
        let two = ask(port, "GET / HTTP/1.1\r\n\r\nGET / HTTP/1.1\r\nConnection: close\r\n\r\n");
        assert_eq!(two.matches("200 OK").count(), 2, "a connection that stays open: {two}");
    }
}
