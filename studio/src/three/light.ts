//! The light of meshes: a room around them, and a key light that gives them shape. Bodies of the figure itself are lit by their own programs.

import * as THREE from "three";

/** How bright the room is, and the key light: together white stays below white. */
const [ROOM, KEY] = [0.34, 1.5] as const;

export class Light {
  readonly #key = new THREE.DirectionalLight(0xffffff, KEY);
  #room: THREE.WebGLRenderTarget | "none" | "coming" = "none";

  constructor(private readonly renderer: THREE.WebGLRenderer, private readonly scene: THREE.Scene, private readonly onReady: () => void) {
    this.#key.visible = false;
    scene.environmentIntensity = ROOM;
    scene.add(this.#key, this.#key.target);
  }

  /** From above, to the left and behind who looks, for a world with this direction up; the room is made when it is first needed. */
  show(isShown: boolean, up: THREE.Vector3): void {
    this.#key.visible = isShown;
    const turn = new THREE.Quaternion().setFromUnitVectors(new THREE.Vector3(0, 0, 1), up);
    this.#key.position.set(-2, -3, 5).applyQuaternion(turn);
    this.scene.environmentRotation.setFromQuaternion(new THREE.Quaternion().setFromUnitVectors(new THREE.Vector3(0, 1, 0), up));
    // Without the room the key light alone is left, until it is asked for again.
    if (isShown && this.#room === "none") this.#makeRoom().catch(() => { this.#room = "none"; });
  }

  async #makeRoom(): Promise<void> {
    this.#room = "coming";
    const { RoomEnvironment } = await import("three/addons/environments/RoomEnvironment.js");
    const room = new RoomEnvironment();
    const generator = new THREE.PMREMGenerator(this.renderer);
    this.#room = generator.fromScene(room, 0.04);
    this.scene.environment = this.#room.texture;
    generator.dispose();
    room.dispose();
    this.onReady();
  }

  dispose(): void {
    if (typeof this.#room !== "string") this.#room.dispose();
    this.#key.dispose();
  }
}
