import { createHash } from "node:crypto";
import { closeSync, openSync, readSync } from "node:fs";
import type { Recipient } from "../schema/contract/credential.ts";
import { canonicalTarget } from "../schema/contract/credential-target.ts";
import { targetLines } from "../schema/contract/target-words.ts";

const TERMINAL = process.platform === "win32" ? String.raw`\\.\CONIN$` : "/dev/tty";
const LINE_MAX_BYTES = 1_024;

/**
 * Whether the credential is to be sealed for its target: as `pinned` names it, or as a person at the terminal confirms it
 * together with the fingerprints. Null when it is; otherwise why not. Without a pin and a terminal no one has seen the
 * target, and whoever edits the connection would choose it.
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
      : `Nothing was sent: the connection's target is not the one that --target names.\n${targetWords(chosen)}`;
  }
  if (!process.stderr.isTTY) {
    return `Nothing was sent: this command runs without a terminal, so it needs --target.\n${targetWords(chosen)}\n${commandFor(connectionId, chosen)}`;
  }
  // console.error writes in red at a terminal, as if something were wrong.
  const agents = chosen.map(({ name, fingerprint }) => `${name}\n  ${fingerprint}\n`);
  process.stderr.write(`${agents.join("")}${targetWords(chosen)}\n`);
  return isConfirmed() ? null : "Nothing was sent.";
}

/** Where a credential for these agents will be used, with what `--target` takes. */
export function targetWords(recipients: readonly Recipient[]): string {
  const targets = new Map(recipients.map((recipient) => [digestOf(recipient), recipient.target]));
  return [...targets]
    .map(([digest, target]) => {
      const lines = targetLines(target).map(({ label, value }) => `  ${label}: ${value}`);
      return ["The credential is used for this target alone:", ...lines, `  --target ${digest}`].join("\n");
    })
    .join("\n");
}

/** The whole command, to copy. */
function commandFor(connectionId: string, chosen: readonly Recipient[]): string {
  const fingerprints = chosen.map(({ fingerprint }) => `--fingerprint ${fingerprint}`);
  const targets = [...new Set(chosen.map(digestOf))].map((digest) => `--target ${digest}`);
  const command = ["npm run deliver --", connectionId, ...fingerprints, ...targets, "< secrets.json"].join(" ");
  return `If this target is right:\n  ${command}`;
}

/** As agents report it. */
function digestOf({ target }: Recipient): string {
  return createHash("sha256").update(canonicalTarget(target)).digest("base64url");
}

/** Asks at the terminal itself: standard input holds the secrets. Blocks, as there is nothing else to do. */
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
