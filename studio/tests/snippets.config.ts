import { defineConfig, mergeConfig } from "vitest/config";
import studio from "../vite.config.ts";

// No checks: writes the programs that the page offers, for `cargo xtask test` to compile and run.
export default mergeConfig(studio, defineConfig({ test: { root: import.meta.dirname, include: ["snippets.programs.ts"] } }));
