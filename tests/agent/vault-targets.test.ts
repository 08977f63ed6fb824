import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { createHash } from "node:crypto";
import { tmpdir } from "node:os";
import type { Executor } from "../../agent/executors/executor.ts";
import { programsHere } from "../../agent/programs/here.ts";
import { targetResolver } from "../../agent/vault/resolve-target.ts";
import { logUnbound } from "../../agent/vault/lost.ts";
import { secretsIn as given } from "../../agent/vault/releases.ts";
import type { Release } from "../../agent/vault/releases.ts";
import type { Vault } from "../../agent/vault/index.ts";
import { CONNECTION_TYPES, takesCredential } from "../../schema/contract/connection.ts";
import type { ConnectionType } from "../../schema/contract/connection.ts";
import { canonicalTarget } from "../../schema/contract/credential-target.ts";
import type { JsonObject } from "../../schema/contract/json.ts";
import { boundTo, secretsIn, targetFor } from "../support/bound-credential.ts";
import { casesOf, editedBy } from "../support/connection-cases.ts";
import { SSH } from "../support/connection-types/ssh.ts";
import { VaultHome } from "./vault-home.ts";

const SECRETS = { password: "canary-2f8c" };

let home: VaultHome;
let vault: Vault;
beforeEach(async () => {
  home = await VaultHome.make();
  vault = await home.open();
});
afterEach(() => home.remove());

const release = (config: JsonObject, type: ConnectionType = "ssh") =>
  vault.releases.forConnection({ id: "con_1", type, config }, { kind: "action" });

function refusalOf(of: Release) {
  if (of.state !== "refused") throw new Error(`it was not refused: ${of.state}`);
  return of.error;
}

describe.each(CONNECTION_TYPES.filter(takesCredential).map((type) => [type] as const))(
  "a credential of a connection of type %s",
  (type) => {
    const { config, changes, keeps } = casesOf(type);

    test("is released to a job of its target, in any spelling", async () => {
      await vault.put("con_1", boundTo(type, config, SECRETS));
      for (const change of [{}, ...keeps]) expect(given(release(editedBy(config, change), type))).toEqual(SECRETS);
    });

    test("is released to no job of another target, and the refusal names the differences", async () => {
      await vault.put("con_1", boundTo(type, config, SECRETS));
      for (const change of changes) {
        const { code, message } = refusalOf(release(editedBy(config, change), type));
        expect([change, code]).toEqual([change, "target_changed"]);
        for (const part of [...Object.keys(change), "bellhop-agent credentials bind con_1"]) {
          expect(message).toContain(part);
        }
        expect(message).not.toContain("canary");
      }
    });

    test("is released to no connection of another type with the same id", async () => {
      await vault.put("con_1", boundTo(type, config, SECRETS));
      for (const other of CONNECTION_TYPES.filter((other) => other !== type)) {
        expect([other, given(release(casesOf(other).config, other))]).toEqual([other, null]);
      }
    });
  },
);

describe("an unbound credential", () => {
  test("is released to no job; the refusal has the target and the command that binds it", async () => {
    await vault.put("con_1", { secrets: SECRETS });
    const { code, message } = refusalOf(release(SSH));
    expect(code).toBe("credential_unbound");
    expect(message).toContain(canonicalTarget(targetFor("ssh", SSH)));
    expect(message).toContain("bellhop-agent credentials bind con_1");
    expect(refusalOf(release(SSH)).code).toBe("credential_unbound");
  });

  test("comes from an older agent's vault, and is released once it is bound", async () => {
    await vault.put("con_1", { secrets: SECRETS }, 4);
    vault = await home.open();
    expect(vault.list()).toMatchObject([{ connectionId: "con_1", version: 4, unbound: true }]);
    await vault.bind("con_1", targetFor("ssh", SSH));
    expect(given(release(SSH))).toEqual(SECRETS);
    vault = await home.open();
    expect(given(release(SSH))).toEqual(SECRETS);
    expect(vault.list()[0]).toMatchObject({ version: 4, target: targetFor("ssh", SSH) });
  });

  test("results from replacing a bound credential without a target", async () => {
    await vault.put("con_1", boundTo("ssh", SSH, SECRETS));
    await vault.put("con_1", { secrets: { password: "canary-new" } });
    expect(refusalOf(release(SSH)).code).toBe("credential_unbound");
  });
});

