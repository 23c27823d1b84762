//! The articles, in the order of the list. What they claim is what the library does; the lock-ups are the published texts' own figures.

import type { MethodName } from "../../core/types.ts";
import type { Article } from "./article.ts";
import arm from "./articles/arm.md";
import auto from "./articles/auto.md";
import ccd from "./articles/ccd.md";
import direct from "./articles/direct.md";
import fabrik from "./articles/fabrik.md";
import joints from "./articles/joints.md";
import leastSquares from "./articles/least-squares.md";
import lockUp from "./articles/lock-up.md";
import motion from "./articles/motion.md";
import problem from "./articles/problem.md";
import relaxation from "./articles/relaxation.md";
import status from "./articles/status.md";
import twoBone from "./articles/two-bone.md";
import warmStart from "./articles/warm-start.md";
import wellPosed from "./articles/well-posed.md";

const BASICS = { problem, "well-posed": wellPosed, status };
const METHODS: Record<MethodName, Article> = {
  "two-bone": twoBone, ccd, fabrik, relaxation, "least-squares": leastSquares, direct, arm, auto,
};
const PRACTICE = { "lock-up": lockUp, "warm-start": warmStart, joints, motion };

export type ArticleId = keyof typeof BASICS | keyof typeof METHODS | keyof typeof PRACTICE;

export const ARTICLES: Record<ArticleId, Article> = { ...BASICS, ...METHODS, ...PRACTICE };

export const CHAPTERS: { title: string; ids: ArticleId[] }[] = [
  { title: "The question", ids: Object.keys(BASICS) as ArticleId[] },
  { title: "The methods", ids: Object.keys(METHODS) as ArticleId[] },
  { title: "In practice", ids: Object.keys(PRACTICE) as ArticleId[] },
];

export function isArticle(name: string): name is ArticleId {
  return name in ARTICLES;
}

export function isMethod(id: ArticleId): id is MethodName {
  return id in METHODS;
}
