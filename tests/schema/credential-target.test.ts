import { describe, expect, test } from "bun:test";
import { CONNECTION_CONFIGS, CONNECTION_TYPES, connectionTargetSchema } from "../../schema/contract/connection.ts";
import type { ConnectionType } from "../../schema/contract/connection.ts";
import {
  canonicalTarget,
  coversTarget,
  targetOf,
  writtenTargetSchema,
} from "../../schema/contract/credential-target.ts";
import type { JsonObject } from "../../schema/contract/json.ts";
import { sealedWorkflows } from "../../schema/contract/usable-by.ts";
import { casesOf, editedBy } from "../support/connection-cases.ts";
import { DATABASE } from "../support/connection-types/database.ts";
import { HTTP } from "../support/connection-types/http.ts";
import { FINGERPRINT, SSH } from "../support/connection-types/ssh.ts";

const target = (type: ConnectionType, config: JsonObject) => targetOf(connectionTargetSchema.parse({ type, config }));
const canonical = (type: ConnectionType, config: JsonObject) => canonicalTarget(target(type, config));

describe.each(CONNECTION_TYPES.map((type) => [type] as const))("the target of a connection of type %s", (type) => {
  const { config, entry, changes, keeps, otherTargets = [] } = casesOf(type);

  test("has one entry with the type and the fields that decide where the secret goes", () => {
    expect(target(type, config)).toEqual(entry === null ? [] : [entry]);
  });

  test("changes with such a field, and no credential for the former target covers it", () => {
    for (const before of [{ config, changes }, ...otherTargets]) {
      for (const change of before.changes) {
        const edited = target(type, editedBy(before.config, change));
        expect([change, coversTarget(target(type, before.config), edited)]).toEqual([change, false]);
        expect(canonicalTarget(edited)).not.toBe(canonical(type, before.config));
      }
    }
  });

  test("stays the same in another spelling, and after an edit of any other field", () => {
    for (const change of keeps) {
      expect([change, canonical(type, editedBy(config, change))]).toEqual([change, canonical(type, config)]);
    }
  });

  test("is tested with every field of its configuration", () => {
    const edited = new Set([...changes, ...keeps].flatMap((change) => Object.keys(change)));
    expect([...edited].sort()).toEqual(Object.keys(CONNECTION_CONFIGS[type].shape).sort());
  });
});

describe("the canonical form of a target", () => {
  const same: [ConnectionType, JsonObject, JsonObject][] = [
    ["ssh", { ...SSH, host: "::1" }, { ...SSH, host: "[::1]" }],
    ["ssh", { ...SSH, hostKeyFingerprint: FINGERPRINT }, { ...SSH, hostKeyFingerprint: `${FINGERPRINT}=` }],
    [
      "http",
      { ...HTTP, authType: "apiKey", apiKeyHeader: "X-Key" },
      { ...HTTP, authType: "apiKey", apiKeyHeader: "x-key" },
    ],
    ["database", { ...DATABASE, driver: "mysql" }, { ...DATABASE, driver: "mysql", port: 3306 }],
    ["database", { ...DATABASE, driver: "sqlserver" }, { ...DATABASE, driver: "sqlserver", port: 1433 }],
    // SQLite opens a file: the connection has no host.
    ["database", { driver: "sqlite", database: "/a.db" }, { driver: "sqlite", database: "/a.db", host: "x", port: 1 }],
  ];
  test.each(same)("of type %s is the same for %j and %j", (type, one, other) => {
    expect(canonical(type, one)).toBe(canonical(type, other));
  });

  test("of an API key includes the header that carries it", () => {
    const named = (apiKeyHeader: string) => target("http", { ...HTTP, authType: "apiKey", apiKeyHeader });
    expect(coversTarget(named("X-Key"), named("X-Other"))).toBe(false);
  });

  test("has its fields in one order, also inside fields", () => {
    expect(canonicalTarget([{ type: "custom", fields: { b: { d: 1, c: [2, null] }, a: true } }])).toBe(
      '[{"fields":{"a":true,"b":{"c":[2,null],"d":1}},"type":"custom"}]',
    );
  });
});

