//! Room `task`.
