//! What this is, its version, and the number that says that this browser computes the same bits as every other machine.

import { Check, TriangleAlert } from "lucide-preact";
import { useEffect, useState } from "preact/hooks";
import { useSession } from "../context.ts";
import { Dialog } from "./dialog.tsx";

declare const __POSEKIT_VERSION__: string;
declare const __POSEKIT_PAGES__: readonly { label: string; href: string }[];

export function About() {
  return (
    <Dialog title="About posekit studio">
      <p>
        posekit finds the pose: given a skeleton and where its hand, foot or tool must be, it returns the joint values that put it there. This page runs the
        same Rust library as the command and the crate, compiled to WebAssembly, in a worker of this browser.
      </p>
      <dl class="about-facts">
        <div><dt>Version</dt><dd>{__POSEKIT_VERSION__}</dd></div>
        <div><dt>Licence</dt><dd>MIT or Apache-2.0, at your choice</dd></div>
        <div><dt>Privacy</dt><dd>Works offline and sends nothing anywhere. This browser keeps your theme and what you opened, so that a reload loses nothing</dd></div>
        <div><dt>Packages</dt><dd><code>cargo add posekit</code>, <code>npm install posekit</code>, <code>pip install posekit</code></dd></div>
        {__POSEKIT_PAGES__.map(({ label, href }) => <div key={label}><dt>{label}</dt><dd><a href={href} target="_blank" rel="noreferrer">{href.replace(/^https:\/\//, "")}</a></dd></div>)}
      </dl>
      <h3>Same input, same bits</h3>
      <Digest />
    </Dialog>
  );
}

type DigestState = { computed: string; committed: string } | "computing" | "failed";

function Digest() {
  const session = useSession();
  const [state, setState] = useState<DigestState>("computing");
  useEffect(() => {
    let gone = false;
    session.digest().then((digest) => { if (!gone) setState(digest); }, () => { if (!gone) setState("failed"); });
    return () => { gone = true; };
  }, [session]);
  if (state === "computing") return <p class="digest" role="status">Solving the table of cases in this browser…</p>;
  if (state === "failed") return <p class="digest" role="status">The digest could not be computed. Close this box and open it again.</p>;
  const same = state.computed === state.committed;
  return (
    <div role="status" class="digest" data-same={same}>
      <code>{state.computed}</code>
      {same
        ? <p class="chip" data-tone="good"><Check size={14} aria-hidden />the digest of all results, the same as on every other machine</p>
        : <p class="chip" data-tone="bad"><TriangleAlert size={14} aria-hidden />differs from {state.committed}, the digest in the repository</p>}
    </div>
  );
}
