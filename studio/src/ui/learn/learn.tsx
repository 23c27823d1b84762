//! Articles about the methods, short enough to read beside the figure, each with scenes that show what it says.

import "../style/learn.css";
import mathFont from "posekit/math.woff2?url";
import { ArrowLeft } from "lucide-preact";
import { useEffect, useRef } from "preact/hooks";
import { useSession } from "../context.ts";
import { article } from "../page.ts";
import { Swatch } from "../swatch.tsx";
import { methodWord } from "../words.ts";
import type { Part } from "./article.ts";
import { ARTICLES, CHAPTERS, isArticle, isMethod, type ArticleId } from "./articles.ts";
import { Figure } from "./figures.tsx";
import { show } from "./shows.ts";
import { Steps } from "./steps.tsx";

document.fonts.add(new FontFace("STIX Two Math", `url(${mathFont})`));

export function Learn() {
  const session = useSession();
  const onClick = ({ target }: MouseEvent) => {
    const { dataset } = (target as Element).closest<HTMLElement>("[data-show], [data-learn]") ?? {};
    if (dataset?.["show"]) show(session, dataset["show"]);
    else if (dataset?.["learn"] && isArticle(dataset["learn"])) article.value = dataset["learn"];
  };
  const id = article.value;
  return <div class="learn" onClick={onClick}>{id === null ? <Contents /> : <Page key={id} id={id} />}</div>;
}

function Contents() {
  return (
    <>
      <h2 class="learn-title">How the methods work</h2>
      <p>What each method does, its formulas, when it gets stuck, and where it comes from. The buttons set up the scene that shows it.</p>
      {CHAPTERS.map(({ title, ids }) => (
        <section key={title} aria-label={title}>
          <h3>{title}</h3>
          <ul class="contents">
            {ids.map((id) => (
              <li key={id}>
                <button type="button" class="contents-item" data-learn={id}>
                  {isMethod(id) && id !== "auto" && <Swatch method={id} />}
                  <span><strong>{ARTICLES[id].title}</strong><span class="hint">{ARTICLES[id].line}</span></span>
                </button>
              </li>
            ))}
          </ul>
        </section>
      ))}
    </>
  );
}

function Page({ id }: { id: ArticleId }) {
  const { title, parts, source } = ARTICLES[id];
  const top = useRef<HTMLElement>(null);
  useEffect(() => { top.current?.scrollIntoView(); }, []);
  return (
    <article class="article" ref={top}>
      <button type="button" class="link-button" onClick={() => { article.value = null; }}><ArrowLeft size={16} aria-hidden />All articles</button>
      <h2 class="learn-title">{isMethod(id) && id !== "auto" && <Swatch method={id} />}{title}</h2>
      {parts.map((part, index) => <PartOf key={index} part={part} />)}
      <h3>Sources</h3>
      <p class="source" dangerouslySetInnerHTML={{ __html: source }} />
      {isMethod(id) && <p class="hint">In the program: {methodWord(id)}, <code>--solver {id}</code>.</p>}
    </article>
  );
}

function PartOf({ part }: { part: Part }) {
  if ("html" in part) return <div class="prose" dangerouslySetInnerHTML={{ __html: part.html }} />;
  if ("steps" in part) return <Steps lines={part.steps} method={part.method} />;
  return <Figure name={part.figure} caption={part.caption} />;
}
