//! What is on screen as a program: for the command line, Rust and TypeScript. Each is complete and is run by the tests.

import { isFigure, isMjcf, mayBeOfArm, namedFile, type ProblemFile } from "./files.ts";
import { settingsFor } from "./settings.ts";
import type { MethodName, NamedText, Settings, Snippet } from "./types.ts";

export interface SnippetOrder {
  problem: ProblemFile;
  urdf: string | undefined;
  method: MethodName;
  settings: Settings;
  /** A sentence to put before each of them. */
  remark?: string | undefined;
}

export const PROBLEM_NAME = "problem.json";

/** The problem as people would write it: one line for each bone, joint and task. */
export function problemText(problem: ProblemFile): string {
  const lines = Object.entries(problem).map(([name, value]) => `  ${JSON.stringify(name)}: ${fieldText(value)}`);
  return `{\n${lines.join(",\n")}\n}\n`;
}

function fieldText(value: unknown): string {
  if (Array.isArray(value) && value.some((item) => typeof item === "object")) return `[\n    ${value.map((item) => JSON.stringify(item)).join(",\n    ")}\n  ]`;
  return JSON.stringify(value);
}

export function problemFile(problem: ProblemFile): NamedText {
  return { name: PROBLEM_NAME, type: "application/json", text: problemText(problem) };
}

/** A problem as files of one name: beside a figure on a robot that robot, which it then names. Opened together they are the problem again. */
export function savedFiles(problem: ProblemFile, urdf: string | undefined, name: string): [NamedText, ...NamedText[]] {
  const json = { name: `${name}.json`, type: "application/json" };
  if (urdf === undefined || !isFigure(problem) || problem.urdf === undefined) return [{ ...json, text: problemText(problem) }];
  // The command recognises either, but people go by the ending.
  const robot = { name: `${name}.${isMjcf(urdf) ? "xml" : "urdf"}`, type: "application/xml", text: urdf };
  return [{ ...json, text: problemText({ ...problem, urdf: robot.name }) }, robot];
}

export function snippetsOf(order: SnippetOrder): Snippet[] {
  const { remark } = order;
  return [shell(order), rust(order), typescript(order)].map((snippet) => {
    return remark === undefined ? snippet : { ...snippet, code: `${snippet.language === "shell" ? "#" : "//"} ${remark}\n${snippet.code}` };
  });
}

function files({ problem, urdf }: SnippetOrder): NamedText[] {
  const robot = isFigure(problem) ? namedFile(problem) : undefined;
  const named = robot !== undefined && urdf !== undefined ? [{ name: robot, type: "application/xml", text: urdf }] : [];
  return [problemFile(problem), ...named];
}

/** Settings that the command has an option for. */
const OPTIONS: readonly (keyof Settings)[] = ["iterations", "tolerance", "classic"];

function shell(order: SnippetOrder): Snippet {
  const settings = settingsFor(order.method, order.settings);
  const words = ["posekit solve", PROBLEM_NAME];
  if (order.method !== "auto") words.push(`--solver ${order.method}`);
  if (settings.iterations !== undefined) words.push(`--iterations ${settings.iterations}`);
  if (settings.tolerance !== undefined) words.push(`--tolerance ${settings.tolerance}`);
  if (settings.classic === true) words.push("--classic");
  if (settings.relaxation?.reading !== undefined && order.method === "relaxation") words.push(`--reading ${settings.relaxation.reading}`);
  words.push("--trace");
  const lost = Object.entries(settings).filter(([name]) => !OPTIONS.includes(name as keyof Settings));
  const rest = lost.map(([name, value]) => [name, name === "relaxation" ? without(value as object, "reading") : value] as const).filter(([, value]) => !isEmpty(value));
  const remarks = rest.map(([name, value]) => `# The command has no option for ${name}: ${JSON.stringify(value)}; use the library for it.\n`);
  return { language: "shell", title: "Command line", code: `${remarks.join("")}${words.join(" ")}\n`, files: files(order) };
}

