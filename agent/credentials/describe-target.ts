import type { CredentialTarget } from "../../schema/contract/credential-target.ts";
import type { JsonObject, JsonValue } from "../../schema/contract/json.ts";
import type { CredentialSummary } from "../vault/entries.ts";
import { targetDifferences } from "../vault/target-differences.ts";
import { placeLine, printable, quoted, targetLine } from "../vault/target-text.ts";

/** What a person has to agree to: every field, how this host resolves the target, and what it replaces. */
export function targetQuestion(
  { connectionId, names, target: bound, wanted, resolved: boundPlace = [] }: CredentialSummary,
  target: CredentialTarget,
  resolved: readonly JsonObject[] = [],
): string {
  const asked = target === wanted ? ["A job asked for it, to use it here:"] : ["To be used here:"];
  return [
    `The credential of ${connectionId} (${names.map((name) => printable(name)).join(", ")})`,
    `Now bound to: ${bound === undefined ? "nothing" : targetLine(bound)}`,
    ...placeLines("  On this agent that was", boundPlace),
    ...asked,
    ...target.flatMap((entry) => Object.entries(entry).flatMap(([name, value]) => fieldLines(name, value))),
    ...(bound === undefined ? [] : changeLines(targetDifferences(bound, target, Infinity))),
    ...placeLines("  On this agent that is now", resolved),
    "",
  ].join("\n");
}

/** A list has one entry in each line, so that none hides among many. */
function fieldLines(name: string, value: JsonValue): string[] {
  if (!Array.isArray(value)) return [`  ${name.padEnd(16)} ${quoted(value)}`];
  return [`  ${name}`, ...value.map((entry) => `    ${quoted(entry)}`)];
}

function changeLines(differences: readonly string[]): string[] {
  return differences.length === 0 ? [] : ["Changed:", ...differences.map((difference) => `  ${printable(difference)}`)];
}

/** What the agent has resolved of the target; empty for most types. */
export function resolvedLines({ resolved = [] }: CredentialSummary): string[] {
  return placeLines("On this agent that is", resolved).map((line) => `${line}.`);
}

/** For `list`: the target that may use the credential, and the one that was refused it. */
export function boundLine({ connectionId, target, resolved = [], wanted }: CredentialSummary): string {
  const place = placeLines("; on this agent", resolved).join("");
  const asked = wanted === undefined ? "" : `; a job asked for ${targetLine(wanted)}`;
  const command =
    wanted === undefined && target !== undefined ? "" : `: bellhop-agent credentials bind ${connectionId}`;
  return `${connectionId}: ${target === undefined ? "unbound" : targetLine(target)}${place}${asked}${command}`;
}

function placeLines(before: string, resolved: readonly JsonObject[]): string[] {
  const line = placeLine(resolved);
  return line === "" ? [] : [`${before}: ${line}`];
}
