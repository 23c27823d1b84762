//! A file worked on by a process of its own: one that hangs is given up, and one that brings its process down stops none of the others.

use std::ffi::OsStr;
use std::fs;
use std::io::Read as _;
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use super::files::Input;
use super::record::{FileRecord, NOT_BEGUN};
use crate::output::beginning_of_temporary;
use crate::stop::Stop;

/// How often it is looked whether a process has ended.
const LOOK: Duration = Duration::from_millis(5);

/// Does with one file of a folder what this command does, in a process of its own, and gives it up after some time.
///
/// - `folders`: where that process writes
pub(super) fn run(input: &Input, seconds: f64, folders: &[&Path], stop: &Stop) -> FileRecord {
    let failed = |message: String| FileRecord::failed(&input.name, message);
    let mut child = match start(&input.relative) {
        Ok(child) => child,
        Err(error) => return failed(format!("no process can be started for it: {error}")),
    };
    let begun = Instant::now();
    // Read beside the waiting: a process whose pipe is full does not end.
    let told = child.stdout.take().map(|mut pipe| {
        thread::spawn(move || {
            let mut text = Vec::new();
            let _ = pipe.read_to_end(&mut text);
            text
        })
    });
    let ended = wait(&mut child, begun, seconds);
    let text = told.and_then(|told| told.join().ok()).unwrap_or_default();
    let record = ended.is_some_and(|status| status.success());
    match record.then(|| serde_json::from_slice(&text)) {
        Some(Ok(record)) => return record,
        _ => tidy(folders, child.id()),
    }
    match ended {
        // Whoever stops a run stops all of its processes.
        _ if stop.is_asked() => failed(NOT_BEGUN.to_owned()),
        None => failed(format!("given up after {seconds} s (--timeout)")),
        Some(status) => failed(format!("the process that worked on it died ({status})")),
    }
}

/// Starts this command again, for one file of the folder.
fn start(relative: &Path) -> std::io::Result<Child> {
    Command::new(std::env::current_exe()?)
        .args(std::env::args_os().skip(1))
        .args([OsStr::new("--only"), relative.as_os_str()])
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
}

/// Waits for the end of a process; `None` where it was not there in time, and was ended.
fn wait(child: &mut Child, begun: Instant, seconds: f64) -> Option<ExitStatus> {
    loop {
        if let Ok(Some(status)) = child.try_wait() {
            return Some(status);
        }
        if begun.elapsed().as_secs_f64() > seconds {
            let _ = child.kill();
            let _ = child.wait();
            return None;
        }
        thread::sleep(LOOK);
    }
}

/// Takes away what a process that died had begun to write.
fn tidy(folders: &[&Path], process: u32) {
    let begins = beginning_of_temporary(process);
    for folder in folders {
        let Ok(entries) = fs::read_dir(folder) else { continue };
        for entry in entries.flatten() {
            if entry.file_name().as_encoded_bytes().starts_with(begins.as_bytes()) {
                let _ = fs::remove_file(entry.path());
            }
        }
    }
}
