import { describe, expect, test } from "bun:test";
import { applies, meaningful } from "../../console/views/connections/form/applies.ts";
import { configFields, followUp, startOf } from "../../console/views/connections/form/config-fields.ts";
import { asSentence, checkForm, rowErrors } from "../../console/views/connections/form/check-form.ts";
import { labelsOf } from "../../console/views/connections/form/field-labels.ts";
import {
  changesOf,
  namedValue,
  startValues,
  toConfig,
  valuesOf,
} from "../../console/views/connections/form/form-values.ts";
import type { FormValues } from "../../console/views/connections/form/form-values.ts";
import { whatDiffers } from "../../console/views/connections/form/what-differs.ts";
import { secretForms } from "../../console/views/connections/credential/secret-fields.ts";
import { CONNECTION_CONFIGS, CONNECTION_TYPES, descriptorOf } from "../../schema/contract/connection.ts";
import type { ConnectionType } from "../../schema/contract/connection.ts";
import type { JsonObject } from "../../schema/contract/json.ts";
import type { ConnectionView } from "../../schema/contract/management.ts";
import { namesOf } from "../support/schema-names.ts";

const exampleOf = (type: ConnectionType): JsonObject => descriptorOf(type).example.config;

const view = (type: ConnectionType, config: JsonObject, changes: Partial<ConnectionView> = {}): ConnectionView => ({
  id: "con_1",
  name: "a connection",
  type,
  config,
  agentId: null,
  poolId: "web",
  usableBy: null,
  enabled: true,
  credentialStatus: null,
  credentials: [],
  revision: 1,
  createdAt: "2026-01-01T00:00:00.000Z",
  updatedAt: "2026-01-01T00:00:00.000Z",
  ...changes,
});
const filled = (type: ConnectionType, config: FormValues["config"]): FormValues => {
  const start = startValues(type);
  return { ...start, name: "a name", runsOn: "pool", poolId: "web", config: { ...start.config, ...config } };
};
const pathsOf = (type: ConnectionType, values: FormValues) => checkForm(type, values).map(({ path }) => path);

describe("the form of a connection to several hosts", () => {
  const KEY = `SHA256:${"a".repeat(43)}`;
  const SEVERAL = { targets: ["web-1", "web-*.example.org"], port: 22, username: "ada", authMethod: "password" };

  test("sends one text for each line, and the host only for a connection to one", () => {
    const targets = " web-1 \n\nweb-*.example.org\n";
    const values = filled("ssh", { host: "a", username: "ada", authMethod: "password", targets });
    expect(toConfig("ssh", values.config)).toEqual(SEVERAL);
    expect(checkForm("ssh", values)).toEqual([]);
    const { targets: _targets, ...one } = values.config;
    expect(toConfig("ssh", one)).toEqual({ host: "a", port: 22, username: "ada", authMethod: "password" });
  });

  test("shows a stored list as lines, and sends it back unchanged", () => {
    const config = { ...SEVERAL, hostKeys: [`web-1 ${KEY}`] };
    const values = valuesOf(view("ssh", config));
    expect(values.config["targets"]).toBe("web-1\nweb-*.example.org");
    expect(toConfig("ssh", values.config)).toEqual(config);
    expect(valuesOf(view("ssh", { host: "a" })).config).not.toHaveProperty("targets");
  });

  test("requires the host or the list, whichever is chosen", () => {
    expect(pathsOf("ssh", filled("ssh", { username: "ada" }))).toEqual(["config.host"]);
    expect(pathsOf("ssh", filled("ssh", { username: "ada", targets: "\n" }))).toEqual(["config.targets"]);
    expect(pathsOf("ssh", filled("ssh", { username: "ada", targets: "web-1\n*" }))).toEqual(["config.targets.1"]);
  });
});

