import { createHash } from "node:crypto";
import { mkdir, open, readFile, rename } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { hostName } from "../../../schema/contract/connections/fields.ts";
import { errorCode, errorMessage, ExecutorFailure } from "../shared/failures.ts";

const fileSchema = z.object({
  version: z.literal(1),
  hosts: z.record(z.string(), z.object({ keyType: z.string(), fingerprint: z.string(), firstSeenAt: z.string() })),
});
type KnownHosts = z.infer<typeof fileSchema>;

export interface HostKey {
  keyType: string;
  /** As `ssh-keygen -lf` prints it. */
  fingerprint: string;
}

/** The keys that a host may show, and the field of the connection that has them. */
export interface Pins {
  field: "hostKeyFingerprint" | "hostKeys";
  fingerprints: readonly string[];
}

export type HostKeyOrigin = "pinned" | "known" | "first seen";

/** One host is accepted at a time, so that two jobs that meet a new host agree on one key. */
let lastWrite: Promise<unknown> = Promise.resolve();

/**
 * The fingerprints of known hosts: `known-hosts.json` in the agent's state directory. The first key of a host counts
 * for every connection. A pinned key counts only for its connection, so that no one can make the agent trust another
 * key for a connection's credential by pinning that key in a second connection.
 */
export class KnownHostsFile {
  readonly path: string;

  constructor(
    private readonly directory: string,
    private readonly connectionId: string,
  ) {
    this.path = join(directory, "known-hosts.json");
  }

  /** The type of a host's known key, so that a host with several keys is asked for the same one. */
  async keyTypeOf(host: string, port: number): Promise<string | null> {
    const known = await this.#read();
    return known.hosts[this.#nameOf(known, entryName(host, port))]?.keyType ?? null;
  }

  /**
   * Accepts a pinned key; without pins a known one, or the first key of a host. Throws `host_key_changed` for any other,
   * and `host_key_unknown` for a host that has no key among the pins. Accepted keys are stored, so after pinning a host's
   * new key the pin can be removed.
   */
  accept(host: string, port: number, key: HostKey, pinned: Pins | null): Promise<HostKeyOrigin> {
    const result = lastWrite.then(() => this.#accept(host, port, key, pinned));
    lastWrite = result.catch(() => undefined);
    return result;
  }

  async #accept(host: string, port: number, key: HostKey, pinned: Pins | null): Promise<HostKeyOrigin> {
    const hostName = entryName(host, port);
    if (pinned !== null) requirePinned(hostName, key, pinned);
    const known = await this.#read();
    const name = pinned === null ? this.#nameOf(known, hostName) : this.#ownName(hostName);
    const entry = known.hosts[name];
    if (pinned === null && entry !== undefined && entry.fingerprint !== key.fingerprint) {
      throw new ExecutorFailure(
        "host_key_changed",
        `${hostName} shows the ${key.keyType} host key ${key.fingerprint}, but this agent knows it by ${entry.fingerprint} ` +
          `(${entry.keyType}, since ${entry.firstSeenAt}). If the host's key was changed on purpose, set the connection's ` +
          `hostKeyFingerprint to the new one, or remove "${name}" from ${this.path}. If not, another machine may be impersonating the host.`,
      );
    }
    if (entry?.fingerprint !== key.fingerprint) {
      known.hosts[name] = { ...key, firstSeenAt: new Date().toISOString() };
      await this.#write(known);
    }
    if (pinned !== null) return "pinned";
    return entry === undefined ? "first seen" : "known";
  }

  #ownName(hostName: string): string {
    return `${hostName} of ${this.connectionId}`;
  }

  /** The name of the entry with the key that an unpinned host must have. */
  #nameOf({ hosts }: KnownHosts, hostName: string): string {
    return Object.hasOwn(hosts, this.#ownName(hostName)) ? this.#ownName(hostName) : hostName;
  }

  async #read(): Promise<KnownHosts> {
    try {
      const known = fileSchema.parse(JSON.parse(await readFile(this.path, "utf8")));
      // Older agents stored brackets.
      const hosts = Object.entries(known.hosts).map(([name, key]) => [name.replace(/^\[(.*)\](?=:\d+$)/u, "$1"), key]);
      return { ...known, hosts: Object.fromEntries(hosts) };
    } catch (error) {
      if (errorCode(error) === "ENOENT") return { version: 1, hosts: {} };
      // To continue without known hosts would accept any key.
      const message = `${this.path} cannot be read (${errorMessage(error)}). Repair the file, or remove it to trust the next key of every host.`;
      throw new ExecutorFailure("known_hosts_unusable", message, null, { cause: error });
    }
  }

  async #write(known: KnownHosts): Promise<void> {
    try {
      await mkdir(this.directory, { recursive: true, mode: 0o700 });
      const temporary = `${this.path}.${process.pid}.tmp`;
      const file = await open(temporary, "w", 0o600);
      try {
        await file.writeFile(`${JSON.stringify(known, null, 2)}\n`);
        await file.sync();
      } finally {
        await file.close();
      }
      await rename(temporary, this.path);
    } catch (error) {
      // Without a stored key, the next connection would accept any key.
      const message = `${this.path} cannot be written (${errorMessage(error)}). Check the file's rights and the free space there.`;
      throw new ExecutorFailure("known_hosts_unusable", message, null, { cause: error });
    }
  }
}

/** A public key in SSH wire format: a length, the key's type, and the rest. */
export function describeKey(key: Buffer): HostKey {
  const keyType = key.subarray(4, 4 + key.readUInt32BE(0)).toString("latin1");
  return { keyType, fingerprint: `SHA256:${createHash("sha256").update(key).digest("base64").replaceAll("=", "")}` };
}

/**
 * The same name for every spelling that the credential's target accepts for a host. Another spelling must not count as
 * a new host.
 */
function entryName(host: string, port: number): string {
  return `${hostName(host)}:${port}`;
}

function requirePinned(hostName: string, key: HostKey, { field, fingerprints }: Pins): void {
  if (fingerprints.some((one) => withoutPadding(one) === key.fingerprint)) return;
  const shows = `${hostName} shows the ${key.keyType} host key ${key.fingerprint}, but the connection`;
  if (fingerprints.length === 0) {
    const message = `${shows} has no key of this host in hostKeys. Compare the fingerprint on the host, add it to hostKeys, and deliver the credential again.`;
    throw new ExecutorFailure("host_key_unknown", message);
  }
  throw new ExecutorFailure(
    "host_key_changed",
    `${shows} pins ${fingerprints.join(", ")}. If the host's key was changed on purpose, set ${field} to the new one. If ` +
      "not, another machine may be impersonating the host.",
  );
}

function withoutPadding(fingerprint: string): string {
  return fingerprint.replace(/=$/u, "");
}
