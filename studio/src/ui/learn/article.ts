//! What an article is made of; `build/articles.ts` makes it from Markdown.

export interface Article {
  title: string;
  /** One line for the list. */
  line: string;
  /** HTML, like the other texts. */
  source: string;
  parts: Part[];
}

export type Part = { html: string } | { steps: StepLine[]; method: string } | { figure: string; caption: string };

/** A line of pseudo-code, and what marks it: phases of a trace, or at the end the status of the solve. */
export interface StepLine {
  html: string;
  depth: number;
  marks: string[];
}