describe("a credential that is bound to several targets", () => {
  const [one, other, third] = [
    target("ssh", SSH),
    target("winrm", casesOf("winrm").config),
    target("email", casesOf("email").config),
  ];
  test("covers each of them and all together, and no other", () => {
    const bound = [...one, ...other];
    for (const wanted of [one, other, bound]) expect(coversTarget(bound, wanted)).toBe(true);
    for (const wanted of [third, [...one, ...third]]) expect(coversTarget(bound, wanted)).toBe(false);
  });

  test("covers no empty target", () => {
    expect(coversTarget(one, [])).toBe(false);
    expect(coversTarget([], [])).toBe(false);
  });
});

describe("a target as a person writes it", () => {
  test("is read in the form in which it is shown, for every type", () => {
    for (const type of CONNECTION_TYPES.filter((type) => casesOf(type).entry !== null)) {
      const shown = target(type, casesOf(type).config);
      expect(writtenTargetSchema.parse(shown)).toEqual(shown);
    }
  });

  test("may omit defaults and use another spelling", () => {
    expect(writtenTargetSchema.parse([{ type: "ssh", ...SSH, host: "A.example.com" }])).toEqual(target("ssh", SSH));
    expect(writtenTargetSchema.parse([{ type: "http", baseUrl: `${HTTP.baseUrl}/`, authType: "bearer" }])).toEqual(
      target("http", HTTP),
    );
  });

  const refused: [string, unknown, string][] = [
    ["not a list", { type: "ssh" }, ""],
    ["an empty list", [], ""],
    ["an unknown type", [{ type: "telnet" }], "0.type"],
    ["a type that has no credential", [{ type: "script" }], "0.type"],
    ["a missing field", [{ type: "ssh", host: "a", authMethod: "password" }], "0.username"],
    ["an unknown field", [{ type: "chat", channel: "C1" }], "0"],
  ];
  test.each(refused)("is refused with its path: %s", (_what, written, path) => {
    const { issues } = writtenTargetSchema.safeParse(written).error ?? { issues: [] };
    expect(issues.map((issue) => issue.path.join("."))).toEqual([path]);
  });
});

describe("a target for certain workflows", () => {
  const listed = (workflows: string[] | null) =>
    targetOf(connectionTargetSchema.parse({ type: "ssh", config: SSH }), workflows);

  test("lists each workflow once, in order, and differs from a target with other workflows or with all", () => {
    expect(listed(["wf_2", "wf_1", "wf_2"])[0]).toMatchObject({ type: "ssh", workflows: ["wf_1", "wf_2"] });
    expect(listed(null)[0]).not.toHaveProperty("workflows");
    const targets = [null, [], ["wf_1"], ["wf_1", "wf_2"]].map(listed);
    for (const one of targets) {
      expect(targets.map((other) => coversTarget(one, other))).toEqual(targets.map((other) => other === one));
    }
  });

  test("is read in its own form, and an invalid list is refused", () => {
    const [entry = {}] = listed(["wf_1"]);
    expect(writtenTargetSchema.parse([{ ...entry, workflows: ["wf_1", "wf_1"] }])).toEqual([entry]);
    for (const workflows of ["wf_1", [1], null]) {
      const { error } = writtenTargetSchema.safeParse([{ ...entry, workflows }]);
      expect(error?.issues.map(({ path }) => path)).toEqual([[0, "workflows"]]);
    }
  });

  test("names workflows only if people and roles are not named", () => {
    expect(sealedWorkflows(null)).toBeNull();
    expect(sealedWorkflows({ people: [], roles: [], workflows: ["wf_1"] })).toEqual(["wf_1"]);
    expect(sealedWorkflows({ people: [], roles: [], workflows: [] })).toEqual([]);
    expect(sealedWorkflows({ people: ["usr_1"], roles: [], workflows: ["wf_1"] })).toBeNull();
    expect(sealedWorkflows({ people: [], roles: ["admin"], workflows: ["wf_1"] })).toBeNull();
  });
});
