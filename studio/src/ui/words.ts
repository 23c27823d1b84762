//! The core's words, where the page looks for them.

export * from "../core/words.ts";
