//! Where the number of a run is written: at the joint that is farthest from those of the others, on the side that looks away from them.

/** A place on the screen [px]. */
export interface Spot {
  x: number;
  y: number;
}

/** Distance of a number from its joint, and of two numbers, that many joints at most are looked at, and what a better joint must bring [px]. */
export const BESIDE = { away: 17, apart: 22, most: 24, better: 24 } as const;

export interface TaggedRun {
  id: string;
  spots: readonly Spot[];
}

/** A place for the number of each run; `seats` remembers at which joint each is. */
export function placeTags(runs: readonly TaggedRun[], seats: Map<string, number>): (Spot | null)[] {
  const places: (Spot | null)[] = [];
  for (const run of runs) {
    const others = runs.filter((other) => other !== run);
    const seat = seatOf(run, others, seats.get(run.id));
    const at = run.spots[seat];
    if (!at) {
      places.push(null);
      continue;
    }
    seats.set(run.id, seat);
    const near = nearest(at, others);
    const way = near.distance > 1 && near.spot ? { x: (at.x - near.spot.x) / near.distance, y: (at.y - near.spot.y) / near.distance } : { x: 0, y: -1 };
    places.push(clear({ x: at.x + BESIDE.away * way.x, y: at.y + BESIDE.away * way.y }, places));
  }
  return places;
}

/** The joint that is farthest from the other runs; the one before unless another is much better. */
function seatOf({ spots }: TaggedRun, others: readonly TaggedRun[], before: number | undefined): number {
  const rooms = spots.map((spot) => nearest(spot, others).distance);
  // The middle tells more of a run than its ends, which the others mostly share.
  let best = Math.floor(spots.length / 2);
  rooms.forEach((room, index) => { if (room > (rooms[best] ?? 0)) best = index; });
  const kept = before === undefined ? undefined : rooms[before];
  return before !== undefined && kept !== undefined && kept + BESIDE.better >= (rooms[best] ?? 0) ? before : best;
}

function nearest(from: Spot, others: readonly TaggedRun[]): { spot: Spot | null; distance: number } {
  let found: { spot: Spot | null; distance: number } = { spot: null, distance: others.length > 0 ? Infinity : 0 };
  for (const { spots } of others) {
    for (const spot of spots) {
      const distance = Math.hypot(spot.x - from.x, spot.y - from.y);
      if (distance < found.distance) found = { spot, distance };
    }
  }
  return found;
}

/** Beside the numbers that are there already, where it would cover one. */
function clear(at: Spot, taken: readonly (Spot | null)[]): Spot {
  let free = at;
  for (let tries = 0; tries < taken.length && taken.some((other) => other !== null && Math.hypot(other.x - free.x, other.y - free.y) < BESIDE.apart); tries += 1) {
    free = { x: free.x + BESIDE.apart, y: free.y };
  }
  return free;
}
