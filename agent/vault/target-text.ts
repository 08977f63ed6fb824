import type { CredentialTarget } from "../../schema/contract/credential-target.ts";
import type { JsonObject, JsonValue } from "../../schema/contract/json.ts";

/** A target on one line: `ssh, host "a.example.com", port 22`. */
export function targetLine(target: CredentialTarget): string {
  return target.map((entry) => [printable(entry["type"]), ...fieldsOf(entry)].join(", ")).join("; and ");
}

/** The resolved part of a target on one line: `server "https://k8s:6443/", authority "…"`. Empty for most types. */
export function placeLine(resolved: readonly JsonObject[]): string {
  return resolved
    .map((entry) => fieldsOf(entry).join(", "))
    .filter((line) => line !== "")
    .join("; and ");
}

/** A name with control characters must not start a new line. */
export function printable(value: JsonValue | undefined): string {
  const text = typeof value === "string" ? value : "";
  return UNPRINTABLE.test(text) ? quoted(text) : text;
}

export function quoted(value: JsonValue): string {
  return JSON.stringify(value).replaceAll(new RegExp(UNPRINTABLE, "gu"), (character) => {
    const code = character.codePointAt(0) ?? 0;
    return `\\u{${code.toString(16)}}`;
  });
}

// Includes characters that change the order of text or are invisible.
const UNPRINTABLE = /[\p{C}\p{Zl}\p{Zp}]/u;

function fieldsOf({ type: _type, ...fields }: JsonObject): string[] {
  return Object.entries(fields).map(([name, value]) => `${printable(name)} ${quoted(value)}`);
}
