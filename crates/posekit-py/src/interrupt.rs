//! Long calls: threads that survive a fork, and Ctrl-C.

use std::process;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use pyo3::exceptions::{PyOSError, PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuilder};

/// The time between two checks for signals: less than half of the tenth of a second within which Ctrl-C must end a call.
const PATIENCE: Duration = Duration::from_millis(40);

/// Checks for signals between the steps of a call.
#[derive(Default)]
pub(crate) struct Signals {
    /// When the last check was, or the first step.
    last: Option<Instant>,
    raised: Option<PyErr>,
}

impl Signals {
    /// Whether the call goes on. The interpreter may be released.
    pub(crate) fn go_on(&mut self) -> bool {
        let last = *self.last.get_or_insert_with(Instant::now);
        if last.elapsed() > PATIENCE && self.raised.is_none() {
            self.raised = Python::attach(|py| py.check_signals()).err();
            self.last = None;
        }
        self.raised.is_none()
    }

    /// The exception that ended the call, if one did.
    pub(crate) fn check(self) -> PyResult<()> {
        self.raised.map_or(Ok(()), Err)
    }
}

/// The threads of a process. A forked process has none of its parent's, and starts its own.
struct Threads {
    process: u32,
    count: usize,
    pool: Arc<ThreadPool>,
}

/// Locked only while the interpreter is attached, as it is when a process is forked: it is never locked in a forked process.
static THREADS: Mutex<Option<Threads>> = Mutex::new(None);

/// The threads that share a call.
///
/// - `count`: how many; `None` for one per core, or the number in `RAYON_NUM_THREADS`
pub(crate) fn pool(_: Python<'_>, count: Option<usize>) -> PyResult<Arc<ThreadPool>> {
    if count == Some(0) {
        return Err(PyValueError::new_err("threads must be 1 or more"));
    }
    let count = count.unwrap_or(0);
    let process = process::id();
    let mut threads = THREADS.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(old) = threads.take() {
        if old.process != process {
            // Its threads exist in the parent only; dropping it would wait for them.
            std::mem::forget(old);
        } else if old.count == count {
            let pool = Arc::clone(&old.pool);
            *threads = Some(old);
            return Ok(pool);
        }
    }
    let builder = ThreadPoolBuilder::new().num_threads(count);
    let builder = builder.thread_name(|index| format!("posekit-{index}"));
    let pool = builder.build().map_err(|error| PyOSError::new_err(error.to_string()))?;
    let pool = Arc::new(pool);
    *threads = Some(Threads { process, count, pool: Arc::clone(&pool) });
    Ok(pool)
}

/// Runs work on another thread with the interpreter released, and checks for signals meanwhile. A signal that ends the call sets the flag; the work must then end soon,
/// and its result is dropped.
pub(crate) fn cancellable<T: Send>(
    py: Python<'_>,
    work: impl FnOnce(&AtomicBool) -> T + Send,
) -> PyResult<T> {
    let is_cancelled = AtomicBool::new(false);
    let (sender, receiver) = mpsc::channel();
    let flag = &is_cancelled;
    let wait = move || {
        thread::scope(|scope| {
            scope.spawn(move || {
                // The receiver waits for it.
                let _ = sender.send(work(flag));
            });
            let mut signal = None;
            loop {
                match (receiver.recv_timeout(PATIENCE), signal.take()) {
                    (Ok(_), Some(signal)) => return Err(signal),
                    (Ok(value), None) => return Ok(value),
                    (Err(RecvTimeoutError::Disconnected), _) => return Err(lost()),
                    (Err(RecvTimeoutError::Timeout), None) => {
                        signal = Python::attach(|py| py.check_signals()).err();
                        flag.store(signal.is_some(), Ordering::Relaxed);
                    }
                    (Err(RecvTimeoutError::Timeout), given) => signal = given,
                }
            }
        })
    };
    py.detach(wait)
}

/// Runs work that cannot be cancelled on another thread, and checks for signals meanwhile. A signal ends the call at once; the work goes on to its end in the background,
/// and its result is dropped.
pub(crate) fn run<T: Send + 'static>(
    py: Python<'_>,
    work: impl FnOnce() -> T + Send + 'static,
) -> PyResult<T> {
    let (sender, mut receiver) = mpsc::channel();
    let worker = thread::Builder::new().name("posekit".to_owned()).spawn(move || {
        // There is no receiver after a signal.
        let _ = sender.send(work());
    });
    worker?;
    loop {
        let result;
        (result, receiver) = py.detach(move || (receiver.recv_timeout(PATIENCE), receiver));
        match result {
            Ok(value) => return Ok(value),
            Err(RecvTimeoutError::Timeout) => py.check_signals()?,
            Err(RecvTimeoutError::Disconnected) => return Err(lost()),
        }
    }
}

fn lost() -> PyErr {
    PyRuntimeError::new_err("a fault of posekit ended its thread; please report it")
}
