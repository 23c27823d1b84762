//! For tests of programs that the page offers: the compiler, which takes a second to load.

import { fileURLToPath } from "node:url";
import ts from "typescript";

/** What TypeScript says against programs that import the package. */
export function typeFaults(names: string[]): string[] {
  const types = fileURLToPath(new URL("../../node_modules/@types", import.meta.url));
  const program = ts.createProgram(names, {
    strict: true, noEmit: true, skipLibCheck: true, types: ["node"], typeRoots: [types], target: ts.ScriptTarget.ES2022, module: ts.ModuleKind.ESNext,
    moduleResolution: ts.ModuleResolutionKind.Bundler,
  });
  return ts.getPreEmitDiagnostics(program).map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, " "));
}
