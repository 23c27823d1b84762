//! Long calls: threads that survive a fork, and Ctrl-C.

use std::process;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use pyo3::exceptions::{PyOSError, PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuilder};

/// How long a call waits before it looks for signals: less than half of the tenth of a second within which Ctrl-C must be answered.
pub(crate) const PATIENCE: Duration = Duration::from_millis(40);

/// The threads of a process. A fork has none of its parent's, so it starts its own.
struct Threads {
    process: u32,
    count: usize,
    pool: Arc<ThreadPool>,
}

/// Locked only while the interpreter is held, as it is when a process is forked: no fork finds it locked.
static THREADS: Mutex<Option<Threads>> = Mutex::new(None);

/// The threads that share a call.
///
/// - `count`: how many; `None` for one per core, or what `RAYON_NUM_THREADS` says
pub(crate) fn pool(_: Python<'_>, count: Option<usize>) -> PyResult<Arc<ThreadPool>> {
    if count == Some(0) {
        return Err(PyValueError::new_err("threads must be 1 or more"));
    }
    let count = count.unwrap_or(0);
    let process = process::id();
    let mut threads = THREADS.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(old) = threads.take() {
        if old.process != process {
            // Its threads are in the parent: there is nobody to end.
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

/// Does work without the interpreter, and looks for signals meanwhile. One that ends the call sets the flag that the work is given, and the work must then end soon; what
/// it gives is dropped.
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

/// Does work that knows nothing of signals on a thread of its own, and looks for them meanwhile. After one that ends the call, the work goes on to its end, and its
/// result is dropped.
pub(crate) fn run<T: Send + 'static>(
    py: Python<'_>,
    work: impl FnOnce() -> T + Send + 'static,
) -> PyResult<T> {
    let (sender, mut receiver) = mpsc::channel();
    let worker = thread::Builder::new().name("posekit".to_owned()).spawn(move || {
        // Nobody receives after a signal.
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
