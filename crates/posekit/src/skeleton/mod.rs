//! Room `skeleton`.
