import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type HostKeyOrigin, KnownHostsFile } from "../../agent/executors/ssh/known-hosts.ts";
import type { JsonObject } from "../../schema/contract/json.ts";
import { failureOf, runAction, temporaryState } from "../support/executor-context.ts";
import { makeKey, type TestKey } from "../support/ssh-keys.ts";
import { Sshd, sshdMissing } from "../support/sshd.ts";

if (sshdMissing !== null) console.warn(`Tests of SSH host keys are skipped: ${sshdMissing}.`);

describe.skipIf(sshdMissing !== null)("an SSH host key", () => {
  let sshd: Sshd;
  let key: TestKey;
  let state: { path: string; remove: () => Promise<void> };
  beforeEach(async () => {
    key = await makeKey();
    [sshd, state] = await Promise.all([Sshd.start({ hostKeyTypes: ["ed25519", "ecdsa"] }), temporaryState()]);
    await sshd.authorize(key.publicKey);
  });
  afterEach(async () => {
    await Promise.all([sshd.stop(), state.remove()]);
  });

  function connect(config: JsonObject = {}) {
    return runAction("ssh", "ssh.executeCommand", {
      config: { host: sshd.host, port: sshd.port, username: sshd.username, authMethod: "privateKey", ...config },
      secrets: { privateKey: key.privateKey },
      params: { command: "true" },
      stateDirectory: state.path,
    });
  }

  function knownHosts(): Promise<string> {
    return readFile(join(state.path, "known-hosts.json"), "utf8");
  }

  async function change(types: Parameters<Sshd["makeHostKeys"]>[0]): Promise<void> {
    await sshd.makeHostKeys(types);
    await sshd.restart();
  }

  test("is trusted on first use, and stored in a file that only the agent can write", async () => {
    expect((await connect()).status).toBe("succeeded");
    expect(await knownHosts()).toContain(await sshd.fingerprint("ed25519"));
    expect((await stat(join(state.path, "known-hosts.json"))).mode & 0o777).toBe(0o600);
    expect((await connect()).status).toBe("succeeded");
  });

  test("that has changed is refused, with both fingerprints and the way to accept the new one", async () => {
    await connect();
    const before = await sshd.fingerprint("ed25519");
    await change(["ed25519", "ecdsa"]);
    const { code, message } = failureOf(await connect());
    expect(code).toBe("host_key_changed");
    for (const part of [before, await sshd.fingerprint("ed25519"), "hostKeyFingerprint", "known-hosts.json"]) {
      expect(message).toContain(part);
    }
    expect(await knownHosts()).toContain(before);
    // The password or signature of a login must not reach another host than the known one.
    expect((await sshd.log()).split("Accepted publickey").length - 1).toBe(1);
  });

  test("that has changed is refused for every spelling of the host", async () => {
    await connect();
    await change(["ed25519", "ecdsa"]);
    expect(failureOf(await connect({ host: `[${sshd.host}]` })).code).toBe("host_key_changed");
  });

  test("that has changed is accepted by pinning it, also later without the pin", async () => {
    await connect();
    await change(["ed25519"]);
    expect((await connect({ hostKeyFingerprint: await sshd.fingerprint("ed25519") })).status).toBe("succeeded");
    expect((await connect()).status).toBe("succeeded");
  });

  test("of any type may be pinned, and no other key is accepted", async () => {
    for (const type of ["ed25519", "ecdsa"] as const) {
      expect((await connect({ hostKeyFingerprint: await sshd.fingerprint(type) })).status).toBe("succeeded");
      expect((await connect({ hostKeyFingerprint: `${await sshd.fingerprint(type)}=` })).status).toBe("succeeded");
    }
    const { code, message } = failureOf(await connect({ hostKeyFingerprint: `SHA256:${"A".repeat(43)}` }));
    expect(code).toBe("host_key_changed");
    expect(message).toContain(`SHA256:${"A".repeat(43)}`);
  });

  test("is requested in the known type even if the host has another type as well", async () => {
    await change(["ecdsa"]);
    await connect();
    const known = await sshd.fingerprint("ecdsa");
    await sshd.addHostKey("ed25519");
    await sshd.restart();
    expect((await connect()).status).toBe("succeeded");
    expect(await knownHosts()).toContain(known);
  });

  test("is the same for concurrent jobs that see the host for the first time", async () => {
    const outcomes = await Promise.all(Array.from({ length: 6 }, () => connect()));
    expect(outcomes.map(({ status }) => status)).toEqual(Array.from({ length: 6 }, () => "succeeded"));
  });

  test("is not trusted again when the file of known hosts is damaged", async () => {
    await writeFile(join(state.path, "known-hosts.json"), "{ not JSON");
    const { code, message } = failureOf(await connect());
    expect(code).toBe("known_hosts_unusable");
    expect(message).toContain("known-hosts.json");
  });
});