describe("the target of a refused job", () => {
  const wanted = () => vault.list()[0]?.wanted;

  test("is forgotten when a job gets the credential at the bound target", async () => {
    await vault.put("con_1", boundTo("ssh", SSH, SECRETS));
    release({ ...SSH, host: "b.example.com" });
    expect(wanted()).toEqual(targetFor("ssh", { ...SSH, host: "b.example.com" }));
    release(SSH);
    expect(wanted()).toBeUndefined();
  });

  test("is kept until the credential is bound, replaced with a target or removed; the last one wins", async () => {
    const other = { ...SSH, host: "b.example.com" };
    const ends: (() => Promise<unknown>)[] = [
      () => vault.bind("con_1", targetFor("ssh", SSH)),
      () => vault.put("con_1", boundTo("ssh", SSH, SECRETS)),
      () => vault.deliver("con_1", boundTo("ssh", SSH, SECRETS), 9),
      () => vault.remove("con_1").then(() => vault.put("con_1", { secrets: SECRETS })),
      () => vault.withdraw("con_1", 9).then(() => vault.put("con_1", { secrets: SECRETS })),
    ];
    for (const end of ends) {
      await vault.put("con_1", { secrets: SECRETS });
      release(other);
      expect(wanted()).toEqual(targetFor("ssh", other));
      release(SSH);
      expect(wanted()).toEqual(targetFor("ssh", SSH));
      await vault.put("con_1", { secrets: { password: "another" } });
      expect(wanted()).toEqual(targetFor("ssh", SSH));
      await end();
      expect(wanted()).toBeUndefined();
    }
  });

  test("is not kept for a job that got its credential, or for a connection without one", async () => {
    release(SSH);
    await vault.put("con_1", boundTo("ssh", SSH, SECRETS));
    release(SSH);
    expect(wanted()).toBeUndefined();
  });
});

test("a connection with fields unknown to this version gets no credential", async () => {
  await vault.put("con_1", boundTo("ssh", SSH, SECRETS));
  for (const config of [{}, { ...SSH, jumpHost: "evil.example" }]) expect(release(config).state).toBe("none");
});

test("binding a missing credential changes nothing", async () => {
  expect(await vault.bind("con_1", targetFor("ssh", SSH))).toBeNull();
  expect(vault.list()).toEqual([]);
});

test("the target is encrypted in the file together with the secrets", async () => {
  await vault.put("con_1", boundTo("ssh", SSH, SECRETS));
  expect(await home.text()).not.toContain(SSH.host);
  expect(secretsIn(await home.open(), "con_1")).toEqual(SECRETS);
});

test("versions for heartbeats have the digest of the canonical target, or null without a target", async () => {
  await vault.put("con_1", boundTo("ssh", { ...SSH, host: "A.example.com" }, SECRETS), 2);
  await vault.put("con_2", { secrets: SECRETS });
  const changedAt = vault.list()[0]?.updatedAt ?? "";
  const canonical = '[{"authMethod":"password","host":"a.example.com","port":22,"type":"ssh","username":"ada"}]';
  expect(vault.versions()).toEqual([
    {
      connectionId: "con_1",
      version: 2,
      target: createHash("sha256").update(canonical).digest("base64url"),
      changedAt,
    },
    { connectionId: "con_2", version: 0, target: null, changedAt },
  ]);
});

describe("for a script that names another connection", () => {
  const forScript = (connection: { type: ConnectionType; config: JsonObject } | null = null) =>
    vault.releases.forScript("con_1", connection === null ? null : { id: "con_1", ...connection }, { kind: "action" });
  const custom = (host: string) => ({ type: "custom" as const, config: { fields: { host } } });

  test("a credential is released if it is bound to the connection's fields in the job", async () => {
    expect(forScript(custom("a")).state).toBe("none");
    await vault.put("con_1", boundTo("custom", custom("a").config, SECRETS));
    expect(given(forScript(custom("a")))).toEqual(SECRETS);
    const { code, message } = refusalOf(forScript(custom("b")));
    expect(code).toBe("target_changed");
    expect(message).toContain('fields.host is now "b", and the credential is bound to "a"');
    expect(vault.list()[0]?.wanted).toEqual(targetFor("custom", custom("b").config));
  });

  test("a credential is released by its type alone if the job of an older service has no fields", async () => {
    await vault.put("con_1", boundTo("custom", custom("a").config, SECRETS));
    expect(given(forScript())).toEqual(SECRETS);
  });

  test("a credential of another type is refused, even with a connection of that type in the job", async () => {
    await vault.put("con_1", boundTo("ssh", SSH, SECRETS));
    expect(refusalOf(forScript({ type: "ssh", config: SSH })).code).toBe("target_changed");
    await vault.put("con_1", boundTo("custom", custom("a").config, SECRETS));
    expect(refusalOf(forScript({ type: "ssh", config: SSH })).code).toBe("target_changed");
  });

  test("a credential that is unbound or bound as another type is refused", async () => {
    await vault.put("con_1", { secrets: SECRETS });
    expect(refusalOf(forScript()).code).toBe("credential_unbound");
    await vault.put("con_1", boundTo("ssh", SSH, SECRETS));
    const { code, message } = refusalOf(forScript());
    expect(code).toBe("target_changed");
    expect(message).toContain('type is now "custom", and the credential is bound to "ssh"');
  });
});

