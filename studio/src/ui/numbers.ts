//! Numbers as people type them.

/** A number with a point or a comma, and perhaps a power of ten; signs may be typographic. */
const NUMBER = /^[+-]?(?:\d+(?:[.,]\d*)?|[.,]\d+)(?:e[+-]?\d+)?$/i;

/** What is typed as a number; null where it is none. A comma is a decimal point: there are no groups of thousands. */
export function parseNumber(typed: string): number | null {
  const text = typed.trim().replace("−", "-");
  if (!NUMBER.test(text)) return null;
  const value = Number(text.replace(",", "."));
  return Number.isFinite(value) ? value : null;
}

/** So many digits after the point, and no minus before what they show as zero. */
export function rounded(value: number, digits: number): string {
  const text = value.toFixed(digits);
  return Number(text) === 0 ? text.replace("-", "") : text;
}

export interface Bounds {
  min?: number | undefined;
  max?: number | undefined;
  /** Digits after the point: none for what is counted. */
  digits: number;
}

export interface Taken {
  /** Null: nothing is taken. */
  value: number | null;
  /** What is to be said about it; empty: it was taken as it was typed. */
  note: string;
}

/** What a field makes of what is typed, and what it has to say about that. */
export function take(typed: string, { min = -Infinity, max = Infinity, digits }: Bounds): Taken {
  const given = parseNumber(typed);
  if (given === null) return { value: null, note: typed.trim() === "" ? "Nothing typed: it stays" : `Not a number: ${typed.trim().slice(0, 20)}. It stays` };
  const whole = digits === 0 ? Math.round(given) : given;
  const value = Math.min(max, Math.max(min, whole));
  if (value < whole) return { value, note: `At most ${plain(max, digits)}` };
  if (value > whole) return { value, note: `At least ${plain(min, digits)}` };
  return { value, note: whole === given ? "" : "Whole numbers only: rounded" };
}

function plain(value: number, digits: number): string {
  return Number(value.toFixed(digits + 1)).toString();
}
