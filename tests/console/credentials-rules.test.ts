import { describe, expect, test } from "bun:test";
import { decodeProtectedHeader } from "jose";
import { ApiProblem } from "../../console/api/problem.ts";
import { rememberTarget, targetStateOf } from "../../console/views/connections/credential/confirmed-target.ts";
import { targetEditOf } from "../../console/views/connections/form/target-edit.ts";
import type { FormValues } from "../../console/views/connections/form/form-values.ts";
import type { CredentialTarget } from "../../schema/contract/credential-target.ts";
import type { CredentialStatus } from "../../schema/contract/credential.ts";
import {
  keyStateOf,
  readCompared,
  rememberCompared,
  storeOf,
} from "../../console/views/connections/credential/compared.ts";
import {
  checkSecrets,
  givenSecrets,
  secretForms,
  secretFormsFor,
} from "../../console/views/connections/credential/secret-fields.ts";
import { fingerprintOf, sealedRequests, sealTo } from "../../schema/contract/sealing.ts";
import { asDeliveryError } from "../../console/views/connections/credential/delivery-problem.ts";
import { heldLabel, isOnlyRemembered, nextStep } from "../../console/views/connections/credential/status-labels.ts";
import { openSealed } from "../../agent/vault/open-sealed.ts";
import { fingerprintOf as agentsFingerprint, newKeyPair, publicPartOf } from "../../agent/vault/crypto.ts";
import { CONNECTION_TYPES, takesCredential } from "../../schema/contract/connection.ts";
import type { ConnectionType } from "../../schema/contract/connection.ts";
import { secretsSchemaOf } from "../../schema/contract/secret-shapes.ts";
import type { JsonObject } from "../../schema/contract/json.ts";
import { namesOf } from "../support/schema-names.ts";

const NO_LOGIN: JsonObject = { baseUrl: "https://api.example.com", authType: "none" };

describe.each([...CONNECTION_TYPES])("the credential of type %s", (type) => {
  const forms = secretForms(type);

  test("has every secret of the contract", () => {
    const names = forms.flatMap(({ fields }) => fields.map(({ name }) => name));
    expect([...new Set(names)].sort()).toEqual(namesOf(secretsSchemaOf(type)).sort());
    expect(forms.some(({ isFree }) => isFree)).toBe(type === "custom");
    expect(forms.some(({ fields, isFree }) => isFree || fields.length > 0)).toBe(takesCredential(type));
  });
});

const namesFor = (type: ConnectionType, config: JsonObject) =>
  secretFormsFor(type, config).map(({ fields }) =>
    fields.map(({ name, required }) => (required ? name : `${name}?`)).join(" "),
  );

test.each<[ConnectionType, JsonObject, string[]]>([
  ["ssh", { authMethod: "password" }, ["password"]],
  ["ssh", { authMethod: "privateKey" }, ["privateKey passphrase?"]],
  ["http", { authType: "none" }, []],
  ["http", { authType: "basic" }, ["username password"]],
  ["http", { authType: "bearer" }, ["token"]],
  ["http", { authType: "apiKey" }, ["apiKey"]],
  ["kubernetes", {}, ["kubeconfig", "token"]],
  ["email", {}, ["username? password"]],
  ["database", { driver: "sqlite" }, []],
  ["database", { driver: "mysql" }, ["username password"]],
  ["script", {}, []],
])("a %s connection with %j asks for %j", (type, config, expected) => {
  expect(namesFor(type, config)).toEqual(expected);
});

