//! What can be taken away from each kind of scene: files, pictures, code.

import { Code, Download, FileImage, Film, FileJson, Image, type LucideIcon } from "lucide-preact";
import type { MotionSession } from "../core/motion/types.ts";
import type { Session } from "../core/types.ts";
import { filmType } from "../core/pictures/film.ts";
import { slug } from "../core/snippets.ts";
import { openDialog } from "./page.ts";
import { saveBlob, saveBytes, saveText } from "./save.ts";

export interface Export {
  icon: LucideIcon;
  label: string;
  act: () => void | Promise<void>;
}

const CODE: Export = { icon: Code, label: "Copy as code", act: () => { openDialog.value = "code"; } };

export function problemExports(session: Session): Export[] {
  return [
    { icon: FileJson, label: "Problem (JSON)", act: () => { session.exports.files().forEach(saveText); } },
    {
      icon: FileJson, label: "Solution with its trace (JSON)", act: async () => {
        const main = session.document.peek().runs[0];
        if (main) saveText(await session.exports.solution(main.id, true));
      },
    },
    ...(session.robot.character.value === null ? [] : [{
      icon: Download, label: "Character in this pose", act: async () => {
        const { name, bytes } = await session.exports.posed();
        saveBytes(name, bytes);
      },
    }]),
    { icon: FileImage, label: "Picture (SVG)", act: () => { saveText(session.exports.svg()); } },
    { icon: Image, label: "Picture (PNG)", act: async () => { saveBlob(`${slug(session.document.peek().title)}.png`, await session.exports.png()); } },
    CODE,
  ];
}

/** None while nothing is on show. */
export function motionExports(session: MotionSession): Export[] {
  if (!session.shown.value) return [];
  return [
    ...motionFiles(session),
    { icon: FileImage, label: "Picture (SVG)", act: () => { saveText(session.exportSvg()); } },
    {
      icon: Image, label: "Picture (PNG)", act: async () => {
        const { name, blob } = await session.exportPng();
        saveBlob(name, blob);
      },
    },
    ...(filmType() === null ? [] : [{
      icon: Film, label: "Film (WebM), played once", act: async () => {
        const { name, blob } = await session.exportFilm();
        saveBlob(name, blob);
      },
    }]),
    CODE,
  ];
}

/** The result and its contacts. */
export function motionFiles(session: MotionSession): Export[] {
  const info = session.shown.value?.info;
  if (!info) return [];
  const save = (format: "same" | "bvh" | "glb") => async () => {
    const file = await session.write(format);
    if (file) saveBytes(file.name, file.bytes);
  };
  const same = info.format === "bvh" ? "BVH" : info.format === "glb" ? "GLB" : "glTF";
  return [
    ...(info.clip === null ? [] : [{ icon: Download, label: `${same}, all else kept`, act: save("same") }]),
    info.format === "bvh" ? { icon: Download, label: "GLB", act: save("glb") } : { icon: Download, label: "BVH", act: save("bvh") },
    { icon: FileJson, label: "Contacts", act: () => { saveText(session.contactsFile()); } },
  ];
}
