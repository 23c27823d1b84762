//! Room `limb`.
