//! Room `solve`.
