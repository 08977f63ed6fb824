import type { CodeLanguage } from "../../../schema/contract/action.ts";
import { CODE_MAX_BYTES } from "../../../schema/limits.ts";
import { utf8Bytes } from "../json-bytes.ts";
import { MARK, marked, marksIn, placesOf } from "./marks.ts";
import type { Place } from "./marks.ts";
import { parseTemplate, templatesOf } from "./parse.ts";
import type { Template } from "./parse.ts";
import { powershellPlaces } from "./powershell.ts";
import { pythonPlaces } from "./python.ts";
import { shellPlaces } from "./shell.ts";
import type { ShellPlace } from "./shell.ts";
import { sqlPlaces } from "./sql.ts";
import type { StringPlace } from "./takes-variable.ts";
import type { Steps } from "../steps.ts";

export interface CodeCheck {
  /** Problems that prevent saving; `repair` is what would help at a place. */
  readonly problems: readonly CodeProblem[];
  /** Places for plain words, with the ways in which the language could read them. */
  readonly places: readonly CheckedPlace[];
}

export type CheckedPlace = Place & Partial<Omit<ShellPlace, "pin">>;

interface CodeProblem {
  readonly message: string;
  readonly repair?: { readonly kind: "int" | "env"; readonly place: CheckedPlace };
}

const OTHER_LANGUAGE =
  "is in a language that takes no values in code: use bash, sh, python or pwsh, or pass the value in env or in arguments.";
const PIN_IT =
  "A shell evaluates names there. Write | int or | oneOf as the last filter; in env, too, where arithmetic reads the variable.";
const IN_DELIMITER =
  "is in the delimiter of a here-document, which would choose where the document ends. Write it out.";
const OPTION =
  "is right behind -, which may begin an option here. Write | required in a template before the -, or pass the whole word in env.";
const DELIMITER = /(?<!<)<<-?[ \t]*(?:(?!\\[nr])[^\s<>])*$/u;
/** Text that makes the following text part of a variable's name, or of an escape such as \x41. */
const NAME_OR_ESCAPE = /\$[A-Za-z_]\w*$|\\(?:x[0-9a-f]?|u[0-9a-f]{0,3}|U[0-9a-f]{0,7}|0[0-7]{0,2})$/iu;
const JOINED: Readonly<Partial<Record<CodeLanguage | "unknown", RegExp>>> = {
  bash: NAME_OR_ESCAPE,
  sh: NAME_OR_ESCAPE,
  python: NAME_OR_ESCAPE,
  powershell: /\$[A-Za-z_][\w:]*$/u,
};
const NOT_BEFORE = /[$\\`{%!~&]/u;

/**
 * Checks the places of a code's templates by the rule of its language, which knows no programs. `names` are the names
 * of the named values. Throws `TooComplex`.
 */
export function checkCode(
  language: CodeLanguage | "unknown",
  text: string,
  names: ReadonlySet<string>,
  steps: Steps,
): CodeCheck {
  const bytes = utf8Bytes(text);
  if (bytes > CODE_MAX_BYTES) {
    const message = `has ${bytes} bytes, and code has at most ${CODE_MAX_BYTES}: keep a long script in a file on the host, and call it`;
    return { problems: [{ message }], places: [] };
  }
  const parsed = parseTemplate(text, steps);
  const templates = templatesOf(parsed);
  const source = marked(parsed);
  const problems: CodeProblem[] = parsed.problems.map((message) => ({ message }));
  if (marksIn(source).length !== templates.length) {
    return { problems: [...problems, { message: "has a NUL character, which no interpreter takes" }], places: [] };
  }
  const sql = language === "sql" ? sqlPlaces(source, names, steps) : null;
  problems.push(...(sql?.problems ?? []).map((message) => ({ message })));
  const strings = sql === null ? stringsOf(language, source, steps) : null;
  const shell = language === "bash" || language === "sh" ? shellPlaces(source, names.size > 0, steps) : [];
  const places: CheckedPlace[] = [];
  for (const [index, place] of placesOf(source, templates).entries()) {
    const { template, line } = place;
    const inString = strings?.[index]?.reason ?? sql?.reasons[index] ?? null;
    const reason = inString ?? (sql === null ? characterProblem(language, source, place, templates[index - 1]) : null);
    const pin = /^(?:int|oneOf)$/u.test(template.filters.at(-1)?.name ?? "") ? null : (shell[index]?.pin ?? null);
    const at = `line ${line}: ${template.source}`;
    const checked = { ...place, ...(shell[index] ?? strings?.[index]) };
    const repair = inString === null ? null : ({ kind: "env", place: checked } as const);
    if (reason !== null) problems.push({ message: `${at} ${reason}`, ...(repair === null ? {} : { repair }) });
    else if (pin !== null)
      problems.push({ message: `${at} is ${pin}. ${PIN_IT}`, repair: { kind: "int", place: checked } });
    else if (sql === null) places.push(checked);
  }
  return { problems, places };
}

/** For languages in which a template must be inside a string, or in which there are none. */
function stringsOf(language: CodeLanguage | "unknown", source: string, steps: Steps): StringPlace[] {
  if (language === "python") return pythonPlaces(source, steps);
  if (language === "powershell") return powershellPlaces(source, steps);
  return language === "unknown" ? marksIn(source).map(() => ({ reason: OTHER_LANGUAGE, variable: null })) : [];
}

/** A minus sign begins an option only at the beginning of a word: `app-{{webhook.stage}}` is one word. */
function characterProblem(
  language: CodeLanguage | "unknown",
  source: string,
  { at, before }: Place,
  previous: Template | undefined,
): string | null {
  const start = source.slice(Math.max(0, at - 128), at);
  if (DELIMITER.test(start)) return IN_DELIMITER;
  const joined = JOINED[language]?.exec(start)?.[0];
  if (joined !== undefined) {
    return `is right behind ${joined}, and would become a part of it. Put a quote between them, write a variable as \${NAME}, or pass the value in env.`;
  }
  if (before === "-") {
    const isFilled = source[at - 2] === MARK && previous?.filters.some(({ name }) => name === "required") === true;
    return isFilled || /[\w./]/u.test(source[at - 2] ?? "") ? null : OPTION;
  }
  return NOT_BEFORE.test(before)
    ? `is right behind ${before}, which would change what its value means. Write other text between them, or pass the value in env.`
    : null;
}
