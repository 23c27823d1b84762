// What the tests share: texts of the repository, and robots and characters that others made.
import { existsSync, readFileSync } from "node:fs";

const root = new URL("../../../../", import.meta.url);

/** A text file of the repository. */
export const repositoryText = (path) => readFileSync(new URL(path, root), "utf8");
