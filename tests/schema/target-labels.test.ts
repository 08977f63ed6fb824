import { describe, expect, test } from "bun:test";
import { connectionTargetSchema } from "../../schema/contract/connection.ts";
import { targetOf } from "../../schema/contract/credential-target.ts";
import type { CredentialTarget } from "../../schema/contract/credential-target.ts";
import type { JsonObject } from "../../schema/contract/json.ts";
import { changedTargetFields, targetFieldLabel, targetLines } from "../../schema/contract/target-labels.ts";

const target = (type: string, config: JsonObject): CredentialTarget =>
  targetOf(connectionTargetSchema.parse({ type, config }));
const lines = (of: CredentialTarget) => targetLines(of).map(({ label, value }) => `${label}: ${value}`);

test.each<[string, JsonObject, string[]]>([
  [
    "ssh",
    { host: "Web-1.internal", username: "deploy", authMethod: "privateKey" },
    [
      "Type: ssh",
      "Host: web-1.internal",
      "Port: 22",
      "User name: deploy",
      "Authentication: private key",
      "Host key: not given: the agent pins the first key it sees",
    ],
  ],
  [
    "ssh",
    {
      targets: ["web-*.example.org", "db-1"],
      username: "deploy",
      authMethod: "password",
      hostKeys: [`db-1 SHA256:${"a".repeat(43)}`, `web-1.example.org SHA256:${"b".repeat(43)}`],
    },
    [
      "Type: ssh",
      "Hosts: db-1\nweb-*.example.org",
      "Port: 22",
      "User name: deploy",
      "Authentication: password",
      `Host keys: db-1:22 SHA256:${"a".repeat(43)}\nweb-1.example.org:22 SHA256:${"b".repeat(43)}`,
    ],
  ],
  [
    "ssh",
    { targets: ["db-1"], username: "deploy", authMethod: "password" },
    [
      "Type: ssh",
      "Hosts: db-1",
      "Port: 22",
      "User name: deploy",
      "Authentication: password",
      "Host keys: none: the agent signs in to no host",
    ],
  ],
  [
    "http",
    { baseUrl: "https://api.example.com/v2/", authType: "bearer", verifySsl: false },
    [
      "Type: http",
      "Address: https://api.example.com/v2",
      "Authentication: bearer token",
      "TLS verification: OFF: the server's identity is not checked",
    ],
  ],
  [
    "database",
    { driver: "postgres", host: "db-1", database: "app", tls: "require" },
    [
      "Type: database",
      "Kind of database: PostgreSQL",
      "Host: db-1",
      "Port: 5432",
      "Database: app",
      "Encryption: on, certificate NOT verified",
    ],
  ],
  [
    "kubernetes",
    {},
    ["Type: kubernetes", "Used for: the cluster that the kubeconfig names", "Context: the kubeconfig's current one"],
  ],
  ["chat", { defaultChannel: "C024BE91L" }, ["Type: chat", "Used for: Slack, or the agent's setting SLACK_API_URL"]],
  ["custom", { fields: { zone: "eu", port: 1 } }, ["Type: custom", "Field zone: eu", "Field port: 1"]],
])("the target of type %s is shown field by field", (type, config, expected) => {
  expect(lines(target(type, config))).toEqual(expected);
});

test("a value cannot forge a line, move the cursor or reverse the text", () => {
  const username = "deploy\nHost: trusted\u001b[2K\u009b1A\u202e\u2028";
  const shown = lines(target("ssh", { host: "evil.example", username, authMethod: "password" }));
  expect(shown).toContain(String.raw`User name: deploy\u{a}Host: trusted\u{1b}[2K\u{9b}1A\u{202e}\u{2028}`);
});

test("names of Object.prototype are no labels of a target", () => {
  expect(lines([{ type: "constructor", constructor: "toString" }])).toEqual(
    ["Type: constructor", "constructor: toString"].map((line) => line.replace(/^c/u, "C")),
  );
});

describe("two targets", () => {
  const custom = (fields: JsonObject) => target("custom", { fields });

  test("differ in the fields that were changed, added or removed", () => {
    expect(changedTargetFields(custom({ a: 1, b: 2, c: 3 }), custom({ a: 1, b: 4, d: 5 }))).toEqual([
      "fields.b",
      "fields.c",
      "fields.d",
    ]);
  });

  test("do not differ by the order of keys inside a field", () => {
    expect(changedTargetFields(custom({ a: { x: 1, y: 2 } }), custom({ a: { y: 2, x: 1 } }))).toEqual([]);
  });

  test("have a sentence of their different fields", () => {
    expect(
      ["", "host", "host port", "host port verifySsl"].map((names) =>
        targetFieldLabel(names.split(" ").filter(Boolean)),
      ),
    ).toEqual(["target", "host", "host and port", "host, port and TLS verification"]);
  });
});
