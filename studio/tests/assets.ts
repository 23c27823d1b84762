//! The folder of robots and characters that others made: `POSEKIT_ASSETS`, or `shared/assets` beside the repository.

import { existsSync } from "node:fs";
import { resolve } from "node:path";

const folder = process.env["POSEKIT_ASSETS"] ?? resolve(import.meta.dirname, "../../../shared/assets");

/** The folder, or null where it is not at hand; on a build server that is a failure. */
export const assets = existsSync(`${folder}/MANIFEST.md`) ? folder : null;

if (assets === null) {
  const words = `no assets at ${folder}; set POSEKIT_ASSETS`;
  if (process.env["CI"] === "true") throw new Error(words);
  process.stdout.write(`skipped: ${words}\n`);
}
