import { defineConfig } from "vitest/config";

// One browser, one file after the other: the tests drive a page, and times are measured.
export default defineConfig({
  test: {
    root: import.meta.dirname,
    include: ["*.browser.ts"],
    globalSetup: "./server.ts",
    fileParallelism: false,
    testTimeout: 60_000,
    hookTimeout: 60_000,
    reporters: ["verbose"],
  },
});
