//! The sign of a solver: its colour, its dash and its marker in one small line.

import type { MethodName } from "../core/types.ts";
import { lookOf, type Marker } from "./tokens.ts";

export function Swatch({ method }: { method: MethodName }) {
  const look = lookOf(method);
  return (
    <svg class="swatch" viewBox="0 0 28 12" width="28" height="12" aria-hidden="true" data-line={look.line}>
      <line x1="1" y1="6" x2="27" y2="6" stroke-width="2" stroke-dasharray={look.dash.join(" ")} />
      <MarkerShape marker={look.marker} />
    </svg>
  );
}

function MarkerShape({ marker }: { marker: Marker }) {
  switch (marker) {
    case "circle": return <circle cx="14" cy="6" r="4" />;
    case "square": return <rect x="10.5" y="2.5" width="7" height="7" />;
    case "triangle": return <path d="M14 1.5 18.5 10h-9z" />;
    case "wedge": return <path d="M14 10.5 18.5 2h-9z" />;
    case "diamond": return <path d="M14 1 19 6 14 11 9 6z" />;
    case "hexagon": return <path d="M18.6 6 16.3 10H11.7L9.4 6 11.7 2h4.6z" />;
    case "plus": return <path class="swatch-stroke" d="M14 1.5v9M9.5 6h9" />;
  }
}