describe.each([...CONNECTION_TYPES])("the form of type %s", (type) => {
  const fields = configFields(type);

  test("has exactly the fields of the contract, each with a label", () => {
    expect(fields.map(({ name }) => name).sort()).toEqual(namesOf(CONNECTION_CONFIGS[type]).sort());
    for (const { name, options } of fields) {
      expect(labelsOf(type, name).label).not.toBe(name);
      // A choice with labels has a label for every value.
      const { choices } = labelsOf(type, name);
      if (choices !== undefined) expect(Object.keys(choices).sort()).toEqual([...options].sort());
    }
  });

  test("shows each field in some configuration, or the field is delivered as a secret", () => {
    const configs = fields.flatMap((field) =>
      field.options.map((option) => ({ ...exampleOf(type), [field.name]: option })),
    );
    const ofSeveral = fields.filter(({ name }) => labelsOf(type, name).inPlaceOf !== undefined);
    configs.push(...ofSeveral.map(({ name }) => ({ ...exampleOf(type), [name]: [] })));
    const hidden = fields.filter(
      ({ name }) => ![exampleOf(type), ...configs].some((config) => applies(type, name, config)),
    );
    expect(hidden).toEqual([]);
    const delivered = new Set(secretForms(type).flatMap((form) => form.fields.map(({ name }) => name)));
    expect(fields.filter(({ kind, name }) => kind === "sealed" && !delivered.has(name))).toEqual([]);
  });

  test("sends an unchanged configuration back unchanged", () => {
    const values = valuesOf(view(type, exampleOf(type)));
    expect(toConfig(type, values.config)).toEqual(exampleOf(type));
    expect(checkForm(type, values)).toEqual([]);
    expect(changesOf(type, values, valuesOf(view(type, exampleOf(type))))).toEqual({});
  });

  test("starts with the contract's defaults", () => {
    for (const field of fields.filter(({ preset }) => preset !== null))
      expect<unknown>(startOf(type, field)).toBe(field.preset);
  });

  test("names every required field when it is empty", () => {
    const insteadOf = fields.flatMap(({ name }) => labelsOf(type, name).inPlaceOf ?? []);
    const shown = fields.filter(({ name }) => labelsOf(type, name).inPlaceOf === undefined);
    const empty = { ...startValues(type), config: Object.fromEntries(shown.map(({ name }) => [name, ""])) };
    const missing = new Set(pathsOf(type, empty));
    const required = fields.filter((field) => field.required).map(({ name }) => `config.${name}`);
    expect([...missing].sort()).toEqual(
      [
        "name",
        ...required,
        ...insteadOf.map((name) => `config.${name}`),
        ...(type === "database" ? ["config.host"] : []),
        ...(type === "notification" ? [] : ["agentId"]),
      ].sort(),
    );
  });
});

describe("fields that depend on others", () => {
  test.each([
    ["http", { baseUrl: "https://a.example", authType: "bearer", apiKeyHeader: "X-Key" }, "apiKeyHeader"],
    ["database", { driver: "sqlite", database: "/a.db", host: "left over" }, "host"],
    ["database", { driver: "sqlite", database: "/a.db", port: 1 }, "port"],
    ["database", { driver: "sqlite", database: "/a.db", tls: "off" }, "tls"],
  ] as const)("a %s connection with %j neither shows nor sends %p", (type, config, field) => {
    const others = Object.entries(config).filter(([name]) => name !== field);
    expect(meaningful(type, config)).toEqual(others);
    const values = filled(type, config);
    expect(toConfig(type, values.config)).not.toHaveProperty(field);
    expect(checkForm(type, values)).toEqual([]);
  });

  test("WinRM's port follows HTTPS while it is a default port", () => {
    expect(followUp("winrm", "useSsl", false, { port: 5986 })).toEqual({ port: 5985 });
    expect(followUp("winrm", "useSsl", true, { port: 5985 })).toEqual({ port: 5986 });
    expect(followUp("winrm", "useSsl", true, { port: 8443 })).toEqual({});
  });
});

