import type { Graph } from "../../schema/contract/workflow.ts";
import type { FieldError } from "../../schema/contract/problem.ts";

/** What stands against a draft, or what is odd about it and keeps it from nothing. */
export interface Problem extends FieldError {
  readonly severity: "error" | "warning";
}

export function isError({ severity }: Problem): boolean {
  return severity === "error";
}

/** What is wrong with a field itself or anything in it, as one text; null when nothing is. */
export function problemText(problems: readonly FieldError[], path: string): string | null {
  const found = problems.filter((problem) => isAt(problem.path, path));
  if (found.length === 0) return null;
  return found.map((problem) => problemSentence(problem, path)).join(" ");
}

/** Those of a part, with paths relative to it. */
export function problemsBelow(problems: readonly FieldError[], path: string): FieldError[] {
  return problems.flatMap((problem) =>
    isAt(problem.path, path) ? [{ ...problem, path: problem.path.slice(path.length).replace(/^\./u, "") }] : [],
  );
}

/** Those that stand at none of these fields. */
export function problemsElsewhere<T extends FieldError>(problems: readonly T[], paths: readonly string[]): T[] {
  return problems.filter((problem) => !paths.some((path) => isAt(problem.path, path)));
}

export function hasProblem(problems: readonly FieldError[], paths: readonly string[]): boolean {
  return problems.some((problem) => paths.some((path) => isAt(problem.path, path)));
}

/** A path of a definition's problem with nodes by their ids: `definition.nodes.3.params.script` as `restart: params.script`. */
export function pathLabel(definition: Graph, path: string): string {
  const [first, second, third, ...rest] = path.replace(/^definition\./u, "").split(".");
  const node = first === "nodes" ? definition.nodes[Number(second)] : undefined;
  if (node === undefined || third === undefined) return path;
  if (node.type === "forEach" && third === "body") return pathLabel(node.body, rest.join("."));
  return `${node.id}: ${[third, ...rest].join(".")}`;
}

/** The service's words are the rest of a sentence: "is required". */
export function problemSentence({ path, message }: FieldError, at: string): string {
  const below = path.slice(at.length).replace(/^\./u, "");
  const words = below === "" ? message : `${below} ${message}`;
  const capital = words.charAt(0).toUpperCase() + words.slice(1);
  return /[.!?]$/u.test(capital) ? capital : `${capital}.`;
}

export function isAt(path: string, at: string): boolean {
  return path === at || path.startsWith(`${at}.`);
}
