import { createHash } from "node:crypto";
import { closeSync, openSync, readSync } from "node:fs";
import type { Recipient } from "../schema/contract/credential.ts";
import { canonicalTarget } from "../schema/contract/credential-target.ts";
import { targetLines } from "../schema/contract/target-labels.ts";

const TERMINAL = process.platform === "win32" ? String.raw`\\.\CONIN$` : "/dev/tty";
const LINE_MAX_BYTES = 1_024;

/**
 * Null when the credential may be sealed for its target: `pinned` names the target, or a person at the terminal
 * confirms it together with the fingerprints. Otherwise the reason for the refusal. Without either, the person who
 * edits the connection would choose the target.
 */
export function refusalOfTarget(
  connectionId: string,
  chosen: readonly Recipient[],
  pinned: string | undefined,
): string | null {
  const digests = new Set(chosen.map(digestOf));
  if (pinned !== undefined) {
    return digests.size === 1 && digests.has(pinned)
      ? null
      : `Nothing was sent: the connection's target is not the one that --target names.\n${targetLabel(chosen)}`;
  }
  if (!process.stderr.isTTY) {
    return `Nothing was sent: this command runs without a terminal, so it needs --target.\n${targetLabel(chosen)}\n${commandFor(connectionId, chosen)}`;
  }
  // console.error prints in red at a terminal, as if something were wrong.
  const agents = chosen.map(({ name, fingerprint }) => `${name}\n  ${fingerprint}\n`);
  process.stderr.write(`${agents.join("")}${targetLabel(chosen)}\n`);
  return isConfirmed() ? null : "Nothing was sent.";
}

/** Where these agents will use a credential, with the value for `--target`. */
export function targetLabel(recipients: readonly Recipient[]): string {
  const targets = new Map(recipients.map((recipient) => [digestOf(recipient), recipient.target]));
  return [...targets]
    .map(([digest, target]) => {
      const lines = targetLines(target).map(({ label, value }) => `  ${label}: ${value.replaceAll("\n", "\n    ")}`);
      return ["The credential is used only for this target:", ...lines, `  --target=${digest}`].join("\n");
    })
    .join("\n");
}

/** The whole command, ready to copy. */
function commandFor(connectionId: string, chosen: readonly Recipient[]): string {
  const fingerprints = chosen.map(({ fingerprint }) => `--fingerprint=${fingerprint}`);
  const targets = [...new Set(chosen.map(digestOf))].map((digest) => `--target=${digest}`);
  const command = ["npm run deliver --", connectionId, ...fingerprints, ...targets, "< secrets.json"].join(" ");
  return `If this target is right:\n  ${command}`;
}

/** The digest that agents report. */
function digestOf({ target }: Recipient): string {
  return createHash("sha256").update(canonicalTarget(target)).digest("base64url");
}

/** Asks at the terminal itself: standard input holds the secrets. Blocks, as there is no other work. */
function isConfirmed(): boolean {
  process.stderr.write('Do the fingerprints and the target agree with what you expect? Then type "yes": ');
  const terminal = openSync(TERMINAL, "r");
  try {
    const line = Buffer.alloc(LINE_MAX_BYTES);
    return line.toString("utf8", 0, readSync(terminal, line)).trim() === "yes";
  } finally {
    closeSync(terminal);
  }
}
