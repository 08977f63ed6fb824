import { parseArgs } from "node:util";
import { z } from "zod";
import { connectionSchema } from "../schema/contract/management.ts";
import { takesCredential } from "../schema/contract/connection.ts";
import { agentCredentialSchema, recipientSchema, secretsSchema } from "../schema/contract/credential.ts";
import type { CredentialStatus, Recipient } from "../schema/contract/credential.ts";
import { TOO_SHORT_TO_MASK, tooShortToMask } from "../schema/contract/masking.ts";
import { problemSchema } from "../schema/contract/problem.ts";
import { problemWithSecretsFor } from "../schema/contract/secret-shapes.ts";
import { fingerprintOf, sealedRequests, sealTo } from "../schema/contract/sealing.ts";
import { refusalOfTarget, targetLabel } from "./deliver-target.ts";

const HELP = `Delivers a connection's credential to its agents, sealed on this machine for each of them: the service cannot read it.

  npm run deliver -- <connection id> --fingerprint <agent's fingerprint> [--fingerprint …] [--target <digest>] [--wait <seconds>] < secrets.json

secrets.json holds the names that the connection's page in docs/connections lists, such as {"password":"…"}.
An agent shows its own fingerprint in its log and by "bellhop-agent fingerprint"; compare before you name it here. Without
--fingerprint the command lists the agents and the target, and sends nothing. The command waits up to 10 seconds for the
agents to accept or refuse the credential; --wait 0 does not wait. Exit codes: 0 done, 1 refused or failed, 2 wrong arguments.

The credential is sealed for its target: the fields of the connection that say where it goes. At a terminal you are asked to
confirm fingerprints and target. Without a terminal name the target by its digest, as the list shows it: --target. After an
edit of the connection nothing is sent.

Environment: BELLHOP_URL (http://127.0.0.1:8787), BELLHOP_TOKEN (a token with automation:read and
credentials:write)
`;

const WAIT_SECONDS = 10;
const WAIT_MAX_SECONDS = 3_600;
const WAIT_LOOK_MS = 500;

const statusesSchema = z.array(agentCredentialSchema);
type Statuses = z.infer<typeof statusesSchema>;

/** What is known of an agent to which the credential was sent. */
const ENDS = {
  delivered: "has the credential",
  pending: "has not fetched it yet; the service keeps it sealed for 24 hours",
  expired: "did not fetch it in time; deliver it again",
  failed: "refused it",
} as const satisfies Record<CredentialStatus, string>;

class Refused extends Error {
  readonly exitCode: 1 | 2;

  constructor(message: string, exitCode: 1 | 2 = 1) {
    super(message);
    this.exitCode = exitCode;
  }
}

/**
 * `npm run deliver`: seals the secrets on standard input to the agents whose fingerprints were named
 * (docs/design/credentials.md#sealing).
 */
