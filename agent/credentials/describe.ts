import type { CredentialSummary } from "../vault/entries.ts";
import { printable, targetLine } from "../vault/target-text.ts";
import { boundLine, resolvedLines } from "./describe-target.ts";
import type { StoredCredential, VaultAccess, VaultListing } from "./vault-access.ts";

type Where = Pick<VaultAccess, "by" | "place">;

const HEADINGS = ["CONNECTION", "SECRETS", "VERSION", "UPDATED (UTC)"];

/** The answer to `list`, for a person. */
export function describeListing({ fingerprint, credentials, lost }: VaultListing, { by, place }: Where): string {
  const sorted = credentials.toSorted((one, other) => (one.connectionId < other.connectionId ? -1 : 1));
  const rows = sorted.map(({ connectionId, names, version, updatedAt }) => [
    connectionId,
    names.map(printable).join(", "),
    versionOf(version),
    updatedAt.slice(0, 16).replace("T", " "),
  ]);
  const lines =
    rows.length === 0
      ? ["The vault has no credentials yet. Put one in: bellhop-agent credentials set <connectionId>"]
      : [...aligned([HEADINGS, ...rows]), "", "Each credential is used only for its target:", ...sorted.map(boundLine)];
  lines.push("", by === "agent" ? `The agent at ${place} answered.` : `No agent runs; this is what ${place} holds.`);
  if (lost !== null) {
    const ids = lost.connectionIds.length === 0 ? "every connection" : lost.connectionIds.join(", ");
    lines.push(`A vault that did not open was moved to ${lost.movedTo}. Deliver again: ${ids}`);
  }
  lines.push(
    `Fingerprint of this agent's key: ${fingerprint}`,
    "Before you deliver a credential to this agent, check that the service shows the same fingerprint.",
  );
  return `${lines.join("\n")}\n`;
}

export function describeStored(stored: StoredCredential, where: Where): string {
  const { connectionId, names, version, isNew, namesBefore = names } = stored;
  const lines = [`${isNew ? "Stored" : "Replaced"} for ${connectionId}: ${listOf(names)}.`];
  // The agent has no list of connections, so a mistyped id only shows as a new credential.
  if (isNew) {
    lines.push(
      "This agent had no credential for that connection before. Compare the id with the one that the service shows: only jobs of that connection use the credential.",
    );
  }
  // Only this line reveals that a mistyped name has replaced the right one.
  if (listOf(namesBefore.toSorted()) !== listOf(names.toSorted())) {
    lines.push(`The names have changed. Before: ${listOf(namesBefore)}; now: ${listOf(names)}.`);
  }
  if (version > 0) lines.push(`It replaces version ${version}, which was delivered, until the next delivery.`);
  return [...lines, ...bindingLines(stored), whereItIs(where), ""].join("\n");
}

export function describeBound(bound: CredentialSummary, where: Where): string {
  return [`Bound ${bound.connectionId}.`, ...bindingLines(bound), whereItIs(where), ""].join("\n");
}

function bindingLines(credential: CredentialSummary): string[] {
  const { connectionId, target } = credential;
  if (target !== undefined) return [`It is used for: ${targetLine(target)}.`, ...resolvedLines(credential)];
  const command = `bellhop-agent credentials bind ${connectionId}`;
  return [`It is unbound, so no job uses it yet. Run the connection's test, and then: ${command}`];
}

function whereItIs({ by, place }: Where): string {
  return by === "agent"
    ? "The agent has it and reports it to the service now."
    : `It is in ${place}. No agent runs: the agent reports it to the service when it starts.`;
}

export function describeRemoved(connectionId: string, { by, place }: Where): string {
  const after =
    by === "agent"
      ? "The agent reports this to the service now."
      : `It was removed from ${place}. The agent reports this to the service when it starts.`;
  return `Deleted the credential of ${connectionId}. ${after}\n`;
}

/** Version 0 was never delivered through the service. */
function versionOf(version: number): string {
  return version === 0 ? "local" : String(version);
}

function listOf(names: readonly string[]): string {
  return names.map(printable).join(", ");
}

function aligned(rows: readonly (readonly string[])[]): string[] {
  const widths = HEADINGS.map((_, column) => Math.max(...rows.map((row) => [...(row[column] ?? "")].length)));
  return rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join("  ")
      .trimEnd(),
  );
}
