import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import type { JsonObject } from "../../schema/contract/json.ts";
import { targetFor } from "../support/bound-credential.ts";
import { deliveryJob } from "../support/sealed-credential.ts";
import type { Delivery } from "../support/sealed-credential.ts";
import { Parts } from "./parts.ts";

let agent: Parts;
beforeEach(async () => {
  agent = await Parts.start();
});
afterEach(() => agent.stop());

const failedWith = (code: string) => ({ status: "failed", output: null, error: { code } });

describe("a sealed credential", () => {
  const config = { host: "a.example.com", username: "ada", authMethod: "password" };
  const deliver = (more: Partial<Delivery>) =>
    agent.done(
      deliveryJob({
        agentId: agent.service.agentId,
        publicKey: agent.vault.publicKey,
        secrets: { password: "canary-9d" },
        ...more,
      }),
    );
  const bound = () => agent.vault.list().map(({ target, unbound }) => ({ target, unbound }));

  test("is bound to the sealed target, even when its connection has changed", async () => {
    expect(await deliver({ target: targetFor("ssh", config) })).toMatchObject({ status: "succeeded" });
    expect(bound()).toEqual([{ target: targetFor("ssh", config), unbound: undefined }]);
  });

  test("is bound to the sealed workflows, and released to no other workflow", async () => {
    const target = targetFor("ssh", config, ["wf_1"]);
    expect(await deliver({ target })).toMatchObject({ status: "succeeded" });
    expect(bound()).toEqual([{ target, unbound: undefined }]);
    const [{ connectionId = "" } = {}] = agent.vault.list();
    const connection = { id: connectionId, type: "ssh" as const, config, workflows: ["wf_1"] };
    const stateFor = (workflowId: string) =>
      agent.vault.releases.forConnection(connection, { kind: "action", workflowId }).state;
    expect(["wf_1", "wf_2"].map(stateFor)).toEqual(["released", "refused"]);
  });

  test("without a target, from an older tool, is unbound", async () => {
    expect(await deliver({})).toMatchObject({ status: "succeeded" });
    expect(bound()).toEqual([{ target: undefined, unbound: true }]);
  });

  test("with secrets that its target does not take is refused, with the names that it takes", async () => {
    const result = await deliver({ target: targetFor("ssh", { ...config, authMethod: "privateKey" }) });
    expect(result).toMatchObject(failedWith("credential_invalid"));
    expect(result.error?.message).toContain("with authMethod privateKey takes privateKey and passphrase (optional)");
    expect(bound()).toEqual([]);
  });

  const refused: [string, JsonObject[], string][] = [
    ["of another type", [{ type: "http", baseUrl: "https://a.example.com", authType: "bearer" }], "not_for_us"],
    ["of two types", [...targetFor("ssh", config), { type: "chat" }], "not_for_us"],
    ["without an entry", [], "invalid"],
    ["with a missing field", [{ type: "ssh", host: "a.example.com" }], "invalid"],
    ["with workflows that are not a list", [{ type: "ssh", ...config, workflows: "wf_1" }], "invalid"],
    ["with an unknown field", [{ type: "ssh", ...config, "canary-field": 1 }], "invalid"],
  ];
  test.each(refused)("is refused with a target %s", async (_what, target, code) => {
    const result = await deliver({ target });
    expect(result).toMatchObject(failedWith(`credential_${code}`));
    expect(JSON.stringify(result)).not.toContain("canary");
    expect(bound()).toEqual([]);
  });
});
