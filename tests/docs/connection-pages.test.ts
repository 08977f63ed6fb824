import { describe, expect, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { ACTIONS, isActionName, runsOn } from "../../schema/contract/action.ts";
import type { ActionName } from "../../schema/contract/action.ts";
import {
  CONNECTION_CONFIGS,
  CONNECTION_TYPES,
  descriptorOf,
  takesCredential,
} from "../../schema/contract/connection.ts";
import type { ConnectionType } from "../../schema/contract/connection.ts";
import { secretsSchemaOf } from "../../schema/contract/secret-shapes.ts";
import { workflowFileSchema } from "../../schema/contract/workflow-file.ts";
import { readYaml } from "../../worker/domain/workflow-file/read-yaml.ts";
import { codeIn } from "../support/page-actions.ts";
import { namesOf } from "../support/schema-names.ts";
import { definitionProblems } from "../support/problems.ts";

/** The pages for operators have everything in the contract, and nothing else. */
const PAGES = join(import.meta.dir, "../../docs/connections");
const SECTIONS = ["Fields", "Credential", "Actions", "Example workflow", "Connection test", "What can go wrong"];
const PREFIXES = new Set(Object.keys(ACTIONS).map((action) => action.split(".")[0]));

const pageOf = (type: ConnectionType): string => readFileSync(join(PAGES, `${type}.md`), "utf8");
const actionsOf = (type: ConnectionType): ActionName[] =>
  Object.keys(ACTIONS)
    .filter(isActionName)
    .filter((action) => runsOn(action, type));

/** The text below a heading of the second level, up to the next one. */
function sectionOf(type: ConnectionType, title: string): string {
  const [, text] = pageOf(type).split(new RegExp(`^## ${title}$`, "mu"));
  return text?.split(/^## /mu)[0] ?? "";
}

/** The names in the first column of a section's tables: those that are `code`. */
function firstColumn(text: string): string[] {
  const cells = [...text.matchAll(/^\| *([^|]*?) *\|/gmu)].map(([, cell = ""]) => cell);
  return cells.flatMap((cell) => codeIn(cell));
}

const isNamed = (name: string, text: string): boolean =>
  codeIn(text).some((code) => code.split(/[^A-Za-z0-9_]+/u).includes(name));
const notNamed = (names: readonly string[], text: string): string[] => names.filter((name) => !isNamed(name, text));

describe.each([...CONNECTION_TYPES])("the page of connection type %s", (type) => {
  test("exists, with its sections in order", () => {
    const headings = [...pageOf(type).matchAll(/^## (.+)$/gmu)].map(([, title]) => title);
    expect(headings.filter((title) => title !== undefined && SECTIONS.includes(title))).toEqual(SECTIONS);
    for (const title of SECTIONS) expect(sectionOf(type, title).trim()).not.toBe("");
  });

  test("names every field of the configuration, and no other", () => {
    const section = sectionOf(type, "Fields");
    const fields = namesOf(CONNECTION_CONFIGS[type]);
    expect(notNamed(fields, section)).toEqual([]);
    expect(firstColumn(section).filter((name) => !fields.includes(name))).toEqual([]);
  });

  test("names every secret, and no other", () => {
    const section = sectionOf(type, "Credential");
    const secrets = namesOf(secretsSchemaOf(type));
    expect(notNamed(secrets, section)).toEqual([]);
    if (type === "custom") return;
    const known = new Set([...secrets, ...namesOf(CONNECTION_CONFIGS[type])]);
    // The page also has values such as `bearer`; a name of two words is from the contract.
    expect(firstColumn(section).filter((name) => /^[a-z]+[A-Z][A-Za-z]*$/u.test(name) && !known.has(name))).toEqual([]);
  });

  test("names no parameter, output or action that does not exist", () => {
    const section = sectionOf(type, "Actions");
    const known = new Set(
      actionsOf(type).flatMap((action) => [...namesOf(ACTIONS[action].params), ...Object.keys(ACTIONS[action].output)]),
    );
    expect(firstColumn(section).filter((name) => /^[a-zA-Z]+$/u.test(name) && !known.has(name))).toEqual([]);
    const looksLikeOne = /^([a-z]+)\.[A-Za-z]+$/iu;
    const unknown = codeIn(pageOf(type)).filter((code) => {
      const prefix = looksLikeOne.exec(code)?.[1];
      return prefix !== undefined && PREFIXES.has(prefix) && !isActionName(code);
    });
    expect(unknown).toEqual([]);
  });

  test("has an example that can be imported, and uses only actions of this type", () => {
    expect(sectionOf(type, "Example workflow")).toContain("```yaml\n");
    for (const [, text = ""] of pageOf(type).matchAll(/^```yaml\n([\s\S]*?)^```$/gmu)) {
      const file = readYaml(text);
      if (!file.ok) throw new Error(`not YAML: ${JSON.stringify(file.errors)}`);
      const { definition, trigger, connections = {} } = workflowFileSchema.parse(file.value);
      const lookup = {
        connection: (id: string) => {
          const named = connections[id];
          return named === undefined ? null : { type: named.type, enabled: true, assigned: true, targets: null };
        },
        workflow: () => null,
        person: () => false,
      };
      expect(definitionProblems(definition, trigger, lookup)).toEqual([]);
      const used = [...text.matchAll(/\baction: ([a-z]+\.[A-Za-z]+)/gu)].map(([, action = ""]) => action);
      expect(used).not.toBeEmpty();
      expect(used.filter((action) => !isActionName(action) || !belongsOn(action, type))).toEqual([]);
    }
  });
});

/** Scripts on hosts get a custom connection's secrets, too. */
function belongsOn(action: ActionName, type: ConnectionType): boolean {
  return runsOn(action, type) || (type === "custom" && namesOf(ACTIONS[action].params).includes("secretsFrom"));
}

test("the index names every type with its page, and no page that does not exist", () => {
  const index = readFileSync(join(PAGES, "README.md"), "utf8");
  const linked = [...index.matchAll(/\]\(([A-Za-z]+)\.md\)/gu)].map(([, name = ""]) => name);
  expect([...new Set(linked)].sort()).toEqual([...CONNECTION_TYPES].sort());
  for (const name of linked)
    expect({ name, isThere: existsSync(join(PAGES, `${name}.md`)) }).toEqual({ name, isThere: true });
});

test("names are read from unions, optional fields and refined schemas", () => {
  const schema = z.union([z.strictObject({ a: z.string() }), z.strictObject({ b: z.number().optional() })]);
  expect(namesOf(schema)).toEqual(["a", "b"]);
  expect(namesOf(z.record(z.string(), z.string()))).toEqual([]);
});

test.each(CONNECTION_TYPES.filter(takesCredential))("the table of targets names every field of %s", (type) => {
  const readme = readFileSync(join(PAGES, "README.md"), "utf8");
  const section = readme.split(/^## A credential belongs to its target$/mu)[1]?.split(/^## /mu)[0] ?? "";
  const row = new RegExp(`^\\| ${type} \\| .*$`, "mu").exec(section)?.[0];
  expect(row).toBeDefined();
  const { fields } = descriptorOf(type).config;
  const ofTarget = Object.keys(fields).filter((name) => fields[name]?.target !== undefined);
  expect(notNamed(ofTarget, row ?? "")).toEqual([]);
});
