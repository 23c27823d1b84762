//! What is there at first: the document of a link, and scenes as they look before they are opened.

import type { Client } from "../worker/client.ts";
import { decodeLink, isLink } from "./link.ts";
import type { News } from "./notices.ts";
import { messageOf, source } from "./orders.ts";
import { sceneDocument } from "./scenes/index.ts";
import type { SceneId, ScenePreview, StudioDocument } from "./types.ts";

/** The document of the link that was opened, or the first scene. */
export function firstDocument(hash: string, tell: (error: News) => void): StudioDocument {
  if (isLink(hash)) {
    try {
      return decodeLink(hash);
    } catch (error) {
      tell({ kind: "error", what: messageOf(error), hint: "The first scene is shown instead." });
    }
  }
  return sceneDocument("limb-2d");
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
