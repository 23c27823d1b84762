//! What the built page needs besides its scripts: the offline copy, compressed copies, the version, a policy that lets the developing server work.

import { createHash } from "node:crypto";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";
import type { Plugin } from "vite";

/** The version of the workspace: the one that crates and packages share. */
export function version(): string {
  const manifest = readFileSync(new URL("../../Cargo.toml", import.meta.url), "utf8");
  return /^\[workspace\.package\]\s*version = "([^"]+)"/m.exec(manifest)?.[1] ?? "0.0.0";
}

/** Pages about posekit: those that the manifests name. */
export function pages(): { label: string; href: string }[] {
  const named = (manifest: string, field: string) => new RegExp(`^${field} = "([^"]+)"`, "m").exec(readFileSync(new URL(`../../${manifest}`, import.meta.url), "utf8"))?.[1];
  const found = [
    { label: "Source", href: named("Cargo.toml", "repository") },
    { label: "Documentation", href: named("crates/posekit/Cargo.toml", "documentation") },
  ];
  return found.flatMap(({ label, href }) => (href === undefined ? [] : [{ label, href }]));
}

/** The developing server puts styles and scripts into the page, which the policy of the built page forbids. */
export function policyOnlyWhenBuilt(): Plugin {
  return {
    name: "policy-only-when-built",
    apply: "serve",
    transformIndexHtml: (html) => html.replace(/<meta http-equiv="Content-Security-Policy"[^>]*>/, ""),
  };
}

/** Writes `offline.js`, a service worker that keeps a copy of every built file. */
export function offlineCopy(): Plugin {
  return {
    name: "offline-copy",
    apply: "build",
    generateBundle(_, bundle) {
      const files = Object.keys(bundle).filter((name) => !isFontOfOtherScript(name) && !isForMotions(name)).sort();
      const hash = createHash("sha256");
      for (const name of files) {
        const part = bundle[name];
        hash.update(name).update(part?.type === "chunk" ? part.code : part?.source ?? "");
      }
      const list = ["./", ...files.filter((name) => name !== "index.html"), "icon.svg", "studio.webmanifest"];
      this.emitFile({ type: "asset", fileName: "offline.js", source: worker(hash.digest("hex").slice(0, 16), list) });
    },
  };
}

/** Writes a `.br` and a `.gz` beside every file that becomes smaller: `posekit studio` and most web hosts send those. */
export function compressedCopies(): Plugin {
  return {
    name: "compressed-copies",
    apply: "build",
    writeBundle({ dir = "dist" }) {
      for (const file of readdirSync(dir, { recursive: true, withFileTypes: true })) {
        if (!file.isFile() || !/\.(js|css|html|wasm|svg|json|webmanifest|bvh)$/.test(file.name)) continue;
        const path = join(file.parentPath, file.name);
        const bytes = readFileSync(path);
        const size = { [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length, [constants.BROTLI_PARAM_LGWIN]: 24 };
        writeFileSync(`${path}.br`, brotliCompressSync(bytes, { params: { ...size, [constants.BROTLI_PARAM_QUALITY]: isForMotions(path) ? 9 : 11 } }));
        writeFileSync(`${path}.gz`, gzipSync(bytes, { level: 9 }));
      }
    },
  };
}

/** Scripts that the page's own words do not use; a browser fetches them only for a title that does. */
function isFontOfOtherScript(name: string): boolean {
  return /-(cyrillic|greek|vietnamese)[\w-]*\.woff2?$/.test(name) || name.endsWith(".woff");
}

/** The module for motions: kept when one has been opened. */
function isForMotions(name: string): boolean {
  return /\/posekit_motion_bg-[\w-]+\.wasm$/.test(name);
}

/**
 * The first page comes from the network where there is one, so that a new build shows at once; everything else has its content's hash in its
 * name, or does not change, and comes from the copy.
 */
function worker(build: string, files: string[]): string {
  return `const COPY = "posekit-studio-${build}";
const FILES = ${JSON.stringify(files)};

addEventListener("install", (event) => {
  event.waitUntil(caches.open(COPY).then((copy) => copy.addAll(FILES)).then(() => skipWaiting()));
});

addEventListener("activate", (event) => {
  const old = (name) => name.startsWith("posekit-studio-") && name !== COPY;
  event.waitUntil(caches.keys().then((names) => Promise.all(names.filter(old).map((name) => caches.delete(name)))).then(() => clients.claim()));
});

addEventListener("fetch", (event) => {
  const { request } = event;
  if (request.method !== "GET" || new URL(request.url).origin !== location.origin) return;
  event.respondWith(request.mode === "navigate" ? networkFirst(request) : copyFirst(request));
});

async function copyFirst(request) {
  const kept = await caches.match(request, { ignoreSearch: true });
  if (kept) return kept;
  const answer = await fetch(request);
  // A full disk keeps nothing, and the page goes on.
  if (answer.ok) await caches.open(COPY).then((copy) => copy.put(request, answer.clone())).catch(() => undefined);
  return answer;
}

async function networkFirst(request) {
  try {
    return await fetch(request);
  } catch (error) {
    const page = await caches.match("./");
    if (page) return page;
    throw error;
  }
}
`;
}
