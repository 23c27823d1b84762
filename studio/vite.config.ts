import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";
import { articles } from "./build/articles.ts";
import { mathFont } from "./build/math-font.ts";
import { compressedCopies, offlineCopy, pages, policyOnlyWhenBuilt, version } from "./build/page.ts";

/** Where `cargo xtask wasm` puts the package. */
const pkg = fileURLToPath(new URL("../crates/posekit-wasm/pkg/", import.meta.url));
const isBuilt = existsSync(`${pkg}package.json`);

export default defineConfig({
  // Relative addresses, so that the built folder works under any path of any host.
  base: "./",
  plugins: [policyOnlyWhenBuilt(), articles(), mathFont(), offlineCopy(), compressedCopies()],
  define: {
    __POSEKIT_VERSION__: JSON.stringify(version()),
    // Where the page is published, for links; `cargo xtask studio --build --base URL` names it.
    __POSEKIT_BASE__: JSON.stringify(process.env["POSEKIT_BASE"] ?? ""),
    __POSEKIT_PAGES__: JSON.stringify(pages()),
  },
  resolve: {
    alias: [
      { find: /^posekit\/(cases|motion|robots|three|urdf)$/, replacement: `${pkg}$1.js` },
      { find: /^posekit\/(\w+\.wasm)/, replacement: `${pkg}$1` },
      { find: /^posekit$/, replacement: `${pkg}index.js` },
    ],
    dedupe: ["three"],
  },
  oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
  server: { fs: { allow: [".."] } },
  worker: { format: "es" },
  build: {
    target: "es2022",
    modulePreload: { polyfill: false },
    sourcemap: false,
    // The policy allows no fonts or styles in data addresses.
    assetsInlineLimit: 0,
    rolldownOptions: { external: isBuilt ? [] : [/^posekit/] },
  },
  test: {
    environment: "node",
    include: ["src/**/*.test.ts", "src/**/*.test.tsx"],
    testTimeout: 30_000,
  },
});
