//! Room `chain`.
