import type { CodeLanguage } from "../../../schema/contract/action.ts";
import type { Failure } from "../../../schema/contract/problem.ts";
import { RENDERED_JOB_MAX_BYTES } from "../../../schema/limits.ts";
import { carrierOf, cmdProblem } from "./carrier.ts";
import { assemble, locate, markedSource } from "./locate.ts";
import { parseTemplate } from "./parse.ts";
import { textOf } from "./value.ts";
import type { Resolve } from "./value.ts";

/**
 * A code parameter made ready: its text, and the values that travel beside it: environment variables, or what is bound to
 * an SQL statement (schema/contract/sql-values.ts).
 */
export type RenderedCode =
  | { readonly ok: true; readonly text: string; readonly values: Readonly<Record<string, string>> }
  | { readonly ok: false; readonly failure: Failure };

/** What is longer could not be delivered, and reading it would only take time. */
const CODE_MAX_CHARS = RENDERED_JOB_MAX_BYTES;

/** What must be written in another way before this code can be saved; empty when all is well. */
export function checkCode(language: CodeLanguage | "unknown", text: string): string[] {
  if (text.length > CODE_MAX_CHARS) {
    // Of a text without templates its contract says it.
    return text.includes("{{") ? [`must have at most ${CODE_MAX_CHARS} characters`] : [];
  }
  const parsed = parseTemplate(text);
  const templates = parsed.segments.filter((segment) => segment.type === "path");
  if (templates.length === 0) return [...parsed.problems];
  const located = locate(language, parsed);
  const refusals = located.places.flatMap((place, index) =>
    place.type === "refused" ? [`${templates[index]?.source ?? ""}: ${place.reason}`] : [],
  );
  return [...parsed.problems, ...refusals];
}

/** The paths whose values this code uses; a template in a comment uses none. */
export function pathsInCode(language: CodeLanguage | "unknown", text: string): (readonly string[])[] {
  if (text.length > CODE_MAX_CHARS) return [];
  const parsed = parseTemplate(text);
  const { places } = locate(language, parsed);
  return parsed.segments
    .filter((segment) => segment.type === "path")
    .filter((_, index) => places[index]?.type !== "comment")
    .map((segment) => segment.path);
}

/**
 * Code with every template turned into a reference to its value, right for the place it stands in; the value itself gets
 * into the text for cmd.exe only, when it is plain. The same path has one name. Fails with `template_refused`,
 * `value_not_representable` or `value_too_large`.
 */
export function renderCode(language: CodeLanguage | "unknown", text: string, resolve: Resolve): RenderedCode {
  const parsed = parseTemplate(text);
  const located = locate(language, parsed);
  const carrier = carrierOf(language);
  const names = new Map<string, string>();
  const values: Record<string, string> = {};
  const replacements: string[] = [];
  for (const segment of parsed.segments) {
    if (segment.type === "text") continue;
    const { path, source } = segment;
    const place = located.places[replacements.length];
    if (place === undefined || place.type === "refused") {
      return failed("template_refused", `${source}: ${place?.reason ?? "it cannot stand here"}`);
    }
    if (place.type === "comment") {
      replacements.push(source);
      continue;
    }
    if (place.type === "plain") {
      const value = textOf(resolve(path));
      const problem = cmdProblem(source, value, place.quoted);
      if (problem !== null) return { ok: false, failure: problem };
      replacements.push(value);
      continue;
    }
    const key = path.join(".");
    const known = names.get(key);
    const name = known ?? `${carrier.prefix}${names.size + 1}`;
    if (known === undefined) {
      const value = carrier.encode(resolve(path));
      const problem = carrier.problem(source, value);
      if (problem !== null) return { ok: false, failure: problem };
      names.set(key, name);
      values[name] = value;
    }
    replacements.push(`${place.before}${name}${place.after}`);
  }
  return { ok: true, text: assemble(markedSource(parsed), located, replacements), values };
}

function failed(code: string, message: string): RenderedCode {
  return { ok: false, failure: { code, message } };
}
