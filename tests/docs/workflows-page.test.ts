import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import { ACTIONS } from "../../schema/contract/action.ts";
import { workflowInputSchema } from "../../schema/contract/management.ts";
import { definitionSchema, triggerSchema } from "../../schema/contract/workflow.ts";
import type { Trigger } from "../../schema/contract/workflow.ts";
import { checkDefinition } from "../../worker/domain/graph/check-definition.ts";
import { graphsOf } from "../../worker/domain/graph/walk.ts";
import { FILTER_NAMES, evaluate } from "../../worker/domain/template/filters.ts";
import { loneTemplate } from "../../worker/domain/template/index.ts";
import { readYaml } from "../../worker/domain/workflow-file/read-yaml.ts";

const page = await Bun.file(join(import.meta.dir, "../../docs/workflows.md")).text();
const sectionOf = (title: string): string => page.split(`\n### ${title}\n`)[1]?.split(/^##/mu)[0] ?? "";
/** Values in examples may come from any trigger. */
const TRIGGERS: readonly Trigger[] = [
  { type: "webhook" },
  { type: "manual" },
  { type: "incident", events: ["incident.created"] },
  { type: "cron", expression: "* * * * *" },
];

test("the page has the guarantee in its exact words", () => {
  expect(sectionOf("What is guaranteed")).toContain(
    "Bellhop never lets a value leave the word that it is in. Where a language reads that word as a name, a command, an address or an option, it may be one: pin numbers with `| int` and choices with `| oneOf`.",
  );
});

describe("every example of the page can be saved without a warning", () => {
  // JSON is valid YAML. The page writes con_… for an id.
  const examples = [...page.matchAll(/^```(?:json|yaml)\n([\s\S]*?)^```$/gmu)].map(
    ({ index, 1: text = "" }): [line: number, text: string] => [
      page.slice(0, index).split("\n").length,
      text.replaceAll("…", "0"),
    ],
  );

  test("the page has examples", () => {
    expect(examples.length).toBeGreaterThanOrEqual(6);
  });

  test.each(examples)("line %i", (_, text) => {
    const file = readYaml(text);
    if (!file.ok) throw new Error(`not YAML: ${JSON.stringify(file.errors)}`);
    expect(findingsIn(file.value)).toEqual({ problems: [], warnings: [] });
  });
});

test("the page's table has every filter, no other, and correct results", () => {
  const rows = [...sectionOf("Filters").matchAll(/^\| `(\w+)` \|.*$/gmu)].map(([row, name]) => ({ row, name }));
  expect(rows.map(({ name }) => name).toSorted()).toEqual([...FILTER_NAMES].toSorted());
  for (const { row, name } of rows) {
    const [example = "", value = "", result = ""] = row
      .split(/ (?<!\\)\| /u)
      .slice(2)
      .map((cell) => /`(.*)`/u.exec(cell)?.[1]?.replaceAll("\\|", "|") ?? "");
    const template = loneTemplate(example);
    if (template === null) throw new Error(`the example of ${name} is not one template: ${example}`);
    expect(template.filters.map((filter) => filter.name)).toEqual([name ?? ""]);
    expect({ name, result: evaluate(template, () => JSON.parse(value)) }).toEqual({ name, result: JSON.parse(result) });
  }
});

/** An example with a target runs on a connection to several hosts. */
function targetsFor({ target }: { target?: string | undefined }) {
  return target === undefined ? null : { targets: ["web-*.example.org"], port: 22 };
}

/** An example is a trigger, a whole workflow, its definition, or some of its nodes. */
function findingsIn(example: unknown) {
  if (triggerSchema.safeParse(example).success) return { problems: [], warnings: [] };
  const workflow = workflowInputSchema.safeParse(example).data;
  const graph = Array.isArray(example) ? { nodes: example, edges: [] } : example;
  const definition = workflow?.definition ?? definitionSchema.parse(graph);
  const actions = graphsOf(definition).flatMap((placed) => placed.graph.nodes.filter((node) => node.type === "action"));
  const connection = (id: string) => {
    const user = actions.find(({ connectionId }) => connectionId === id);
    return user === undefined
      ? null
      : { type: ACTIONS[user.action].connectionType, enabled: true, assigned: true, targets: targetsFor(user) };
  };
  const triggers = workflow === undefined ? TRIGGERS : [workflow.trigger];
  return checkDefinition(definition, triggers, { connection, workflow: () => null, person: () => false });
}