test("an SSH host key that cannot be stored is not trusted", async () => {
  const file = new KnownHostsFile("/proc/no-such-directory", "con_1");
  const key = { keyType: "ssh-ed25519", fingerprint: "SHA256:one" };
  await expect(file.accept("host.example", 22, key, null)).rejects.toMatchObject({ code: "known_hosts_unusable" });
});

test("an SSH host that an older agent stored in brackets is known", async () => {
  const state = await temporaryState();
  try {
    const entry = { keyType: "ssh-ed25519", fingerprint: "SHA256:one", firstSeenAt: "2026-01-01T00:00:00.000Z" };
    const file = new KnownHostsFile(state.path, "con_test");
    await writeFile(file.path, JSON.stringify({ version: 1, hosts: { "[::1]:22": entry } }));
    for (const host of ["[::1]", "::1"]) {
      const accepted = file.accept(host, 22, { keyType: "ssh-ed25519", fingerprint: "SHA256:other" }, null);
      await expect(accepted).rejects.toMatchObject({ code: "host_key_changed" });
    }
  } finally {
    await state.remove();
  }
});

test("only one of two concurrent keys of a new SSH host is accepted", async () => {
  const state = await temporaryState();
  try {
    const accept = (fingerprint: string) =>
      new KnownHostsFile(state.path, "con_1").accept("host.example", 22, { keyType: "ssh-ed25519", fingerprint }, null);
    const results = await Promise.allSettled([accept("SHA256:one"), accept("SHA256:other"), accept("SHA256:one")]);
    expect(results.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
  } finally {
    await state.remove();
  }
});

describe("the first SSH key of a host", () => {
  const key = (fingerprint: string) => ({ keyType: "ssh-ed25519", fingerprint });
  let state: { path: string; remove: () => Promise<void> };
  let accept: (connectionId: string, host: string, fingerprint: string, pinned?: string) => Promise<HostKeyOrigin>;
  beforeEach(async () => {
    state = await temporaryState();
    accept = (connectionId, host, fingerprint, pinned) =>
      new KnownHostsFile(state.path, connectionId).accept(
        host,
        22,
        key(fingerprint),
        pinned === undefined ? null : { field: "hostKeyFingerprint", fingerprints: [pinned] },
      );
  });
  afterEach(() => state.remove());

  test("is required on every connection, in every spelling of the host", async () => {
    await accept("con_1", "::1", "SHA256:one");
    for (const host of ["::1", "[::1]"]) {
      expect(await accept("con_2", host, "SHA256:one")).toBe("known");
      await expect(accept("con_2", host, "SHA256:other")).rejects.toMatchObject({ code: "host_key_changed" });
    }
  });

  test("is not replaced on one connection by a pin on another one", async () => {
    await accept("con_1", "host.example", "SHA256:one");
    expect(await accept("con_2", "host.example", "SHA256:other", "SHA256:other")).toBe("pinned");
    await expect(accept("con_1", "host.example", "SHA256:other")).rejects.toMatchObject({ code: "host_key_changed" });
    expect(await accept("con_1", "host.example", "SHA256:one")).toBe("known");
    expect(await accept("con_2", "host.example", "SHA256:other")).toBe("known");
  });

  test("is still unknown on one connection after a pin on another one", async () => {
    await accept("con_2", "host.example", "SHA256:other", "SHA256:other");
    expect(await accept("con_1", "host.example", "SHA256:one")).toBe("first seen");
  });
});