describe("invalid input of a connection's form", () => {
  test.each<[ConnectionType, FormValues["config"], string, string]>([
    ["ssh", { host: "a host" }, "config.host", "must be a host name or an IP address"],
    ["ssh", { host: "web-1", port: 70_000 }, "config.port", "must be at most 65535"],
    ["ssh", { host: "web-1", hostKeyFingerprint: "md5" }, "config.hostKeyFingerprint", "ssh-keygen -lf"],
    ["http", { baseUrl: "ftp://a.example" }, "config.baseUrl", "http:// or https://"],
    ["http", { baseUrl: "https://me:secret@a.example" }, "config.baseUrl", "user or password"],
    ["chat", { defaultChannel: "#ops" }, "config.defaultChannel", "starts with C"],
    ["database", { database: "orders" }, "config.host", "is required"],
    ["custom", { fields: [namedValue("API_KEY", "x")] }, "config.fields.API_KEY", "looks like a secret"],
    ["custom", { fields: [namedValue("LD_PRELOAD", "x")] }, "config.fields.LD_PRELOAD", "finds or starts programs"],
  ])("of type %s with %j shows an error at %s", (type, config, path, text) => {
    const error = checkForm(type, filled(type, config)).find((one) => one.path === path);
    expect(error?.message).toContain(text);
  });

  test("a connection on an agent or a pool must name one", () => {
    expect(pathsOf("script", { ...startValues("script"), name: "x" })).toEqual(["agentId"]);
    expect(pathsOf("script", { ...startValues("script"), name: "x", runsOn: "pool" })).toEqual(["poolId"]);
    expect(pathsOf("script", { ...startValues("script"), name: "x", runsOn: "pool", poolId: "a b" })).toEqual([
      "poolId",
    ]);
    expect(pathsOf("script", { ...startValues("script"), name: "x", runsOn: "none" })).toEqual([]);
  });

  test("free fields are checked row by row", () => {
    const rows = [
      namedValue("A", "1"),
      namedValue("A", "2"),
      namedValue("", "3"),
      { ...namedValue("J"), isJson: true, value: "{" },
    ];
    const errors = rowErrors([...rows, namedValue()], []);
    expect(rows.map(({ key }) => errors[key])).toEqual([
      "A is used twice.",
      "A is used twice.",
      "It needs a name.",
      "J is not JSON: fix it, or change its kind to text.",
    ]);
    expect(Object.keys(errors)).toHaveLength(4);
    expect(checkForm("custom", filled("custom", { fields: rows }))).not.toEqual([]);
    const reported = [{ path: "config.fields.B.token", message: "looks like a secret" }];
    const inner = namedValue("B", { token: 1 });
    expect(rowErrors([inner], reported)[inner.key]).toBe("B looks like a secret.");
  });

  test("a free field's name may contain a word for a secret, but not end with it", () => {
    const rows = [namedValue("tokenUrl", "x"), namedValue("secretName", "x")];
    expect(
      pathsOf("custom", { ...startValues("custom"), name: "x", runsOn: "none", config: { fields: rows } }),
    ).toEqual([]);
  });

  test("an error is a sentence with the field's label", () => {
    expect(asSentence("Host", "is required")).toBe("Host is required.");
  });
});

describe("an edit of a connection", () => {
  const before = valuesOf(view("ssh", exampleOf("ssh")));

  test("sends only the changed fields", () => {
    expect(changesOf("ssh", before, { ...before, name: "another" })).toEqual({ name: "another" });
    expect(changesOf("ssh", before, { ...before, runsOn: "agent", agentId: "agt_1" })).toEqual({
      agentId: "agt_1",
      poolId: null,
    });
    const moved = { ...before, config: { ...before.config, host: "web-2" } };
    expect(changesOf("ssh", before, moved)).toEqual({ config: { ...exampleOf("ssh"), host: "web-2" } });
  });

  test("lists the changes that another person made meanwhile", () => {
    const ours = view("ssh", exampleOf("ssh"));
    expect(
      whatDiffers(ours, view("ssh", { ...exampleOf("ssh"), host: "web-2" }, { enabled: false, poolId: "db" })),
    ).toEqual(["Host: web-2.", "It now runs on another agent or pool.", "It was disabled."]);
  });
});
