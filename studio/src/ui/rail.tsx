//! The rail on the left: every scene with a small picture.

import { SCENES } from "../core/scenes/index.ts";
import type { SceneSpec } from "../core/types.ts";
import { useSession } from "./context.ts";
import { thumbnails } from "./thumbnails.ts";
import { sheetTab } from "./page.ts";

const GROUPS: { id: SceneSpec["group"]; title: string }[] = [
  { id: "plane", title: "In the plane" },
  { id: "space", title: "In space" },
  { id: "robots", title: "Robots" },
  { id: "figures", title: "Figures" },
];

export function Scenes() {
  return (
    <nav class="scenes" aria-label="Scenes">
      {GROUPS.map((group) => (
        <section key={group.id} class="scene-group">
          <h2 class="scene-group-title">{group.title}</h2>
          <ul class="scene-list">
            {SCENES.filter((scene) => scene.group === group.id).map((scene) => <SceneItem key={scene.id} scene={scene} />)}
          </ul>
        </section>
      ))}
    </nav>
  );
}

function SceneItem({ scene }: { scene: SceneSpec }) {
  const session = useSession();
  const isOpen = session.document.value.scene === scene.id;
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
          session.openScene(scene.id);
          sheetTab.value = "solve";
        }}
      >
        <span class="scene-picture">{picture && <img src={picture} alt="" draggable={false} />}</span>
        <span class="scene-title">{scene.title}</span>
      </button>
    </li>
  );
}
