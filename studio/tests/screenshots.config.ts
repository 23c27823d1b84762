import { defineConfig } from "vitest/config";

// Pictures to look at, not checks: `npm run screenshots` writes them to tests/out and those of README and docs/studio.md to docs/images/studio.
export default defineConfig({
  test: {
    root: import.meta.dirname,
    include: ["screenshots.pictures.ts"],
    globalSetup: "./server.ts",
    testTimeout: 600_000,
    hookTimeout: 60_000,
  },
});
