import { expect, test } from "bun:test";
import type { ConnectionType } from "../../schema/contract/connection.ts";
import type { Secrets } from "../../schema/contract/credential.ts";
import { problemWithSecrets } from "../../schema/contract/secret-shapes.ts";

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

test("a name that is not known may be a misplaced secret: it is shown only where the text stays with its owner", () => {
  const problem = problemWithSecrets("ssh", { "canary-1": "password" });
  expect(problem).toBe(SSH);
});
