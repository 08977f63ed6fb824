import { describe, expect, test } from "bun:test";
import { createIntegrationSchema } from "../../schema/contract/integration.ts";
import { createAgentSchema, createConnectionSchema, workflowInputSchema } from "../../schema/contract/management.ts";
import { createTokenSchema, createUserSchema } from "../../schema/contract/people.ts";

const DEFINITION = { nodes: [], edges: [] };
const schemas = {
  agent: (name: string) => createAgentSchema.safeParse({ name }),
  connection: (name: string) => createConnectionSchema.safeParse({ name, type: "script" }),
  workflow: (name: string) =>
    workflowInputSchema.safeParse({ name, trigger: { type: "manual" }, definition: DEFINITION }),
  integration: (name: string) => createIntegrationSchema.safeParse({ name, kind: "alertmanager" }),
  token: (name: string) => createTokenSchema.safeParse({ name, permissions: ["automation:read"] }),
  user: (name: string) => createUserSchema.safeParse({ name, email: "a@example.com", role: "viewer" }),
};

describe.each(Object.entries(schemas))("the name of a %s", (_kind, parse) => {
  const pathsOf = (name: string) => parse(name).error?.issues.map(({ path }) => path.join(".")) ?? [];

  test.each(["a\nb", "a\rb", "a\u0000b", "a\u001b[31mb", "a\u0085b", "a\u2028b", "a\u202eb", "a\u2066b", "a\u061cb"])(
    "cannot have characters that change how a line reads: %j",
    (name) => expect(pathsOf(name)).toContain("name"),
  );

  test.each(["Zoë O'Connor", "重启服务", "علی‌رضا", "deploy 🚀 👩‍💻", " trimmed \n"])("can be %j", (name) =>
    expect(pathsOf(name)).not.toContain("name"),
  );
});