test.each<[ConnectionType, JsonObject, Record<string, string>, string[]]>([
  ["ssh", { authMethod: "privateKey" }, { privateKey: "", passphrase: "x" }, ["privateKey"]],
  ["ssh", { authMethod: "privateKey" }, { privateKey: "PuTTY-User-Key-File-3: x" }, ["privateKey"]],
  ["ssh", { authMethod: "privateKey" }, { privateKey: "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5 ada@web-1" }, ["privateKey"]],
  ["custom", {}, { DEPLOY_PRIVATE_KEY: "-----BEGIN CERTIFICATE-----" }, ["DEPLOY_PRIVATE_KEY"]],
  ["teamchat", {}, { webhookUrl: "not an address" }, ["webhookUrl"]],
  ["teamchat", {}, { webhookUrl: "https://a.example/x?sig=1" }, []],
  ["custom", {}, {}, [""]],
  ["custom", {}, { PATH: "/evil" }, ["PATH"]],
  ["custom", {}, { TOKEN: "x" }, []],
  ["email", {}, { username: "", password: "x" }, []],
])("a %s connection with %j and the secrets %j has errors at %j", (type, config, typed, expected) => {
  const [form] = secretFormsFor(type, config);
  if (form === undefined) throw new Error("no form");
  const errors = checkSecrets(type, form, givenSecrets(typed));
  expect(errors.map(({ path }) => path)).toEqual(expected);
  for (const value of Object.values(typed).filter((one) => one !== "")) {
    expect(JSON.stringify(errors)).not.toContain(value);
  }
});

test("only its agent can open a sealed credential, with the named version", async () => {
  const [own, other] = [newKeyPair(), newKeyPair()];
  const target = [{ type: "ssh", host: "db.example.com", port: 22 }];
  const publicKey = publicPartOf(own);
  // The fingerprint of a lying service. The header must name the key that was really used.
  const fingerprint = agentsFingerprint(publicPartOf(other));
  const recipient = { agentId: "agt_1", name: "web-1", publicKey, fingerprint, version: 3, target };
  expect(await fingerprintOf(recipient)).toBe(agentsFingerprint(publicKey));
  const { jwe, ...rest } = await sealTo(recipient, "con_1", { password: "s3cret" });
  expect(rest).toEqual({ agentId: "agt_1", version: 3 });
  expect(decodeProtectedHeader(jwe).kid).toBe(agentsFingerprint(publicKey));
  const plaintext = { agentId: "agt_1", connectionId: "con_1", version: 3, target, secrets: { password: "s3cret" } };
  expect(await openSealed(jwe, own)).toEqual({ ok: true, plaintext });
  expect(await openSealed(jwe, other)).toMatchObject({ ok: false, error: { code: "credential_unreadable" } });
});

describe("an agent's fingerprint", () => {
  const browserOf = (kept: Record<string, string> = {}) => ({
    getItem: (key: string) => kept[key] ?? null,
    setItem: (key: string, value: string) => void (kept[key] = value),
  });
  const agent = (computed: string, fingerprint = computed, agentId = "a") => ({ agentId, computed, fingerprint });
  const unknown = { isForged: false, isCompared: false, former: null };

  test("is new, then compared, and changed when it differs", () => {
    const store = browserOf();
    expect(keyStateOf(agent("one"), readCompared(store))).toEqual(unknown);
    const compared = rememberCompared({}, [agent("one")], store);
    expect(readCompared(store)).toEqual(compared);
    expect(keyStateOf(agent("one"), compared)).toEqual({ ...unknown, isCompared: true });
    expect(keyStateOf(agent("two"), compared)).toEqual({ ...unknown, former: "one" });
    expect(keyStateOf(agent("one", "one", "b"), compared)).toEqual(unknown);
  });

  test("that one person compared is new for another person who uses the same browser", () => {
    const browser = browserOf();
    rememberCompared({}, [agent("one")], storeOf("user:a", browser));
    expect(keyStateOf(agent("one"), readCompared(storeOf("user:a", browser))).isCompared).toBe(true);
    expect(keyStateOf(agent("one"), readCompared(storeOf("user:b", browser)))).toEqual(unknown);
  });

  test("is forged when the service's fingerprint does not match the key, and then never compared", () => {
    expect(keyStateOf(agent("one", "two"), { a: "one" })).toMatchObject({ isForged: true, isCompared: false });
  });

  test("is new when the browser's storage is unreadable, and known until the dialog closes when it is full", () => {
    for (const kept of ["{", "null", '["one"]', '{"a":1}']) {
      expect(keyStateOf(agent("one"), readCompared({ getItem: () => kept, setItem: () => {} }))).toEqual(unknown);
    }
    const full = {
      getItem: () => null,
      setItem: () => {
        throw new Error("QuotaExceededError");
      },
    };
    expect(keyStateOf(agent("one"), rememberCompared({}, [agent("one")], full)).isCompared).toBe(true);
  });
});

