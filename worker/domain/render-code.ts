import type { JsonValue } from "../../schema/contract/json.ts";
import { TemplateFailure } from "./template/failure.ts";
import { wordFor } from "./template/in-place.ts";
import type { WordLanguage } from "./template/in-place.ts";
import { parseTemplate } from "./template/parse.ts";
import type { Segment, Template } from "./template/parse.ts";
import { evaluate } from "./template/filters.ts";
import { inFileName, shellProblems, wordAround } from "./render-shell-words.ts";
import type { Span } from "./render-shell-words.ts";
import type { Resolve } from "./template/value.ts";

/** File names that Windows treats as a device, with any extension (Naming Files, Paths, and Namespaces). */
const DEVICE = /^(?:con|prn|aux|nul|com[0-9]|lpt[0-9])(?:\.|$)/iu;

/**
 * Code with plain words in place of its templates. `names` are the names of the node's environment. Throws a
 * `TemplateFailure`: `unsafe_value` or `empty_value`.
 */
export function renderCode(language: WordLanguage, text: string, resolve: Resolve, names: ReadonlySet<string>): string {
  const parsed = parseTemplate(text);
  const { segments } = parsed;
  const words: { template: Template; span: Span }[] = [];
  let rendered = "";
  for (const [index, segment] of segments.entries()) {
    const start = rendered.length;
    if (segment.type === "text") rendered += segment.text;
    else {
      const around = { before: neighbour(segments[index - 1], -1), after: neighbour(segments[index + 1], 0) };
      const word = wordFor(valueOf(segment, text, resolve), segment.filters, around, language);
      if ("problem" in word) throw refusal(segment, text, `the value of ${segment.source} ${word.problem}`);
      rendered += word.text;
      words.push({ template: segment, span: { start, end: rendered.length } });
    }
  }
  const spans = words.map(({ span }) => span);
  const isShell = language === "bash" || language === "sh";
  const problems =
    language === "cmd" ? spans.map(deviceProblem) : shellProblems(parsed, rendered, spans, names, isShell);
  for (const [index, { template }] of words.entries()) {
    const problem = problems[index] ?? null;
    if (problem !== null) throw refusal(template, text, `the value of ${template.source} ${problem}`);
  }
  return rendered;

  function deviceProblem(span: Span): string | null {
    const word = wordAround(rendered, span, inFileName);
    return DEVICE.test(word) ? `becomes ${word}, which Windows treats as a device. Send another value.` : null;
  }
}

/** In code, a value that does not fit its filter is unsafe. */
function valueOf(template: Template, text: string, resolve: Resolve): JsonValue | undefined {
  try {
    return evaluate(template, resolve);
  } catch (error) {
    if (!(error instanceof TemplateFailure)) throw error;
    const { code, message } = error.failure;
    throw refusal(template, text, message, code === "empty_value" ? code : "unsafe_value");
  }
}

function neighbour(segment: Segment | undefined, at: 0 | -1): string | null {
  if (segment === undefined) return "";
  if (segment.type !== "text") return null;
  // A word begins after \n or \t, although the character before it is a letter.
  return at === -1 && /\\[a-z]$/u.test(segment.text) ? "\\" : (segment.text.at(at) ?? "");
}

function refusal(
  { at }: Template,
  text: string,
  problem: string,
  code: "unsafe_value" | "empty_value" = "unsafe_value",
): TemplateFailure {
  return new TemplateFailure(code, `line ${text.slice(0, at).split("\n").length}: ${problem}`);
}
