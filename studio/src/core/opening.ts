//! What is there at first: the document of a link, and scenes as they look before they are opened.

import type { Client } from "../worker/client.ts";
import { decodeLink, isLink } from "./link.ts";
import { messageOf, source } from "./orders.ts";
import { sceneDocument } from "./scenes/index.ts";
import { SCENE_IDS, type News, type SceneId, type ScenePreview, type StudioDocument } from "./types.ts";

const SCENE = "#scene=";

/** What is there where nothing else is asked for. */
export const FIRST: SceneId = "figure";

/** The address of a scene; that of a file opens it only in the history of the browser that has it. */
export function sceneAddress(scene: SceneId | "file" | "motion"): string {
  return SCENE + scene;
}

/** The scene that an address names; null where it names none. Throws where there is no such scene. */
export function sceneOfAddress(hash: string): SceneId | "motion" | null {
  if (!hash.startsWith(SCENE)) return null;
  const name = hash.slice(SCENE.length);
  if (name === "file") throw new Error("This address is of a file that was opened in another window");
  const scene = [...SCENE_IDS, "motion" as const].find((one) => one === name);
  if (scene === undefined) throw new Error(`There is no scene ${name}`);
  return scene;
}

/** The document of the address that was opened, or the first scene. */
export function firstDocument(hash: string, tell: (error: News) => void): StudioDocument {
  try {
    if (isLink(hash)) return decodeLink(hash);
    const scene = sceneOfAddress(hash);
    if (scene !== null && scene !== "motion") return sceneDocument(scene);
  } catch (error) {
    tell({ kind: "error", what: messageOf(error), hint: "The first scene is shown instead." });
  }
  return sceneDocument(FIRST);
}

/** A scene as it looks solved. */
export async function previewOf(client: Client, scene: SceneId): Promise<ScenePreview> {
  const document = sceneDocument(scene);
  const seen = await client.ask<"preview">({ kind: "preview", source: source(JSON.stringify(document.problem), document.urdf), method: document.runs[0]?.method ?? "auto" });
  if (scene !== "crowd") return { document, ...seen };
  const { options } = document;
  const crowd = await client.ask<"crowd">({ kind: "crowd", order: { count: 200, height: Number(options["height"]), speed: 0, time: 0 } });
  return { document, ...seen, crowd };
}
