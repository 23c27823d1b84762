//! Faults of files: what is wrong, and apart from it where.

/** The library's message without the place that it names, and that place; once is enough. */
export function placed(message: string, { line, column }: { line?: number | undefined; column?: number | undefined }): { what: string; where: string | undefined } {
  if (line === undefined) return { what: message, where: undefined };
  const place = new RegExp(`(, |^)line ${line}(, column \\d+)?(, byte \\d+)?`);
  return { what: message.replace(place, "").replace(/^: /, ""), where: `line ${line}${column === undefined ? "" : `, column ${column}`}` };
}
