import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { secretsIn } from "../support/bound-credential.ts";
import { FAKE_AGENT_KEY } from "../support/fake-service.ts";
import { fileSchema, VaultHome } from "./vault-home.ts";
import type { VaultOnDisk } from "./vault-home.ts";

/** The key of the same agent after a new one was generated. */
const OTHER_KEY = `bhTestAgent2_${FAKE_AGENT_KEY.slice(13)}`;
const SAME_PREFIX_KEY = `${FAKE_AGENT_KEY.slice(0, 13)}${"Z".repeat(43)}`;

let home: VaultHome;
beforeEach(async () => {
  home = await VaultHome.make();
});
afterEach(() => home.remove());

describe("an unreadable vault is moved aside, and its connections are named", () => {
  for (const [what, key, pairs] of [
    ["after the agent key was regenerated", OTHER_KEY, 0],
    ["under a key that differs only in its secret part", SAME_PREFIX_KEY, 1],
  ] as const) {
    test(what, async () => {
      const before = await home.open();
      await before.put("con_1", { secrets: { password: "one" } });
      const contents = await home.text();
      const after = await home.open(key);
      expect(secretsIn(after, "con_1")).toBeNull();
      expect(after.publicKey).not.toEqual(before.publicKey);
      expect(home.newKeyPairs).toBe(pairs);
      const [aside = ""] = await home.asides();
      expect(await readFile(join(home.directory, aside), "utf8")).toBe(contents);
      expect(after.lost).toEqual({ movedTo: join(home.directory, aside), connectionIds: ["con_1"] });
      expect(home.log.join("\n")).toContain("con_1");
      expect(home.log.at(-1)).toStartWith(key === OTHER_KEY ? "WARNING the vault" : "ERROR the vault");
      expect(home.log.join("\n")).toContain("bellhop-agent credentials set");
      await after.put("con_1", { secrets: { password: "again" } });
      expect(secretsIn(await home.open(key), "con_1")).toEqual({ password: "again" });
    });
  }

  test("only after the service has accepted the key, so a mistyped key loses nothing", async () => {
    const before = await home.open();
    await before.put("con_1", { secrets: { password: "one" } });
    const accepted = Promise.withResolvers<void>();
    for (const mistyped of [SAME_PREFIX_KEY, OTHER_KEY]) {
      const waiting = home.opening(mistyped, accepted.promise);
      // Opening continues only after the key is accepted; meanwhile the right key still opens the vault.
      const opened = await Promise.race([waiting.ready.then(() => null), home.open()]);
      expect(opened && secretsIn(opened, "con_1")).toEqual({ password: "one" });
      expect(await home.asides()).toEqual([]);
    }
  });

  const damages: [string, (file: VaultOnDisk, text: string) => string, string[]][] = [
    ["when it is not JSON", () => "not a vault", []],
    ["when it is empty", () => "", []],
    ["when it is cut off", (_file, text) => text.slice(0, -20), []],
    ["when it is of a later version", (file) => JSON.stringify({ ...file, version: 2 }), ["con_1"]],
    ["when its iterations were lowered", (file) => JSON.stringify({ ...file, iterations: 1 }), ["con_1"]],
    [
      "when its salt was changed",
      (file) => JSON.stringify({ ...file, salt: Buffer.alloc(16).toString("base64") }),
      ["con_1"],
    ],
    [
      "when its public key was replaced",
      (file) => JSON.stringify({ ...file, publicKey: { ...file.publicKey, x: "A".repeat(43) } }),
      ["con_1"],
    ],
  ];
  for (const [what, damage, named] of damages) {
    test(what, async () => {
      const before = await home.open();
      await before.put("con_1", { secrets: { password: "one" } });
      await writeFile(home.path, damage(await home.onDisk(), await home.text()));
      const after = await home.open();
      expect(after.versions()).toEqual([]);
      expect(after.lost?.connectionIds).toEqual(named);
      expect(await home.asides()).toHaveLength(1);
      expect(fileSchema.safeParse(JSON.parse(await home.text())).success).toBe(true);
    });
  }

  const tampering: [string, (file: VaultOnDisk) => VaultOnDisk, string[], string[]][] = [
    [
      "a changed credential without the others",
      (file) => ({
        ...file,
        credentials: file.credentials.map((entry, index) =>
          index === 0 ? { ...entry, ciphertext: `AAAA${entry.ciphertext.slice(4)}` } : entry,
        ),
      }),
      ["con_1"],
      ["con_2"],
    ],
    [
      "both of two swapped credentials",
      (file) => ({
        ...file,
        credentials: file.credentials.map((entry, index) => ({
          ...entry,
          connectionId: file.credentials[1 - index]?.connectionId ?? "",
        })),
      }),
      ["con_2", "con_1"],
      [],
    ],
    [
      "credentials with a changed version",
      (file) => ({ ...file, credentials: file.credentials.map((entry) => ({ ...entry, version: entry.version + 1 })) }),
      ["con_1", "con_2"],
      [],
    ],
  ];
  for (const [what, tamper, lost, kept] of tampering) {
    test(what, async () => {
      const before = await home.open();
      await before.put("con_1", { secrets: { password: "one" } });
      await before.put("con_2", { secrets: { password: "two" } });
      await writeFile(home.path, JSON.stringify(tamper(await home.onDisk())));
      const after = await home.open();
      expect(after.lost?.connectionIds).toEqual(lost);
      expect(after.versions().map(({ connectionId }) => connectionId)).toEqual(kept);
      expect(after.publicKey).toEqual(before.publicKey);
      expect(await home.asides()).toHaveLength(1);
    });
  }
});
