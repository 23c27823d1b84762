//! Serves the built page by the product's own command for as long as the tests run.

import { spawn, type ChildProcess } from "node:child_process";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { TestProject } from "vitest/node";

declare module "vitest" {
  interface ProvidedContext {
    address: string;
    posekit: string;
  }
}

const site = fileURLToPath(new URL("../dist/", import.meta.url));

/** The command `posekit`: named in POSEKIT, else the newest place that cargo builds to. */
export function command(): string {
  const named = process.env["POSEKIT"];
  const built = ["debug", "release"].map((profile) => fileURLToPath(new URL(`../../target/${profile}/posekit`, import.meta.url)));
  const found = named ?? built.find((path) => existsSync(path));
  if (!found) throw new Error("the command posekit is not built: run `cargo build -p posekit-cli`, or name it in POSEKIT");
  return found;
}

export default async function serve(project: TestProject): Promise<() => void> {
  if (!existsSync(`${site}index.html`)) throw new Error("the studio is not built: run `cargo xtask studio --build`");
  const posekit = command();
  const server = spawn(posekit, ["studio", "--port", "0", "--no-open", "--dir", site], { stdio: ["ignore", "pipe", "inherit"] });
  project.provide("address", await addressOf(server));
  project.provide("posekit", posekit);
  return () => { server.kill(); };
}

function addressOf(server: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let said = "";
    server.stdout?.on("data", (part: Buffer) => {
      said += part.toString();
      const address = /http:\/\/[\w.:]+\//.exec(said)?.[0];
      if (address) resolve(address);
    });
    server.on("exit", (code) => { reject(new Error(`posekit studio ended with ${code}: ${said}`)); });
    server.on("error", reject);
  });
}
