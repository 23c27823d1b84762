//! The camera and the handles, for keys and buttons that are not in the view itself.

let act: (name: string) => void = () => { /* there is no view yet */ };

/** The view, once it is there, says who moves its camera. */
export function setCamera(camera: (name: string) => void): void {
  act = camera;
}

/** What the view does with the camera: `frame`, `zoom-in`, `orbit-left`, `pan-up` and their likes. */
export function cameraAction(name: string): void {
  act(name);
}

/** Puts the focus on the selected handle, else on the first, which is a target. */
export function focusHandles(): void {
  const list = document.querySelector(".handles");
  const wanted = list?.querySelector<HTMLElement>(".handle[aria-pressed=true]") ?? list?.querySelector<HTMLElement>(".handle");
  wanted?.focus();
}
