import type { CodeLanguage } from "../../../schema/contract/action.ts";
import { locateInCmd } from "./cmd.ts";
import type { ParsedTemplate } from "./parse.ts";
import { TEMPLATE_MARK, refuseAll } from "./place.ts";
import type { Located } from "./place.ts";
import { locateInPowershell } from "./powershell.ts";
import { locateInPython } from "./python.ts";
import { locateInShell } from "./shell.ts";
import { locateInSql } from "./sql.ts";

/** The place of every template of a code, by the rules of its language. */
export function locate(language: CodeLanguage | "unknown", parsed: ParsedTemplate): Located {
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
      return locateInCmd(source);
    case "sql":
      return locateInSql(source, count);
    case "unknown":
      return refuseAll(
        count,
        "templates are known for bash, sh, python and pwsh only, and this interpreter is none of them: pass the value in arguments, or choose one of these",
      );
  }
}

/** The text with a mark in the place of each template. */
export function markedSource({ segments }: ParsedTemplate): string {
  return segments.map((segment) => (segment.type === "text" ? segment.text : TEMPLATE_MARK)).join("");
}

/** The text with its replacements in place of the marks, and what else is to be written into it. */
export function assemble(source: string, { inserts }: Located, replacements: readonly string[]): string {
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