test("all credentials without a target are named in one warning; without such credentials, nothing is warned about", async () => {
  const warnings: unknown[] = [];
  const ignore = (): void => undefined;
  const log = { debug: ignore, info: ignore, error: ignore, warning: (...said: unknown[]) => void warnings.push(said) };
  await vault.put("con_bound", boundTo("ssh", SSH, SECRETS));
  logUnbound(log, vault.list());
  expect(warnings).toEqual([]);
  for (const id of ["con_1", "con_2"]) await vault.put(id, { secrets: SECRETS });
  logUnbound(log, vault.list());
  expect(warnings).toEqual([[expect.stringContaining("credentials bind <id>"), { connections: ["con_1", "con_2"] }]]);
});

describe.each(CONNECTION_TYPES.filter(takesCredential).map((type) => [type] as const))(
  "a credential of type %s for certain workflows",
  (type) => {
    const { config } = casesOf(type);
    const to = (workflows: readonly string[] | undefined, by: Parameters<Vault["releases"]["forConnection"]>[1]) =>
      vault.releases.forConnection(
        { id: "con_1", type, config, ...(workflows === undefined ? {} : { workflows: [...workflows] }) },
        by,
      );
    beforeEach(() => vault.put("con_1", { secrets: SECRETS, target: targetFor(type, config, ["wf_1", "wf_2"]) }));

    test("is released to jobs of these workflows and to tests, and to no other job", () => {
      const listed = ["wf_2", "wf_1"];
      expect(given(to(listed, { kind: "action", workflowId: "wf_2" }))).toEqual(SECRETS);
      expect(given(to(listed, { kind: "connectionTest" }))).toEqual(SECRETS);
      for (const workflowId of ["wf_3", "wf_1,wf_2", ""]) {
        const { code, message } = refusalOf(to(listed, { kind: "action", workflowId }));
        expect([code, message.includes("canary")]).toEqual(["workflow_refused", false]);
      }
      expect(refusalOf(to(listed, { kind: "action" })).message).toContain("names none");
    });

    test("is refused when the connection has another list of workflows, or none", () => {
      for (const workflows of [undefined, [], ["wf_1"], ["wf_1", "wf_2", "wf_3"]]) {
        expect(refusalOf(to(workflows, { kind: "action", workflowId: "wf_1" })).code).toBe("target_changed");
      }
    });
  },
);

describe("secrets for scripts of certain workflows", () => {
  const { config } = casesOf("custom");
  beforeEach(() => vault.put("con_1", { secrets: SECRETS, target: targetFor("custom", config, ["wf_1"]) }));

  test.each([
    ["with the connection in the job", { id: "con_1", type: "custom" as const, config, workflows: ["wf_1"] }],
    ["with a job of an older service, which has no connection", null],
  ])("are released to these workflows only: %s", (_case, connection) => {
    const to = (workflowId: string) => vault.releases.forScript("con_1", connection, { kind: "action", workflowId });
    expect(given(to("wf_1"))).toEqual(SECRETS);
    expect(refusalOf(to("wf_2")).code).toBe("workflow_refused");
  });
});

test("resolveTarget gets a target without its workflows", async () => {
  const seen: JsonObject[] = [];
  const executor: Executor = {
    actions: {},
    test: () => Promise.resolve([]),
    resolveTarget: ({ entry }) => {
      seen.push(entry);
      return Promise.resolve({ at: "here" });
    },
  };
  const resolve = targetResolver(
    { load: () => Promise.resolve(executor) },
    { slackApiUrl: "" },
    programsHere(tmpdir()),
  );
  const target = targetFor("kubernetes", { context: "prod" }, ["wf_1"]);
  expect(await resolve("con_1", target, SECRETS)).toEqual([{ at: "here" }]);
  expect(seen).toEqual([{ type: "kubernetes", context: "prod" }]);
});
