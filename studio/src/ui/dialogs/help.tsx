//! How to use the page in a few lines, and every key.

import { Switch } from "../controls.tsx";
import { ACTIONS, LOCAL_KEYS, type KeyAction } from "../keyboard.ts";
import { singleKeys } from "../page.ts";
import { Dialog } from "./dialog.tsx";

const GROUPS: KeyAction["group"][] = ["Time", "Solvers", "Document", "View", "Page"];

export function Help() {
  return (
    <Dialog title="Help and keys">
      <p>
        Drag the target, the root or any joint: every solver follows while you drag. Drag beside the figure to turn the view, with the right button or two
        fingers to move it, and scroll or pinch to zoom. Step through a solve with the buttons below the view, and point at the error plot, or at the
        path of the tip, to see the pose of an iteration.
      </p>
      <div class="key-groups">
        <KeyTable title="On a handle or the view" rows={LOCAL_KEYS} />
        {GROUPS.map((group) => <KeyTable key={group} title={group} rows={ACTIONS.filter((action) => action.group === group)} />)}
      </div>
      <Switch label="Keys without Ctrl are on" checked={singleKeys.value} onChange={(on) => { singleKeys.value = on; }} />
      <p class="hint">Turn them off if you dictate: spoken words would press them.</p>
    </Dialog>
  );
}

function KeyTable({ title, rows }: { title: string; rows: { keys: string[]; what: string }[] }) {
  return (
    <section class="key-group">
      <h3>{title}</h3>
      <dl class="keys">
        {rows.map((row) => (
          <div key={row.what}>
            <dt>{row.keys.map((key) => <kbd key={key}>{key}</kbd>)}</dt>
            <dd>{row.what}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
}
