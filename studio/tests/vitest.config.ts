import { defineConfig } from "vitest/config";
import type { Reporter } from "vitest/node";

/** Names the failures once more at the very end, where whoever sees only the last lines of a log looks. */
const failures: Reporter = {
  onTestRunEnd(modules) {
    for (const module of modules) {
      for (const test of module.children.allTests("failed")) {
        const [error] = test.result().errors ?? [];
        process.stdout.write(`FAILED ${module.relativeModuleId}: ${test.fullName}: ${error?.message.split("\n")[0] ?? ""}\n`);
      }
    }
  },
};

// One browser, one file after the other: the tests drive a page, and times are measured.
export default defineConfig({
  test: {
    root: import.meta.dirname,
    include: ["*.browser.ts"],
    globalSetup: "./server.ts",
    fileParallelism: false,
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // A page drawn by software on a busy machine answers late: waiting longer costs nothing where it answers.
    expect: { poll: { timeout: 20_000 } },
    reporters: ["verbose", failures],
  },
});
