import type { CredentialTarget } from "../../schema/contract/credential-target.ts";
import type { JsonObject, JsonValue } from "../../schema/contract/json.ts";
import type { CredentialSummary } from "../vault/entries.ts";

/** A target on one line: `ssh, host "a.example.com", port 22`. */
export function targetLine(target: CredentialTarget): string {
  return target.map((entry) => [printable(entry["type"]), ...fieldsOf(entry)].join(", ")).join("; and ");
}

/** What a person is to agree to: every field, and what it replaces. */
export function targetQuestion(
  { connectionId, names, target: bound, wanted }: CredentialSummary,
  target: CredentialTarget,
): string {
  const asked = target === wanted ? ["A job asked for it, to use it here:"] : ["To be used here:"];
  return [
    `The credential of ${connectionId} (${names.map((name) => printable(name)).join(", ")})`,
    `Now bound to: ${bound === undefined ? "nothing" : targetLine(bound)}`,
    ...asked,
    ...target.flatMap((entry) => Object.entries(entry).map(([name, value]) => `  ${name.padEnd(16)} ${quoted(value)}`)),
    "",
  ].join("\n");
}

/** What only the agent knows of the target; nothing for most types. */
export function resolvedLines({ resolved = [] }: CredentialSummary): string[] {
  return resolved
    .map((entry) => fieldsOf(entry).join(", "))
    .flatMap((line) => (line === "" ? [] : [`On this agent that is: ${line}.`]));
}

/** For `list`: what may use it, and what asked in vain. */
export function boundLine({ connectionId, target, wanted }: CredentialSummary): string {
  const asked = wanted === undefined ? "" : `; a job asked for ${targetLine(wanted)}`;
  const command =
    wanted === undefined && target !== undefined ? "" : `: bellhop-agent credentials bind ${connectionId}`;
  return `${connectionId}: ${target === undefined ? "unbound" : targetLine(target)}${asked}${command}`;
}

/** A name with control characters must not write lines of its own. */
export function printable(value: JsonValue | undefined): string {
  const text = typeof value === "string" ? value : "";
  return UNPRINTABLE.test(text) ? quoted(text) : text;
}

// Also what would change the order of characters, or hide them.
const UNPRINTABLE = /[\p{C}\p{Zl}\p{Zp}]/u;

function fieldsOf({ type: _type, ...fields }: JsonObject): string[] {
  return Object.entries(fields).map(([name, value]) => `${printable(name)} ${quoted(value)}`);
}

function quoted(value: JsonValue): string {
  return JSON.stringify(value).replaceAll(new RegExp(UNPRINTABLE, "gu"), (character) => {
    const code = character.codePointAt(0) ?? 0;
    return `\\u{${code.toString(16)}}`;
  });
}
