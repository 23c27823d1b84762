//! A file processed in its own process: one that hangs is abandoned, and one that crashes its process does not stop the others.

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

/// The interval at which a process is polled.
const LOOK: Duration = Duration::from_millis(5);

/// Runs this command for one of several files in its own process, and abandons it after some time.
///
/// - `place`: the path of the output
/// - `folders`: the folders that the process writes to
pub(super) fn run(
    input: &Input,
    place: &Path,
    seconds: f64,
    folders: &[&Path],
    stop: &Stop,
) -> FileRecord {
    let failed = |message: String| FileRecord::failed(&input.name, message);
    let mut child = match start(input, place) {
        Ok(child) => child,
        Err(error) => return failed(format!("cannot start a process for it: {error}")),
    };
    let begun = Instant::now();
    // Read while waiting: a process whose pipe is full does not end.
    let output = child.stdout.take().map(|mut pipe| {
        thread::spawn(move || {
            let mut text = Vec::new();
            let _ = pipe.read_to_end(&mut text);
            text
        })
    });
    let ended = wait(&mut child, begun, seconds);
    let text = output.and_then(|output| output.join().ok()).unwrap_or_default();
    let record = ended.is_some_and(|status| status.success());
    match record.then(|| serde_json::from_slice(&text)) {
        Some(Ok(record)) => return record,
        _ => tidy(folders, child.id()),
    }
    match ended {
        // Ctrl-C stops all processes of a run.
        _ if stop.is_asked() => failed(NOT_BEGUN.to_owned()),
        None => failed(format!("abandoned after {seconds} s (--timeout)")),
        Some(status) => failed(format!("its process crashed ({status})")),
    }
}

/// Starts this command again, for one of the files.
fn start(input: &Input, place: &Path) -> std::io::Result<Child> {
    let given: Vec<_> = std::env::args_os().skip(1).collect();
    // What follows `--` is no option.
    let (options, files) =
        given.split_at(given.iter().position(|word| word == "--").unwrap_or(given.len()));
    Command::new(std::env::current_exe()?)
        .args(options)
        .args([OsStr::new("--only"), input.name.as_ref(), input.path.as_ref(), place.as_ref()])
        .args(files)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
}

/// Waits for the end of a process; `None` if it took too long and was killed.
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

/// Removes the unfinished files of a crashed process.
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
