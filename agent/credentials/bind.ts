import { isDeepStrictEqual } from "node:util";
import { canonicalTarget } from "../../schema/contract/credential-target.ts";
import type { CredentialTarget } from "../../schema/contract/credential-target.ts";
import { EXIT } from "../exit-codes.ts";
import type { JsonObject } from "../../schema/contract/json.ts";
import type { CredentialSummary } from "../vault/entries.ts";
import { targetLine } from "../vault/target-text.ts";
import type { BindCommand, SetCommand } from "./arguments.ts";
import { describeBound } from "./describe.ts";
import { targetQuestion } from "./describe-target.ts";
import type { SecretSources } from "./read-secrets.ts";
import { CommandRefused } from "./refused.ts";
import type { VaultAccess } from "./vault-access.ts";

/** Opens the vault for one operation, so that its lock is never held while a person types. */
export type WithVault = <T>(work: (vault: VaultAccess) => Promise<T>) => Promise<T>;
export type Person = Pick<SecretSources, "isInteractive" | "ask"> & { show(text: string): void };

/**
 * `credentials bind`: shows the target and how this host resolves it, asks, and binds to exactly what was shown.
 * Without `--target` the target is what the last refused job asked for, or else the present one, as after an intended
 * change of a kubeconfig. Editors of the connection decide what jobs ask for, so `--yes` accepts only the target in
 * `--target`, or the present one.
 */
export async function bindCredential(command: BindCommand, withVault: WithVault, person: Person): Promise<string> {
  const { connectionId, agrees } = command;
  const credential = await withVault((vault) => find(vault, connectionId));
  if (credential === undefined) throw noCredential(connectionId);
  const { wanted } = credential;
  const resolve = (target: CredentialTarget) => withVault((vault) => resolved(vault, connectionId, target));
  if (agrees && command.target === null && wanted !== undefined) {
    throw new CommandRefused(
      EXIT.usage,
      `nothing was changed.\n${targetQuestion(credential, wanted, await resolve(wanted))}--yes does not agree to what a job asked for. To bind it to this target: --yes --target '${canonicalTarget(wanted)}'`,
    );
  }
  const target = command.target ?? wanted ?? credential.target;
  if (target === undefined) {
    throw new CommandRefused(
      EXIT.failed,
      `nothing was changed: the agent has not seen the target of ${connectionId} yet. Run the connection's test first ` +
        "(in the console, or POST …/connections/<id>/test), then repeat this command. Or give the target yourself: --target <json>",
    );
  }
  const place = await resolve(target);
  if (isBoundTo(credential, target, place)) return alreadyBound(credential, target);
  const question = targetQuestion(credential, target, place);
  if (!agrees && !person.isInteractive) {
    throw new CommandRefused(
      EXIT.usage,
      `nothing was changed.\n${question}To bind it to this target: --yes --target '${canonicalTarget(target)}'`,
    );
  }
  if (!agrees && !(await agreed(question, person))) {
    throw new CommandRefused(EXIT.failed, "nothing was changed");
  }
  return withVault(async (vault) => {
    const bound = await vault.bind(connectionId, target, place);
    if (bound === null) throw noCredential(connectionId);
    return describeBound(bound, vault);
  });
}

async function resolved(vault: VaultAccess, connectionId: string, target: CredentialTarget): Promise<JsonObject[]> {
  const place = await vault.resolve(connectionId, target);
  if (place === null) throw noCredential(connectionId);
  return place;
}

function isBoundTo(
  { target: bound, resolved: boundPlace }: CredentialSummary,
  target: CredentialTarget,
  place: readonly JsonObject[],
): boolean {
  const isSamePlace = isDeepStrictEqual(boundPlace ?? place.map(() => ({})), place);
  return bound !== undefined && isSamePlace && canonicalTarget(bound) === canonicalTarget(target);
}

function alreadyBound({ connectionId }: CredentialSummary, target: CredentialTarget): string {
  return (
    `The credential of ${connectionId} is already bound to this target, nothing was changed: ${targetLine(target)}\n` +
    "If the connection leads elsewhere by now, run its test first, so that the agent sees the new target, then repeat this command.\n"
  );
}

/**
 * The target for `credentials set`: the one in the command, or, if the person agrees, the one that jobs asked for.
 * `--yes` accepts only the target of the replaced credential.
 */
export async function targetForSet(
  { connectionId, target, agrees }: SetCommand,
  withVault: WithVault,
  person: Person,
): Promise<CredentialTarget | undefined> {
  if (target !== null) return target;
  if (!agrees && !person.isInteractive) return undefined;
  const replaced = await withVault((vault) => find(vault, connectionId));
  const offered = agrees ? replaced?.target : (replaced?.wanted ?? replaced?.target);
  if (replaced === undefined || offered === undefined) return undefined;
  return agrees || (await agreed(targetQuestion(replaced, offered), person)) ? offered : undefined;
}

async function find(vault: VaultAccess, connectionId: string): Promise<CredentialSummary | undefined> {
  return (await vault.list()).credentials.find((known) => known.connectionId === connectionId);
}

async function agreed(question: string, { ask, show }: Person): Promise<boolean> {
  show(question);
  return /^y(es)?$/iu.test((await ask("Bind it to this target? (yes or no) ", { echo: true })).trim());
}

export function noCredential(connectionId: string): CommandRefused {
  return new CommandRefused(
    EXIT.failed,
    `the vault has no credential for ${connectionId}: bellhop-agent credentials list shows what it has`,
  );
}
