//! Articles about the methods, short enough to read beside the figure, each with scenes that show what it says.

import { ArrowLeft, Play } from "lucide-preact";
import { useSession } from "../context.ts";
import { article } from "../page.ts";
import { Swatch } from "../swatch.tsx";
import { methodWord } from "../words.ts";
import { ARTICLES, type Article } from "./articles.tsx";

export function Learn() {
  const open = ARTICLES.find(({ id }) => id === article.value);
  return open ? <Page article={open} /> : <Contents />;
}

function Contents() {
  return (
    <div class="learn">
      <h2 class="learn-title">How the methods work</h2>
      <p>Each page says what a method does, its formula, when it gets stuck, and where it comes from. The buttons set up the scene that shows it.</p>
      <ul class="contents">
        {ARTICLES.map((entry) => (
          <li key={entry.id}>
            <button type="button" class="contents-item" onClick={() => { article.value = entry.id; }}>
              {entry.id !== "lock-up" && entry.id !== "auto" && <Swatch method={entry.id} />}
              <span><strong>{entry.title}</strong><span class="hint">{entry.line}</span></span>
            </button>
          </li>
        ))}
      </ul>
    </div>
  );
}

function Page({ article: { id, title, body, shows, source } }: { article: Article }) {
  const session = useSession();
  return (
    <article class="learn">
      <button type="button" class="link-button" onClick={() => { article.value = null; }}><ArrowLeft size={16} aria-hidden />All methods</button>
      <h2 class="learn-title">{id !== "lock-up" && id !== "auto" && <Swatch method={id} />}{title}</h2>
      {body}
      <h3>Show me</h3>
      <ul class="shows">
        {shows.map((show) => (
          <li key={show.label}>
            <button type="button" class="button" onClick={() => { show.setUp(session); }}><Play size={14} aria-hidden />{show.label}</button>
            <p class="hint">{show.watch}</p>
          </li>
        ))}
      </ul>
      <h3>Source</h3>
      <p class="source">{source}</p>
      {id !== "lock-up" && <p class="hint">In the program: {methodWord(id)}, <code>--solver {id}</code>.</p>}
    </article>
  );
}
