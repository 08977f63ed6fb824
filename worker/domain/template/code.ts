import type { CodeLanguage } from "../../../schema/contract/action.ts";
import type { JsonValue } from "../../../schema/contract/json.ts";
import { TemplateFailure } from "./failure.ts";
import { wordFor } from "./in-place.ts";
import { parseTemplate } from "./parse.ts";
import type { Segment, Template } from "./parse.ts";
import { evaluate } from "./render-data.ts";
import type { Resolve } from "./value.ts";

/** File names that Windows takes for a device, whatever follows the dot (Naming Files, Paths, and Namespaces). */
const DEVICE = /^(?:con|prn|aux|nul|com[0-9]|lpt[0-9])(?:\.|$)/iu;
/** Holds the last argument of the command before, which may have been a value of `env`. */
const LAST_ARGUMENT = "_";
/** How far the text around a word is looked at: the length of a variable's name. */
const NAME_MAX_CHARS = 128;

/**
 * Code with plain words in place of its templates. `names` are those of the node's environment: in a shell no word may be
 * one of them, because arithmetic evaluates what the variable holds. Throws a `TemplateFailure`: `unsafe_value` or
 * `empty_value`.
 */
export function renderCode(
  language: CodeLanguage | "unknown",
  text: string,
  resolve: Resolve,
  names: ReadonlySet<string>,
): string {
  const { segments } = parseTemplate(text);
  const words: { template: Template; start: number; end: number }[] = [];
  let rendered = "";
  for (const [index, segment] of segments.entries()) {
    const start = rendered.length;
    if (segment.type === "text") rendered += segment.text;
    else {
      const around = { before: neighbour(segments[index - 1], -1), after: neighbour(segments[index + 1], 0) };
      const word = wordFor(valueOf(segment, resolve), segment.filters, around, language);
      if ("problem" in word) throw unsafe(segment, text, word.problem);
      rendered += word.text;
      if (word.text !== "") words.push({ template: segment, start, end: rendered.length });
    }
  }
  for (const { template, start, end } of words) {
    const problem = wholeProblem(language, rendered, { start, end }, names);
    if (problem !== null) throw unsafe(template, text, problem);
  }
  return rendered;
}

/** In code, a value that does not fit its filter is an unsafe one. */
function valueOf(template: Template, resolve: Resolve): JsonValue | undefined {
  try {
    return evaluate(template, resolve);
  } catch (error) {
    if (!(error instanceof TemplateFailure) || error.failure.code !== "invalid_value") throw error;
    throw new TemplateFailure("unsafe_value", error.message);
  }
}

function neighbour(segment: Segment | undefined, at: 0 | -1): string | null {
  if (segment === undefined) return "";
  return segment.type === "text" ? (segment.text.at(at) ?? "") : null;
}

/** What a word becomes together with the text around it. */
function wholeProblem(
  language: CodeLanguage | "unknown",
  rendered: string,
  { start, end }: { start: number; end: number },
  names: ReadonlySet<string>,
): string | null {
  const isShell = language === "bash" || language === "sh";
  if (!isShell && language !== "cmd") return null;
  const part = isShell ? /[A-Za-z0-9_]/u : /[A-Za-z0-9_.-]/u;
  let [from, to] = [start, end];
  while (start - from < NAME_MAX_CHARS && part.test(rendered[from - 1] ?? "")) from -= 1;
  while (to - end < NAME_MAX_CHARS && part.test(rendered[to] ?? "")) to += 1;
  const word = rendered.slice(from, to);
  if (!isShell) return DEVICE.test(word) ? `becomes ${word}, which Windows takes for a device.` : null;
  const isNamed = (one: string) => names.has(one) || (one === LAST_ARGUMENT && names.size > 0);
  const name = word.split(/[^A-Za-z0-9_]+/u).find(isNamed);
  return name === undefined
    ? null
    : `is ${name}, a variable of this action, and arithmetic would evaluate what it holds. Rename it in env, or pin the value with | int or | oneOf.`;
}

function unsafe({ source, at }: Template, text: string, problem: string): TemplateFailure {
  const line = text.slice(0, at).split("\n").length;
  return new TemplateFailure("unsafe_value", `line ${line}: the value of ${source} ${problem}`);
}