test("a refused delivery is explained with the agents' names, not with positions in the request", () => {
  const refused = (status: number, ...paths: string[]) =>
    new ApiProblem({
      status,
      code: "x",
      detail: "see errors",
      errors: paths.map((path) => ({ path, message: "is sealed" })),
    });
  const messageOf = (error: unknown) => String(asDeliveryError(error, ["web-1", "web-2"]));
  expect(messageOf(refused(400, "sealed.1.jwe"))).toContain("The key of web-2 has changed");
  expect(messageOf(refused(400, "sealed.0.jwe", "sealed.1.agentId"))).toContain("web-1, web-2");
  expect(messageOf(refused(409))).toContain("perhaps by your own earlier attempt");
  for (const other of [refused(400, "sealed.7.jwe"), refused(400, "sealed.0.jwe", "x"), refused(503), "x"]) {
    expect(asDeliveryError(other, ["web-1"])).toBe(other);
  }
});

test("a large credential for many agents is sent in several requests below the limit", () => {
  const sealed = Array.from({ length: 7 }, (_, index) => ({ agentId: `a${index}`, jwe: "x".repeat(1_400_000) }));
  expect(sealedRequests(sealed).map((part) => part.length)).toEqual([2, 2, 2, 1]);
  const many = Array.from({ length: 2_001 }, (_, index) => ({ agentId: `a${index}`, jwe: "x" }));
  expect(sealedRequests(many).map((part) => part.length)).toEqual([1_000, 1_000, 1]);
  expect(sealedRequests([])).toEqual([]);
});

describe("a credential's target", () => {
  const HERE = [{ type: "ssh", host: "web-1" }];
  const THERE = [{ host: "evil.example", type: "ssh" }];
  const kept: Record<string, string> = {};
  const store = {
    getItem: (key: string) => kept[key] ?? null,
    setItem: (key: string, value: string) => void (kept[key] = value),
  };
  rememberTarget("con_1", HERE, store);

  test.each<[string, string, CredentialTarget, CredentialTarget | undefined, boolean, CredentialTarget | null]>([
    ["without an earlier delivery is not confirmed", "con_2", HERE, undefined, false, null],
    ["is confirmed by an earlier delivery", "con_1", [{ host: "web-1", type: "ssh" }], undefined, true, null],
    ["that was edited since an earlier delivery is not confirmed", "con_1", THERE, undefined, false, HERE],
    ["is confirmed by a tick", "con_1", THERE, THERE, true, null],
    ["that was edited after the tick is not confirmed", "con_1", HERE, THERE, false, THERE],
  ])("%s", (_case, id, target, decided, isConfirmed, former) => {
    expect(targetStateOf(id, target, decided, store)).toEqual({ isConfirmed, former });
  });

  test("is not confirmed when the browser's storage is unreadable", () => {
    for (const text of ["{", "null", '{"con_1":"x"}', '["con_1"]']) {
      expect(targetStateOf("con_1", HERE, undefined, { ...store, getItem: () => text }).isConfirmed).toBe(false);
    }
  });
});

test.each<[string, JsonObject, { status: CredentialStatus; version: number }, string[]]>([
  [
    "to another host and port",
    { host: "evil.example", port: 2_222 },
    { status: "delivered", version: 1 },
    ["host", "port"],
  ],
  ["to the same host in another spelling", { host: "WEB-1" }, { status: "delivered", version: 1 }, []],
  ["while no agent has a credential", { host: "evil.example" }, { status: "pending", version: 0 }, []],
  ["that is invalid", { host: "no host" }, { status: "delivered", version: 1 }, []],
])("an edit %s makes the credential unusable by these fields", (_case, changes, credential, expected) => {
  const config = { host: "web-1", port: 22, username: "deploy", authMethod: "password" };
  const credentials = [{ agentId: "a", error: null, updatedAt: null, ...credential }];
  const values = { config: { ...config, ...changes } as FormValues["config"] };
  expect(targetEditOf({ type: "ssh", config, usableBy: null, credentials }, values).takenBy).toEqual(expected);
});

