//! Divides a batch into parts of fixed size, which threads share if there are several.

/// The largest number of rows in a part. At its end lanes run empty one after the other, which must be a small fraction of its time, and there must be enough parts
/// for threads to share.
const MOST_ROWS: usize = 512;

/// Consecutive rows of a batch.
pub(super) trait Part: Send + Sized {
    fn n_rows(&self) -> usize;

    /// The rows before an index, and the others.
    fn split(self, row: usize) -> (Self, Self);

    /// Solves row after row.
    fn solve(self);
}

/// Solves a batch, half by half.
pub(super) fn solve<P: Part>(part: P) {
    if part.n_rows() <= MOST_ROWS {
        return part.solve();
    }
    let half = (part.n_rows() / 2).next_multiple_of(MOST_ROWS);
    let (first, second) = part.split(half);
    join(|| solve(first), || solve(second));
}

#[cfg(feature = "rayon")]
fn join(first: impl FnOnce() + Send, second: impl FnOnce() + Send) {
    rayon::join(first, second);
}

#[cfg(not(feature = "rayon"))]
fn join(first: impl FnOnce(), second: impl FnOnce()) {
    first();
    second();
}
