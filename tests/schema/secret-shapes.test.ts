import { expect, test } from "bun:test";
import type { ConnectionType } from "../../schema/contract/connection.ts";
import type { JsonObject } from "../../schema/contract/json.ts";
import type { Secrets } from "../../schema/contract/credential.ts";
import { problemWithSecrets, problemWithSecretsFor } from "../../schema/contract/secret-shapes.ts";

const SSH = "a connection of type ssh takes password, or privateKey and passphrase (optional), and nothing else";
const LOGIN = "a connection of type database takes username and password, and nothing else";

test.each<[ConnectionType, Secrets, string | null]>([
  ["ssh", { password: "canary-1" }, null],
  ["ssh", { tokn: "canary-1" }, `${SSH}; not known: "tokn"`],
  ["ssh", { passphrase: "canary-1" }, `${SSH}; missing: privateKey`],
  ["ssh", { password: "canary-1", privateKey: "canary-2" }, SSH],
  ["database", { username: "canary-1" }, `${LOGIN}; missing: password`],
  ["database", { username: "canary-1", pass: "canary-2" }, `${LOGIN}; missing: password; not known: "pass"`],
  [
    "database",
    { username: "canary-1", password: "" },
    "a value is empty or too long: secrets have 1 to 65536 characters",
  ],
  ["email", { password: "canary-1" }, null],
  ["script", { token: "canary-1" }, "a connection of type script has no credential"],
  ["custom", { anything: "canary-1" }, null],
])("%s with %j: %s", (type, secrets, problem) => {
  expect(problemWithSecrets(type, secrets, { showNames: true })).toBe(problem);
});

const KEY = `-----BEGIN OPENSSH PRIVATE KEY-----\ncanary\n-----END OPENSSH PRIVATE KEY-----\n`;

test.each<[string, Secrets, JsonObject, string | null]>([
  [
    "ssh",
    { password: "canary-1" },
    { authMethod: "privateKey" },
    "a connection of type ssh with authMethod privateKey takes privateKey and passphrase (optional), and nothing else; missing: privateKey; not used by it: password",
  ],
  [
    "ssh",
    { privateKey: KEY },
    { authMethod: "password" },
    "a connection of type ssh with authMethod password takes password, and nothing else; missing: password; not used by it: privateKey",
  ],
  ["ssh", { privateKey: KEY }, { authMethod: "privateKey" }, null],
  ["ssh", { privateKey: KEY }, { authMethod: "certificate" }, null],
  [
    "http",
    { apiKey: "canary-1" },
    { authType: "bearer" },
    "a connection of type http with authType bearer takes token, and nothing else; missing: token; not used by it: apiKey",
  ],
  [
    "http",
    { tokn: "canary-1" },
    { authType: "basic" },
    "a connection of type http with authType basic takes username and password, and nothing else; missing: username, password",
  ],
  [
    "http",
    { token: "canary-1" },
    { authType: "none" },
    "a connection of type http with authType none has no credential",
  ],
  ["http", { apiKey: "canary-1" }, { authType: "apiKey" }, null],
  [
    "database",
    { username: "canary-1", password: "canary-2" },
    { driver: "sqlite" },
    "a connection of type database with driver sqlite has no credential",
  ],
  ["database", { username: "canary-1", password: "canary-2" }, { driver: "mysql" }, null],
  ["kubernetes", { token: "canary-1" }, {}, null],
  ["custom", { anything: "canary-1" }, { fields: {} }, null],
])("a target of type %s, and %j for %j: %s", (type, secrets, fields, problem) => {
  expect(problemWithSecretsFor([{ type, ...fields }], secrets)).toBe(problem);
});

test("an unknown name may be a misplaced secret: it is shown only if the message stays with its owner", () => {
  const problem = problemWithSecrets("ssh", { "canary-1": "password" });
  expect(problem).toBe(SSH);
});