async function main(): Promise<void> {
  const { values, positionals } = readArguments();
  const [connectionId] = positionals;
  if (values.help === true || connectionId === undefined || positionals.length > 1) {
    if (values.help !== true) throw new Refused(HELP, 2);
    console.log(HELP);
    return;
  }
  const waitMs = waitOf(values.wait) * 1_000;
  for (const name of ["fingerprint", "target"] as const) {
    if ([values[name] ?? []].flat().includes(""))
      throw new Refused(`--${name} is empty: give it a digest, or leave it out.`, 2);
  }
  await requireDeliverable(connectionId);
  const recipients = await recipientsOf(connectionId);
  const list = listOf(recipients);
  if (values.fingerprint === undefined) {
    console.log(list);
    return;
  }
  const wanted = new Set(values.fingerprint);
  const chosen = recipients.filter(({ fingerprint }) => wanted.delete(fingerprint));
  if (wanted.size > 0) {
    const unknown = [...wanted].map((fingerprint) => `No agent of this connection has the fingerprint ${fingerprint}.`);
    throw new Refused([...unknown, list].join("\n"));
  }
  const secrets = await readSecrets(chosen);
  for (const name of tooShortToMask(secrets)) console.error(`Warning: ${name} ${TOO_SHORT_TO_MASK}.`);
  const refusal = refusalOfTarget(connectionId, chosen, values.target);
  if (refusal !== null) throw new Refused(refusal);
  const sealed = await Promise.all(chosen.map((recipient) => sealTo(recipient, connectionId, secrets)));
  let statuses: Statuses = [];
  for (const part of sealedRequests(sealed)) {
    statuses = await ask("POST", `/connections/${connectionId}/credentials`, statusesSchema, { sealed: part });
  }
  const names = new Map(recipients.map(({ agentId, name }) => [agentId, name]));
  const sentTo = new Set(chosen.map(({ agentId }) => agentId));
  const ends = await settledStatuses(connectionId, { statuses, sentTo, waitMs });
  for (const { agentId, status, version } of ends) {
    const was = sentTo.has(agentId) ? ENDS[status] : `got nothing now; its last delivery: ${status}`;
    console.log(`${names.get(agentId) ?? agentId}: ${was}${version === 0 ? "" : ` (version ${version})`}`);
  }
  const refusals = ends.filter(({ agentId, status }) => status === "failed" && sentTo.has(agentId));
  if (refusals.length > 0) {
    throw new Refused(refusals.map(({ agentId, error }) => `${names.get(agentId) ?? agentId}: ${error}`).join("\n"));
  }
  const path = `/api/v1/automation/connections/${connectionId}`;
  const isWaiting = ends.some(({ agentId, status }) => status === "pending" && sentTo.has(agentId));
  console.log(isWaiting ? `GET ${path} shows when they have it.` : `POST ${path}/test tries it.`);
}

/** The statuses of a delivery once every agent has taken or refused it, at the latest after `waitMs`. */
async function settledStatuses(
  connectionId: string,
  { statuses, sentTo, waitMs }: { statuses: Statuses; sentTo: ReadonlySet<string>; waitMs: number },
): Promise<Statuses> {
  const deadline = performance.now() + waitMs;
  let latest = statuses;
  while (latest.some(({ agentId, status }) => sentTo.has(agentId) && status === "pending")) {
    if (performance.now() >= deadline) break;
    await Bun.sleep(WAIT_LOOK_MS);
    latest = (await ask("GET", `/connections/${connectionId}`, connectionSchema)).credentials;
  }
  return latest;
}

/** Each with the fingerprint of the key to seal to, computed here: the service's own fingerprint is not trusted. */
async function recipientsOf(connectionId: string): Promise<Recipient[]> {
  const said = await ask("GET", `/connections/${connectionId}/recipients`, z.array(recipientSchema));
  return Promise.all(said.map(async (recipient) => ({ ...recipient, fingerprint: await fingerprintOf(recipient) })));
}

function listOf(recipients: readonly Recipient[]): string {
  if (recipients.length === 0) return "Nothing was sent. No agent of this connection has registered yet.";
  return [
    "Its agents:",
    ...recipients.map(({ agentId, name, fingerprint }) => `  ${fingerprint}  ${name} (${agentId})`),
    targetLabel(recipients),
    "Nothing was sent. Compare the fingerprints with what the agents show, and name them with --fingerprint.",
  ].join("\n");
}

/** Refuses early where no agent's fingerprint would change the answer. */
async function requireDeliverable(connectionId: string): Promise<void> {
  const { type, agentId, poolId } = await ask("GET", `/connections/${connectionId}`, connectionSchema);
  if (!takesCredential(type))
    throw new Refused(`A connection of type ${type} has no credential: there is nothing to deliver.`);
  if (agentId === null && poolId === null)
    throw new Refused("This connection has neither an agent nor a pool. Give it one first.");
}

