//! What is fetched when it is first shown.

import { lazily } from "./lazily.tsx";

export const Learn = lazily(async () => (await import("./learn/learn.tsx")).Learn);
export const MotionMain = lazily(async () => (await import("./motion/page.tsx")).MotionMain);
export const MotionRest = lazily(async () => (await import("./motion/page.tsx")).MotionRest);
