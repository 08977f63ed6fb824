import type { z } from "zod";
import type { Permission, Role, principalKindSchema } from "../../schema/contract/people.ts";

/**
 * Who calls a management route, and what that caller may do (docs/design/people.md#callers). `actor` is what the audit
 * log shows.
 */
export interface Principal {
  kind: z.infer<typeof principalKindSchema>;
  /** The person behind it; null for the bootstrap token, and for an API token that belongs to nobody. */
  userId: string | null;
  actor: string;
  /** The person's role now; the bootstrap token is an administrator, and a token that belongs to no one has none. */
  role: Role | null;
  permissions: ReadonlySet<Permission>;
  /** The API token's id, or the digest of the session's; absent for others. */
  credentialId?: string;
  /** When these credentials end (epoch ms); null or absent when they do not by themselves. */
  expiresAt?: number | null;
}

/** How the bootstrap token is noted in the place of a person's id, which it never is. */
export const BOOTSTRAP_PERSON = "bootstrap";

/** Who answers for what is done: a token counts as its owner. Null for a token that belongs to no one. */
export function personOf({ kind, userId }: Principal): string | null {
  return kind === "bootstrap" ? BOOTSTRAP_PERSON : userId;
}

/** How a token that belongs to no one is noted among people. Anyone may have it. */
export const UNKNOWN_PERSON = "unknown";

/** These people and the caller, each once. */
export function withPerson(people: readonly string[], by: Principal): string[] {
  const person = personOf(by);
  return person === null ? [...people] : [...new Set([...people, person])];
}

/** Who made changes that one person answers for from now on: those of an unknown caller are that person's, too. */
export function answeredFor(people: readonly string[], by: Principal): string[] {
  const known = people.filter((person) => person !== UNKNOWN_PERSON);
  return known.length === people.length ? known : withPerson(known, by);
}

/**
 * Whose `Idempotency-Key` it is: the API token's, or the person's. Names do not tell: two tokens may have the same, and
 * whoever makes a token again would meet the old one's keys.
 */
export function keyOwner({ kind, userId, credentialId, actor }: Principal): string {
  return (kind === "token" ? credentialId : userId) ?? actor;
}

/** How the audit log names a person. E-mail addresses never change, so this is stable. */
export function userActor(email: string): string {
  return `user:${email}`;
}

/** How it names an API token, with the person whose it is. */
export function tokenActor(name: string, ownerEmail: string | null): string {
  return ownerEmail === null ? `token:${name}` : `token:${name} (${ownerEmail})`;
}

/** What a caller without a permission reads; `of` names the part of the request that needs it. */
export function missingPermission({ kind }: Pick<Principal, "kind">, permission: Permission, of?: string): string {
  const out = kind === "token" ? "This token lacks it: make one that has it." : "Ask an administrator for it.";
  return `This needs the permission ${permission}${of === undefined ? "" : ` for ${of}`}. ${out}`;
}
