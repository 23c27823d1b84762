//! A native modal dialog: the browser keeps the focus in it, Escape closes it, the focus goes back to where it was.

import { X } from "lucide-preact";
import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { IconButton } from "../controls.tsx";
import { openDialog } from "../page.ts";

export function Dialog({ title, children }: { title: string; children: ComponentChildren }) {
  const box = useRef<HTMLDialogElement>(null);
  // The browser tells of a closed dialog a moment later, when the next one may be open already.
  const [name] = useState(openDialog.peek());
  useEffect(() => {
    const dialog = box.current;
    dialog?.showModal();
    return () => { dialog?.close(); };
  }, []);
  return (
    <dialog
      ref={box}
      class="dialog"
      aria-labelledby="dialog-title"
      onClose={() => { if (openDialog.peek() === name) openDialog.value = null; }}
      onClick={(event) => { if (event.target === box.current) openDialog.value = null; }}
    >
      <div class="dialog-inner">
        <header class="dialog-head">
          <h2 id="dialog-title">{title}</h2>
          <IconButton icon={X} tip="left" label="Close" onClick={() => { openDialog.value = null; }} />
        </header>
        <div class="dialog-body">{children}</div>
      </div>
    </dialog>
  );
}
