import type { CodeLanguage } from "../../../schema/contract/action.ts";
import type { Failure } from "../../../schema/contract/problem.ts";
import { utf8Bytes } from "../json-bytes.ts";
import { parseTemplate } from "./parse.ts";
import type { ParsedTemplate } from "./parse.ts";
import { TEMPLATE_MARK, refuseAll } from "./place.ts";
import type { Located } from "./place.ts";
import { locateInPowershell } from "./powershell.ts";
import { locateInPython } from "./python.ts";
import { locateInShell } from "./shell.ts";
import { textOf } from "./value.ts";
import type { Resolve } from "./value.ts";

/** A code parameter made ready: its text, and the values that travel beside it as environment variables. */
export type RenderedCode =
  | { readonly ok: true; readonly text: string; readonly values: Readonly<Record<string, string>> }
  | { readonly ok: false; readonly failure: Failure };

const VARIABLE_PREFIX = "BELLHOP_VALUE_";
/** Linux takes 128 KiB for `NAME=value` with its final NUL (MAX_ARG_STRLEN); the rest is room for the name. */
const VALUE_MAX_BYTES = 128 * 1_024 - 64;

/** What must be written in another way before this code can be saved; empty when all is well. */
export function checkCode(language: CodeLanguage | "unknown", text: string): string[] {
  const { problems, segments } = parseTemplate(text);
  const templates = segments.filter((segment) => segment.type === "path");
  if (templates.length === 0) return [...problems];
  const located = locate(language, parseTemplate(text));
  const refusals = located.places.flatMap((place, index) =>
    place.type === "refused" ? [`${templates[index]?.source ?? ""}: ${place.reason}`] : [],
  );
  return [...problems, ...refusals];
}

/** The paths whose values this code uses; a template in a comment uses none. */
export function pathsInCode(language: CodeLanguage | "unknown", text: string): (readonly string[])[] {
  const parsed = parseTemplate(text);
  const { places } = locate(language, parsed);
  return parsed.segments
    .filter((segment) => segment.type === "path")
    .filter((_, index) => places[index]?.type !== "comment")
    .map((segment) => segment.path);
}

/**
 * Code with every template turned into a reference to an environment variable, right for the place it stands in. The
 * same path has one variable. Fails with `template_refused`, `value_not_representable` or `value_too_large`.
 */
export function renderCode(language: CodeLanguage | "unknown", text: string, resolve: Resolve): RenderedCode {
  const parsed = parseTemplate(text);
  const located = locate(language, parsed);
  const names = new Map<string, string>();
  const values: Record<string, string> = {};
  const replacements: string[] = [];
  for (const segment of parsed.segments) {
    if (segment.type === "text") continue;
    const place = located.places[replacements.length];
    if (place === undefined || place.type === "refused") {
      return failed("template_refused", `${segment.source}: ${place?.reason ?? "it cannot stand here"}`);
    }
    if (place.type === "comment") {
      replacements.push(segment.source);
      continue;
    }
    const key = segment.path.join(".");
    const known = names.get(key);
    const name = known ?? `${VARIABLE_PREFIX}${names.size + 1}`;
    if (known === undefined) {
      const value = textOf(resolve(segment.path));
      const problem = valueProblem(segment.source, value);
      if (problem !== null) return { ok: false, failure: problem };
      names.set(key, name);
      values[name] = value;
    }
    replacements.push(`${place.before}${name}${place.after}`);
  }
  return { ok: true, text: assemble(markedSource(parsed), located, replacements), values };
}

function locate(language: CodeLanguage | "unknown", parsed: ParsedTemplate): Located {
  const source = markedSource(parsed);
  const count = parsed.segments.filter((segment) => segment.type === "path").length;
  if (count === 0) return { places: [], inserts: [] };
  if (parsed.segments.some((segment) => segment.type === "text" && segment.text.includes(TEMPLATE_MARK))) {
    return refuseAll(count, "the code contains a NUL character, which no interpreter takes");
  }
  if (source.trim() === TEMPLATE_MARK) {
    return refuseAll(
      count,
      "code that is one template alone would run whatever the caller sends: write the code here, and use the template for its values",
    );
  }
  switch (language) {
    case "bash":
    case "sh":
      return locateInShell(language, source, count);
    case "python":
      return locateInPython(source, count);
    case "powershell":
      return locateInPowershell(source, count);
    case "cmd":
      return refuseAll(
        count,
        "cmd.exe has no safe place for a value: use winrm.executeScript, whose PowerShell takes templates, or write the value itself",
      );
    case "sql":
      return refuseAll(
        count,
        "templates in SQL are not available yet: a value would have to be bound, never pasted. Write the value itself",
      );
    case "unknown":
      return refuseAll(
        count,
        "templates are known for bash, sh, python and pwsh only, and this interpreter is none of them: pass the value in arguments, or choose one of these",
      );
  }
}

function markedSource({ segments }: ParsedTemplate): string {
  return segments.map((segment) => (segment.type === "text" ? segment.text : TEMPLATE_MARK)).join("");
}

function assemble(source: string, { inserts }: Located, replacements: readonly string[]): string {
  const edits = inserts.map(({ at, text }) => ({ at, text, removed: 0 }));
  let mark = -1;
  for (const text of replacements) {
    mark = source.indexOf(TEMPLATE_MARK, mark + 1);
    edits.push({ at: mark, text, removed: TEMPLATE_MARK.length });
  }
  edits.sort((a, b) => a.at - b.at);
  let text = "";
  let done = 0;
  for (const edit of edits) {
    text += source.slice(done, edit.at) + edit.text;
    done = edit.at + edit.removed;
  }
  return text + source.slice(done);
}

function valueProblem(source: string, value: string): Failure | null {
  if (value.includes("\0") || !value.isWellFormed()) {
    return {
      code: "value_not_representable",
      message: `The value of ${source} contains a NUL character or half a character, which no environment variable can carry. Remove it where the value comes from.`,
    };
  }
  const bytes = utf8Bytes(value);
  if (bytes <= VALUE_MAX_BYTES) return null;
  return {
    code: "value_too_large",
    message: `The value of ${source} has ${bytes} bytes, and an environment variable holds at most ${VALUE_MAX_BYTES}. Use a smaller part of it, or let the script fetch it.`,
  };
}

function failed(code: string, message: string): RenderedCode {
  return { ok: false, failure: { code, message } };
}