describe("an edit of a connection whose credential is for another target", () => {
  const config = { host: "web-2", port: 22, username: "deploy", authMethod: "password" };
  const former = [{ type: "ssh", ...config, host: "web-1" }];
  const held = { agentId: "a", status: "pending" as const, version: 1, error: "…", updatedAt: null };
  const editTo = (host: string, targets: (typeof former | null | undefined)[]) => {
    const credentials = targets.map((target) => (target === undefined ? held : { ...held, target }));
    return targetEditOf({ type: "ssh", config, usableBy: null, credentials }, { config: { ...config, host } });
  };

  test.each<[string, Parameters<typeof editTo>, ReturnType<typeof targetEditOf>]>([
    ["back to that target makes the credential usable again", ["WEB-1", [former]], { takenBy: [], isGivenBack: true }],
    ["to a third target changes nothing", ["web-3", [former]], { takenBy: [], isGivenBack: false }],
    ["changes nothing when the target is unknown", ["web-3", [null]], { takenBy: [], isGivenBack: false }],
    [
      "makes the credential of another agent unusable",
      ["web-1", [former, undefined]],
      { takenBy: ["host"], isGivenBack: true },
    ],
    ["without a changed field has no effect", ["web-2", [former]], { takenBy: [], isGivenBack: false }],
  ])("%s", (_what, args, expected) => {
    expect(editTo(...args)).toEqual(expected);
  });
});

test("a credential that needs another delivery is not shown as waiting for its agent", () => {
  const error = "The connection's host changed after this credential was delivered: deliver it again.";
  expect(nextStep({ agentId: "a", status: "pending", version: 1, error, updatedAt: null })).toBe("");
});

test("every status of a credential has a next step", () => {
  const steps = (["pending", "failed", "expired", "delivered"] as const).flatMap((status) =>
    [0, 1].map((version) => nextStep({ agentId: "a", status, version, error: null, updatedAt: null })),
  );
  expect(steps).not.toContain("");
});

test.each<[CredentialStatus, number, string | null, string]>([
  ["pending", 0, "No key yet.", "Has no credential"],
  ["pending", 2, null, "Version 2 waits for it"],
  ["pending", 2, "The host changed.", "Has version 2, which it cannot use"],
  ["delivered", 0, null, "Has a credential that was set on its machine"],
  ["delivered", 2, null, "Has version 2"],
  ["failed", 2, "Not a key.", "Refused version 2"],
  ["expired", 2, null, "Did not fetch version 2 in time"],
])("before a delivery, an agent with a %s credential of version %d (%p): %s", (status, version, error, expected) => {
  expect(heldLabel({ agentId: "a", status, version, error, updatedAt: null })).toBe(expected);
});

test.each<[string, ConnectionType, JsonObject, CredentialStatus | null, number, boolean]>([
  ["of a type with an optional credential, which no agent has now,", "kubernetes", {}, "pending", 0, true],
  ["of a connection that no longer logs in", "http", NO_LOGIN, "pending", 0, true],
  ["that is not needed", "kubernetes", {}, null, 0, false],
  ["that an agent has", "kubernetes", {}, "delivered", 1, false],
  ["that the connection needs", "http", { ...NO_LOGIN, authType: "basic" }, "pending", 0, false],
])(
  "a credential %s is only remembered, so withdrawing it ends the wait: %#",
  (_what, type, config, credentialStatus, version, expected) => {
    const status = credentialStatus ?? "pending";
    const credentials = [{ agentId: "a", status, version, error: null, updatedAt: null }];
    expect(isOnlyRemembered({ type, config, credentialStatus, credentials })).toBe(expected);
  },
);
