//! Chains of figures, solved by the library.

import { useEffect, useState } from "preact/hooks";
import type { Sketch, SketchOrder } from "../../core/types.ts";
import { useSession } from "../context.ts";

/** What the library finds; null until it has. */
export function useSketch(order: SketchOrder): Sketch | null {
  const session = useSession();
  const [found, setFound] = useState<Sketch | null>(null);
  useEffect(() => {
    let isWanted = true;
    session.sketch(order).then((sketch) => { if (isWanted) setFound(sketch); }, () => undefined);
    return () => { isWanted = false; };
  }, [session, order]);
  return found;
}