function readArguments() {
  try {
    return parseArgs({
      args: withJoinedDigests(process.argv.slice(2)),
      options: {
        fingerprint: { type: "string", multiple: true },
        target: { type: "string" },
        wait: { type: "string" },
        help: { type: "boolean", short: "h" },
      },
      allowPositionals: true,
    });
  } catch {
    // A misspelt argument is not printed: it may be a secret in the wrong place.
    throw new Refused(
      "One of the arguments is unknown. Secrets go to standard input, never into arguments; see --help.",
      2,
    );
  }
}

function waitOf(text = String(WAIT_SECONDS)): number {
  const seconds = /^\d+$/u.test(text) ? Number(text) : Number.NaN;
  if (seconds <= WAIT_MAX_SECONDS) return seconds;
  throw new Refused(`--wait needs a whole number of seconds, 0 to ${WAIT_MAX_SECONDS}.`, 2);
}

/** A digest may begin with a dash, and a separate argument would then be parsed as an option. */
function withJoinedDigests(args: readonly string[]): string[] {
  return args.flatMap((word, at) => {
    const takesDigest = (option: string | undefined) => option === "--fingerprint" || option === "--target";
    if (takesDigest(args[at - 1])) return [];
    const value = args[at + 1];
    return takesDigest(word) && value !== undefined ? [`${word}=${value}`] : [word];
  });
}

/** The secrets must be those with which the connection logs in to the target. */
async function readSecrets(chosen: readonly Recipient[]): Promise<z.infer<typeof secretsSchema>> {
  if (process.stdin.isTTY)
    throw new Refused("Write the secrets to standard input, as in: … < secrets.json. See --help.");
  const parsed = secretsSchema.safeParse(parseJson(await Bun.stdin.text()));
  if (!parsed.success) {
    throw new Refused(
      'Nothing was sent: standard input must hold a JSON object of names and texts, such as {"password":"…"}.',
    );
  }
  for (const { target } of chosen) {
    const problem = problemWithSecretsFor(target, parsed.data, { showNames: true });
    if (problem !== null) throw new Refused(`Nothing was sent: ${problem}.`);
  }
  return parsed.data;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

async function ask<T>(method: string, path: string, shape: z.ZodType<T>, body?: object): Promise<T> {
  const token = process.env["BELLHOP_TOKEN"] ?? "";
  const url = process.env["BELLHOP_URL"] ?? "http://127.0.0.1:8787";
  if (token === "")
    throw new Refused("Set BELLHOP_TOKEN to a token with the permissions automation:read and credentials:write.");
  // fetch would report such a header as a network fault.
  if (/[^\x21-\x7e]/u.test(token))
    throw new Refused(
      "BELLHOP_TOKEN has a line break, a blank or another character that no token has. Set it to the token alone.",
    );
  const answer = await fetch(`${url}/api/v1/automation${path}`, {
    method,
    headers: { Authorization: `Bearer ${token}`, "Content-Type": "application/json" },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  }).catch((error: unknown) => {
    const why = error instanceof Error && "code" in error ? ` (${String(error.code)})` : "";
    throw new Refused(`${url} cannot be reached${why}: set BELLHOP_URL to your deployment's address.`);
  });
  const said = parseJson(await answer.text());
  const problem = problemSchema.safeParse(said).data;
  if (problem !== undefined) {
    const errors = (problem.errors ?? []).map(({ path: at, message }) => `\n  ${at}: ${message}`).join("");
    throw new Refused(`${problem.detail}${errors}`);
  }
  const data = z.object({ data: shape }).safeParse(said).data;
  if (data === undefined)
    throw new Refused(
      `${url} answered ${answer.status}, which is no answer of Bellhop. Set BELLHOP_URL to your deployment's address.`,
    );
  return data.data;
}

try {
  await main();
} catch (error) {
  if (!(error instanceof Refused)) throw error;
  // console.error prints in red at a terminal, but the list of agents and targets is no error.
  process.stderr.write(`${error.message}\n`);
  process.exitCode = error.exitCode;
}
