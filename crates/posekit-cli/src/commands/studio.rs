//! `posekit studio`: the built web page, served on this machine.

use std::env;
use std::io::ErrorKind;
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::args::StudioArgs;
use crate::failure::{Failure, Result};
use crate::output::report;
use crate::serve::{Site, listen, serve};

/// The usual port: always the same address, so that a browser finds what it has stored for it (theme, offline copy).
const USUAL_PORT: u16 = 7361;

/// Where the page is relative to a folder: built in the repository, and installed beside a program.
const PLACES: [&str; 2] = ["studio/dist", "share/posekit/studio"];

/// Serves the page until the command is stopped.
pub(crate) fn studio(args: &StudioArgs) -> Result<()> {
    let folder = folder(args.dir.as_deref())?;
    let site = Site::of(&folder).map_err(|error| {
        Failure::usage(format!("cannot read the folder: {error}: {}", folder.display()))
    })?;
    if !site.has_first_page() {
        return Err(Failure::usage(format!(
            "there is no index.html in the folder, so it is not the studio: {}",
            folder.display()
        )));
    }
    let listener = take_port(args.port)?;
    let port = listener.local_addr().map_err(Failure::output)?.port();
    let address = format!("http://127.0.0.1:{port}/");
    report(&format!("The studio is at {address} (stop it with Ctrl+C)\n"))?;
    if !args.no_open {
        open_browser(&address);
    }
    serve(&listener, site);
    Ok(())
}

/// The folder that was named, or the first of the usual places that exists.
fn folder(named: Option<&Path>) -> Result<PathBuf> {
    if let Some(folder) = named {
        return Ok(folder.to_owned());
    }
    let program = env::current_exe().ok();
    let starts = [env::current_dir().ok(), program];
    let found = starts
        .iter()
        .flatten()
        .flat_map(|start| start.ancestors())
        .flat_map(|above| PLACES.map(|place| above.join(place)))
        .find(|folder| folder.join("index.html").is_file());
    found.ok_or_else(|| {
        Failure::usage(
            "the studio is not built: run `cargo xtask studio` in the repository, or give the folder made by \
             `cargo xtask studio --build` with --dir",
        )
    })
}

/// The requested port, else the usual one, else any.
fn take_port(requested: Option<u16>) -> Result<TcpListener> {
    let port = requested.unwrap_or(USUAL_PORT);
    let taken = match listen(port) {
        Err(error) if requested.is_none() && error.kind() == ErrorKind::AddrInUse => listen(0),
        taken => taken,
    };
    taken.map_err(|error| Failure::output(format!("cannot listen on port {port}: {error}")))
}

/// Opens the page in the default browser, if there is a desktop; the address has been printed in any case.
fn open_browser(address: &str) {
    let (program, before): (&str, &[&str]) = if cfg!(target_os = "macos") {
        ("open", &[])
    } else if cfg!(target_os = "windows") {
        ("cmd", &["/C", "start", ""])
    } else if env::var_os("DISPLAY").is_some() || env::var_os("WAYLAND_DISPLAY").is_some() {
        ("xdg-open", &[])
    } else {
        return;
    };
    let _ = Command::new(program)
        .args(before)
        .arg(address)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_taken_port_is_said_when_it_was_asked_for() {
        let first = take_port(Some(0)).unwrap();
        let port = first.local_addr().unwrap().port();
        let failure = take_port(Some(port)).unwrap_err();
        let message = failure.error.map(|error| error.to_string()).unwrap_or_default();
        assert!(message.contains(&format!("port {port}")), "{message}");
    }

    #[test]
    fn a_folder_that_is_named_is_taken_as_it_is() {
        let named = folder(Some(Path::new("somewhere")));
        assert_eq!(named.ok(), Some(PathBuf::from("somewhere")), "no search");
    }
}
