//! What is on screen as code that reproduces it: Rust, command line, TypeScript.

import { Download } from "lucide-preact";
import { useState } from "preact/hooks";
import type { MotionSession } from "../../core/motion/types.ts";
import type { Snippet } from "../../core/types.ts";
import { useSession } from "../context.ts";
import { chosenRun } from "../page.ts";
import { saveText } from "../save.ts";
import { Tabs } from "../tabs.tsx";
import { Dialog } from "./dialog.tsx";
import { CopyButton } from "./share.tsx";

export function Code() {
  const session = useSession();
  const { runs } = session.document.peek();
  const run = runs.find(({ id }) => id === chosenRun.peek()) ?? runs[0];
  return <CodeDialog snippetsOf={() => (run ? session.exports.snippets(run.id) : [])} />;
}

export function MotionCode({ session }: { session: MotionSession }) {
  const { file } = session.linked();
  return <CodeDialog snippetsOf={() => session.snippets()} own={file === "walk" ? undefined : file.name} />;
}

/** `own` is a file that the code reads and people have themselves. */
function CodeDialog({ snippetsOf, own }: { snippetsOf: () => Snippet[]; own?: string | undefined }) {
  const [snippets] = useState(snippetsOf);
  const [language, choose] = useState<string>(snippets[0]?.language ?? "");
  const snippet = snippets.find((candidate) => candidate.language === language);
  return (
    <Dialog title="Copy as code">
      <Tabs name="code" tabs={snippets.map(({ language: id, title: label }) => ({ id: id as string, label }))} current={language} onSelect={choose} />
      {snippet && (
        <div role="tabpanel" id={`code-${language}`} aria-labelledby={`code-tab-${language}`}>
          <pre class="code" tabIndex={0}><code>{snippet.code}</code></pre>
          <div class="copy-row">
            <CopyButton text={snippet.code} label="Copy the code" />
            {snippet.files.map((file) => (
              <button key={file.name} type="button" class="button" onClick={() => { saveText(file); }}><Download size={16} aria-hidden />Save {file.name}</button>
            ))}
          </div>
          {(own !== undefined || snippet.files.length > 0) && <p class="hint">{needs(snippet.files.length, own)}</p>}
        </div>
      )}
    </Dialog>
  );
}

function needs(nFiles: number, own: string | undefined): string {
  const saved = nFiles === 0 ? "" : nFiles === 1 ? "this file" : "these files";
  const all = [saved, own ?? ""].filter((words) => words !== "").join(" and ");
  return `The code reads ${all} from the folder in which it runs.`;
}
