import type { z } from "zod";
import type { Permission, Role, principalKindSchema } from "../../schema/contract/people.ts";

/**
 * The caller of a management route, and its permissions (docs/design/people.md#callers). `actor` is its name in the
 * audit log.
 */
export interface Principal {
  kind: z.infer<typeof principalKindSchema>;
  /** The person behind it; null for the bootstrap token, and for an API token without an owner. */
  userId: string | null;
  actor: string;
  /** The person's role now; administrator for the bootstrap token, null for a token without an owner. */
  role: Role | null;
  permissions: ReadonlySet<Permission>;
  /** The API token's id, or the digest of the session's; absent for others. */
  credentialId?: string;
  /** When these credentials expire (epoch ms); null or absent when they do not expire. */
  expiresAt?: number | null;
}

/** Recorded instead of a person's id for the bootstrap token. No person has this id. */
export const BOOTSTRAP_PERSON = "bootstrap";

/** The person who answers for the caller's actions: a token counts as its owner. Null for a token without an owner. */
export function personOf({ kind, userId }: Principal): string | null {
  return kind === "bootstrap" ? BOOTSTRAP_PERSON : userId;
}

/** Recorded among people for a token without an owner. Anyone may have that token. */
export const UNKNOWN_PERSON = "unknown";

/** These people and the caller, each once. */
export function withPerson(people: readonly string[], by: Principal): string[] {
  const person = personOf(by);
  return person === null ? [...people] : [...new Set([...people, person])];
}

/** The people who answer for changes that the caller takes over: an unknown person is replaced by the caller. */
export function answeredFor(people: readonly string[], by: Principal): string[] {
  const known = people.filter((person) => person !== UNKNOWN_PERSON);
  return known.length === people.length ? known : withPerson(known, by);
}

/**
 * The owner of an `Idempotency-Key`: the API token, or the person. A token's name is not enough: two tokens may share a
 * name, and a new token with an old name would meet the old one's keys.
 */
export function keyOwner({ kind, userId, credentialId, actor }: Principal): string {
  return (kind === "token" ? credentialId : userId) ?? actor;
}

/** The audit log's name for a person. Email addresses never change, so it is stable. */
export function userActor(email: string): string {
  return `user:${email}`;
}

/** The audit log's name for an API token, with its owner. */
export function tokenActor(name: string, ownerEmail: string | null): string {
  return ownerEmail === null ? `token:${name}` : `token:${name} (${ownerEmail})`;
}

/** The message for a caller without a permission; `of` names the part of the request that needs it. */
export function missingPermission({ kind }: Pick<Principal, "kind">, permission: Permission, of?: string): string {
  const out = kind === "token" ? "Create a token that has it." : "Ask an administrator for it.";
  return `This needs the permission ${permission}${of === undefined ? "" : ` for ${of}`}. ${out}`;
}
