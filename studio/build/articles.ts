//! Articles of the page, written in Markdown and turned into HTML and MathML when the page is built: neither parser ships.
//!
//! Beyond Markdown: `$…$` and `$$…$$` are formulas, a link to `show:NAME` sets up a scene, one to `learn:NAME` opens an article, a picture of
//! `figure:NAME` is a live figure with its alternative text as caption, and a code block `steps METHOD` is pseudo-code whose lines end with the
//! `@phases` and statuses that mark them.

import { Marked, type Token, type Tokens } from "marked";
import temml from "temml";
import type { Plugin } from "vite";
import type { Article, Part, StepLine } from "../src/ui/learn/article.ts";

export function articles(): Plugin {
  return {
    name: "articles",
    enforce: "pre",
    transform: (text, id) => (id.endsWith(".md") ? { code: `export default ${JSON.stringify(articleOf(text))};`, map: null, moduleType: "js" as const } : null),
  };
}

export function articleOf(text: string): Article {
  const [, head = "", body = ""] = /^---\n(.*?)\n---\n(.*)$/s.exec(text) ?? [];
  const fields = Object.fromEntries(head.split("\n").map((line) => /^(\w+): (.*)$/.exec(line)?.slice(1) ?? []));
  for (const name of ["title", "line", "source"]) if (!fields[name]) throw new Error(`an article without ${name}: ${head}`);
  return { title: fields["title"], line: fields["line"], source: inline(fields["source"]), parts: partsOf(body) } as Article;
}

/** A formula as MathML, without styles, which the page's policy forbids. */
function formula(tex: string, isBlock: boolean): string {
  return temml.renderToString(tex, { displayMode: isBlock, throwOnError: true }).replace(/ style="[^"]*"/g, "");
}

const markdown = new Marked({
  extensions: [
    {
      name: "formula",
      level: "block",
      start: (rest) => rest.indexOf("$$"),
      tokenizer: (rest) => maths(/^\$\$\n?(.+?)\n?\$\$(?:\n|$)/s.exec(rest), "formula"),
      renderer: ({ tex }) => `<div class="formula">${formula(String(tex), true)}</div>\n`,
    },
    {
      name: "symbol",
      level: "inline",
      start: (rest) => rest.indexOf("$"),
      // What follows without a space stays on the same line.
      tokenizer: (rest) => maths(/^\$([^$\n]+)\$([.,;:)]*)/.exec(rest), "symbol"),
      renderer: ({ tex, behind }) => (behind ? `<span class="together">${formula(String(tex), false)}${String(behind)}</span>` : formula(String(tex), false)),
    },
  ],
  renderer: {
    link({ href, tokens }) {
      const [, scheme, name] = /^(show|learn):([\w-]+)$/.exec(href) ?? [];
      const label = this.parser.parseInline(tokens);
      return scheme ? `<button type="button" class="link-button" data-${scheme}="${name ?? ""}">${label}</button>` : `<a href="${href}" target="_blank" rel="noopener">${label}</a>`;
    },
    heading({ tokens }) {
      return `<h3>${this.parser.parseInline(tokens)}</h3>\n`;
    },
    paragraph({ tokens }) {
      const made = this.parser.parseInline(tokens);
      const [, button, watch = ""] = /^(<button[^>]* data-show=.*?<\/button>)(.*)$/s.exec(made) ?? [];
      return button ? `<p class="show">${button.replace("link-button", "button")}<span>${watch}</span></p>\n` : `<p>${made}</p>\n`;
    },
    table({ header, rows }) {
      const row = (cells: Tokens.TableCell[], tag: "td" | "th") => `<tr>${cells.map(({ tokens }) => `<${tag}>${this.parser.parseInline(tokens)}</${tag}>`).join("")}</tr>`;
      return `<table class="facts-table"><thead>${row(header, "th")}</thead><tbody>${rows.map((cells) => row(cells, "td")).join("")}</tbody></table>\n`;
    },
  },
});

function maths(found: RegExpExecArray | null, type: string): Tokens.Generic | undefined {
  return found ? { type, raw: found[0], tex: found[1], behind: found[2] } : undefined;
}

function inline(text: string | undefined): string {
  return markdown.parseInline(text ?? "") as string;
}

/** HTML between the parts that live. */
function partsOf(body: string): Part[] {
  const parts: Part[] = [];
  let plain: Token[] = [];
  const flush = () => {
    if (plain.some(({ type }) => type !== "space")) parts.push({ html: markdown.parser(plain) });
    plain = [];
  };
  for (const token of markdown.lexer(body)) {
    const part = livePart(token);
    if (!part) plain.push(token);
    else {
      flush();
      parts.push(part);
    }
  }
  flush();
  return parts;
}

function livePart(token: Token): Part | null {
  if (token.type === "code") {
    const [kind, method] = (token as Tokens.Code).lang?.split(" ") ?? [];
    if (kind === "steps" && method) return { steps: (token as Tokens.Code).text.split("\n").map(stepLine), method };
  }
  const [only, second] = token.type === "paragraph" ? (token as Tokens.Paragraph).tokens : [];
  if (only?.type !== "image" || second) return null;
  const { href, text } = only as Tokens.Image;
  const [, name] = /^figure:([\w-]+)$/.exec(href) ?? [];
  if (!name) throw new Error(`a picture that is no figure: ${href}`);
  return { figure: name, caption: inline(text) };
}

/** `rotate what is beyond j @joint`: indented by two spaces for each level. */
function stepLine(line: string): StepLine {
  const [text = "", ...marks] = line.split(/\s+@/);
  return { html: inline(text.trim()), depth: Math.floor((text.length - text.trimStart().length) / 2), marks: marks.map((mark) => mark.trim()) };
}
