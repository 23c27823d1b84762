//! The rail on the left: every scene with a small picture.

import { batch } from "@preact/signals";
import { RAIL, sceneSpec } from "../core/scenes/index.ts";
import type { SceneSpec } from "../core/types.ts";
import { useSession } from "./context.ts";
import { thumbnails } from "./thumbnails.ts";
import { isMotion, leaveMotion, openMotion } from "./motion/desk.ts";
import { sheetTab } from "./page.ts";

const GROUPS: { id: SceneSpec["group"]; title: string }[] = [
  { id: "figures", title: "Figures" },
  { id: "robots", title: "Robots" },
  { id: "plane", title: "In the plane" },
  { id: "space", title: "In space" },
];

export function Scenes() {
  return (
    <nav class="scenes" aria-label="Scenes">
      {GROUPS.map((group) => (
        <section key={group.id} class="scene-group">
          <h2 class="scene-group-title">{group.title}</h2>
          <ul class="scene-list">
            {RAIL.filter((id) => (id === "motion" ? "figures" : sceneSpec(id).group) === group.id)
              .map((id) => (id === "motion" ? <MotionItem key={id} /> : <SceneItem key={id} scene={sceneSpec(id)} />))}
          </ul>
        </section>
      ))}
    </nav>
  );
}

/** Clips, whose feet are made to stand. */
function MotionItem() {
  return (
    <li>
      <button
        type="button" class="scene" data-scene="motion" aria-current={isMotion.value ? "true" : undefined}
        title="Open a motion, remove foot slide, pose it and export it"
        onClick={() => {
          openMotion();
          sheetTab.value = "solve";
        }}
      >
        <span class="scene-picture"><WalkPicture /></span>
        <span class="scene-title">Motion</span>
      </button>
    </li>
  );
}

/** Three steps and their trail. */
function WalkPicture() {
  return (
    <svg class="walk-picture" viewBox="0 0 56 42" aria-hidden="true">
      <path class="walk-trail" d="M5 35H17M20 35c3-7 8-7 11 0M31 35H50" />
      <path class="walk-before" d="M14 10v11l-5 7 1 7M14 21l5 6-3 8" />
      <path class="walk-after" d="M37 10v11l-6 6v8M37 21l6 7 5 6M37 13l-5 7M37 13l6 6" />
      <circle class="walk-head-before" cx="14" cy="7" r="2.6" />
      <circle class="walk-head" cx="37" cy="7" r="2.8" />
    </svg>
  );
}

function SceneItem({ scene }: { scene: SceneSpec }) {
  const session = useSession();
  const isOpen = !isMotion.value && session.document.value.scene === scene.id;
  const picture = thumbnails.value[scene.id];
  return (
    <li>
      <button
        type="button"
        class="scene"
        data-scene={scene.id}
        aria-current={isOpen ? "true" : undefined}
        title={scene.sentence}
        onClick={() => {
          batch(() => { leaveMotion(); session.openScene(scene.id); });
          sheetTab.value = "solve";
        }}
      >
        <span class="scene-picture">{picture && <img src={picture} alt="" draggable={false} />}</span>
        <span class="scene-title">{scene.title}</span>
      </button>
    </li>
  );
}