function without(value: object, name: string): object {
  return Object.fromEntries(Object.entries(value).filter(([key]) => key !== name));
}

function isEmpty(value: unknown): boolean {
  return typeof value === "object" && value !== null && Object.keys(value).length === 0;
}

const METHODS_IN_RUST: Readonly<Record<MethodName, string>> = {
  auto: "Auto",
  "two-bone": "TwoBone",
  arm: "Arm",
  direct: "Direct",
  ccd: "Ccd",
  fabrik: "Fabrik",
  relaxation: "Relaxation",
  "least-squares": "LeastSquares",
};

function rust(order: SnippetOrder): Snippet {
  const settings = settingsFor(order.method, order.settings);
  const given = Object.keys(settings).length > 0;
  const robot = isFigure(order.problem) ? namedFile(order.problem) : undefined;
  const code = `use posekit::solve::{Method, Settings, Workspace};
use posekit_io::Warnings;
use posekit_io::problem::{Problem${given ? ", read_settings" : ""}};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let text = std::fs::read_to_string("${PROBLEM_NAME}")?;
${robot === undefined ? "" : `    let robot = std::fs::read(${JSON.stringify(robot)})?;\n`}    let problem = Problem::from_json(&text, ${robot === undefined ? "None" : "Some(&robot)"}, &mut Warnings::new())?;
    let ${given ? "mut " : ""}settings = problem.settings(Settings::default());
${given ? `    read_settings(r#"${JSON.stringify(settings)}"#, problem.skeleton(), &mut settings)?;\n` : ""}    let mut workspace = Workspace::default();
    problem.prepare(&settings).begin(&mut workspace, Method::${METHODS_IN_RUST[order.method]})?;
    let solution = workspace.run();
    println!("{}; iterations: {}", solution.status.word(), solution.iterations);
    println!("{:?}", solution.configuration);
    Ok(())
}
`;
  return { language: "rust", title: "Rust", code, files: files(order) };
}

function typescript(order: SnippetOrder): Snippet {
  const settings = settingsFor(order.method, order.settings);
  const given = Object.keys(settings).length > 0;
  const robot = isFigure(order.problem) ? namedFile(order.problem) : undefined;
  const { problem } = order;
  const isForRobots = isFigure(problem) ? problem.urdf !== undefined || mayBeOfArm(problem.tasks) : "orientation" in problem;
  const code = `import { readFileSync } from "node:fs";
import init, { Problem } from "posekit${isForRobots ? "/robots" : ""}";

await init();
const text = readFileSync("${PROBLEM_NAME}", "utf8");
const problem = Problem.fromJson(text${robot === undefined ? "" : `, readFileSync(${JSON.stringify(robot)}, "utf8")`});
const solver = problem.solver();
solver.begin(${JSON.stringify(order.method)}${given ? `, JSON.stringify(${JSON.stringify(settings)})` : ""});
solver.run();

const configuration = new Float64Array(problem.nValues);
solver.configuration(configuration);
console.log(\`\${solver.status}; iterations: \${solver.iterations}\`);
console.log(configuration);
solver.free();
problem.free();
`;
  const points = order.problem.schema === "posekit.chain/1" && "points" in order.problem;
  const forPoints = code
    .replace("const configuration = new Float64Array(problem.nValues);\nsolver.configuration(configuration);\n", "const points = new Float64Array(problem.nPoints * problem.dimension);\nsolver.points(points);\n")
    .replace("console.log(configuration)", "console.log(points)");
  return { language: "typescript", title: "TypeScript", code: points ? forPoints : code, files: files(order) };
}

/** A title as a file's name. */
export function slug(title: string): string {
  const name = title.toLowerCase().replace(/\.(json|urdf|glb|gltf|vrm)$/, "").replace(/[^a-z0-9]+/g, "-").replace(/^-+|-+$/g, "").slice(0, 60);
  return name || PROBLEM_NAME.replace(".json", "");
}
