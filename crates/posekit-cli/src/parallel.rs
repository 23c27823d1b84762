//! Many items in parallel: one that fails or panics does not affect the others, and results are in the order of the items.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;

use crate::progress::Progress;
use crate::stop::Stop;

/// Stack size of a worker: that of a main thread, so that a file has the same result on any thread.
const STACK: usize = 8 << 20;

/// Applies a function to many items in parallel, and returns the results in order. A panic becomes an error with its message; an item that was not begun when
/// the run was stopped has no result.
///
/// - `name`: the name of an item, shown beside the progress
pub(crate) fn run<I: Sync, T: Send>(
    items: &[I],
    threads: usize,
    stop: &Stop,
    name: impl Fn(&I) -> String + Sync,
    work: impl Fn(&I) -> T + Sync,
) -> Vec<Option<Result<T, String>>> {
    let next = AtomicUsize::new(0);
    let progress = Mutex::new(Progress::new(items.len()));
    let done = Mutex::new(Vec::with_capacity(items.len()));
    let worker = || {
        while let Some((index, item)) =
            Some(next.fetch_add(1, Ordering::Relaxed)).and_then(|i| Some((i, items.get(i)?)))
        {
            if stop.is_asked() {
                break;
            }
            progress.lock().unwrap_or_else(PoisonError::into_inner).step(&name(item));
            let result = catch_unwind(AssertUnwindSafe(|| work(item)));
            let result = result.map_err(|panic| message(panic.as_ref()));
            done.lock().unwrap_or_else(PoisonError::into_inner).push((index, result));
        }
    };
    thread::scope(|scope| {
        let n = threads.clamp(1, items.len().max(1));
        let spawned = (1..n).filter_map(|_| {
            thread::Builder::new().stack_size(STACK).spawn_scoped(scope, worker).ok()
        });
        let others: Vec<_> = spawned.collect();
        // This thread works too, so that everything is done even if no other can be started.
        worker();
        drop(others);
    });
    progress.lock().unwrap_or_else(PoisonError::into_inner).finish();
    let mut results: Vec<_> = items.iter().map(|_| None).collect();
    for (index, result) in done.into_inner().unwrap_or_else(PoisonError::into_inner) {
        results[index] = Some(result);
    }
    results
}

/// The default number of items to process in parallel.
pub(crate) fn cores() -> usize {
    thread::available_parallelism().map_or(1, usize::from)
}

fn message(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
    let text = text.or_else(|| panic.downcast_ref::<String>().cloned());
    format!("this is a bug in posekit, please report it: {}", text.unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_are_in_order_and_one_that_panics_is_alone() {
        let items: Vec<usize> = (0..200).collect();
        let work = |&item: &usize| {
            assert_ne!(item, 77, "item 77 is poisoned");
            item * 2
        };
        for threads in [1, 4, 500] {
            let results = run(&items, threads, &Stop::default(), ToString::to_string, work);
            assert_eq!(results.len(), 200);
            for (index, result) in results.into_iter().enumerate() {
                match result.unwrap() {
                    Ok(double) => assert_eq!(double, index * 2),
                    Err(message) => assert!(index == 77 && message.contains("poisoned")),
                }
            }
        }
        assert!(run(&[], 4, &Stop::default(), |(): &()| String::new(), |()| ()).is_empty());
    }

    #[test]
    fn what_was_not_begun_when_it_was_stopped_gives_nothing() {
        let items: Vec<usize> = (0..50).collect();
        for threads in [1, 4] {
            let stop = Stop::default();
            let work = |&item: &usize| {
                match item {
                    20 => stop.request(),
                    // What other threads have begun by then they finish.
                    21.. => {
                        while !stop.is_asked() {
                            thread::yield_now();
                        }
                    }
                    _ => {}
                }
                item
            };
            let results = run(&items, threads, &stop, ToString::to_string, work);
            assert_eq!(results.len(), 50);
            assert!(results[..20].iter().zip(0..).all(|(result, item)| *result == Some(Ok(item))));
            assert!(results[20 + threads..].iter().all(Option::is_none));
        }
    }
}
