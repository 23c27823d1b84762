//! The table of cases that the digest runs over, and what it has to come to. Fetched only when somebody asks.

import digest from "../../../testdata/digest.txt?raw";

const files = import.meta.glob<string>("../../../testdata/cases/*.json", { query: "?raw", import: "default", eager: true });

/** Texts by name, without folder and ending. */
export const cases: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries(files).map(([path, text]) => [path.replace(/^.*\/|\.json$/g, ""), text]),
);

export const committed = digest.trim();
