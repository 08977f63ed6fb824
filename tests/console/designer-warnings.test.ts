import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Locator, Page } from "playwright-core";
import { begin, reduceHistory } from "../../console/views/designer/model/history.ts";
import { apply } from "../../console/views/designer/model/commands.ts";
import type { Draft } from "../../console/views/designer/model/commands.ts";
import { workflowInputSchema, workflowSchema } from "../../schema/contract/management.ts";
import type { FieldError, Fix } from "../../schema/contract/problem.ts";
import type { ActionNode, Node } from "../../schema/contract/workflow.ts";
import { publish } from "../support/publish-in-console.ts";
import { axeProblems } from "../support/axe.ts";
import { NARROW, NO_CHROMIUM, startConsole } from "../support/console.ts";
import type { ConsoleUnderTest } from "../support/console.ts";
import { call, createConnection, createWorkflow, dataOf } from "../support/management-api.ts";

const script = (id: string, params: ActionNode["params"] = { script: TEXT }): ActionNode => ({
  id,
  type: "action",
  action: "script.bash",
  params,
  timeoutSeconds: 60,
});
const TEXT = "echo {{webhook.title}} {{webhook.x}}";
const SCRIPT = "definition.nodes.0.params.script";
const TO_ENV: Fix = {
  title: "Pass it as $TITLE",
  edits: [
    { path: SCRIPT, start: 5, end: 22, value: '"$TITLE"' },
    { path: SCRIPT, start: 23, end: 36, value: "{{webhook.x | int}}" },
    { path: "definition.nodes.0.params.env.TITLE", value: "{{webhook.title}}" },
  ],
};

describe("a fix of the designer", () => {
  const draft: Draft = {
    name: "Fixes",
    trigger: { type: "webhook" },
    definition: {
      nodes: [script("one"), { id: "each", type: "forEach", items: "[1]", body: { nodes: [script("in")], edges: [] } }],
      edges: [],
    },
  };
  const nodesAfter = (fix: Fix) => apply(draft, { do: "fix", fix }).definition.nodes;

  test("edits one text from its last place to its first, and creates a missing text", () => {
    expect(nodesAfter(TO_ENV)[0]).toEqual({
      ...script("one"),
      params: { script: 'echo "$TITLE" {{webhook.x | int}}', env: { TITLE: "{{webhook.title}}" } },
    } satisfies Node);
  });

  test("reaches into the body of a forEach", () => {
    const path = "definition.nodes.1.body.nodes.0.params.script";
    expect(nodesAfter({ title: "", edits: [{ path, start: 0, end: 4, value: "printf" }] })[1]).toMatchObject({
      body: { nodes: [script("in", { script: "printf {{webhook.title}} {{webhook.x}}" })] },
    });
  });

  test.each([
    ["definition.nodes.7.params.script", undefined],
    ["definition.nodes.0.params.script.name", undefined],
    ["definition.nodes.0.params.__proto__.name", undefined],
    ["definition.nodes.0.params.other", 3],
    [SCRIPT, 999],
  ])("with the missing place %s (to character %p) changes nothing", (path, end) => {
    const edit = { path, value: "x", ...(end === undefined ? {} : { start: 0, end }) };
    expect(apply(draft, { do: "fix", fix: { title: "", edits: [edit, ...TO_ENV.edits] } })).toBe(draft);
  });

  test("is one undo step", () => {
    const typed = apply(draft, { do: "change", id: "one", node: script("one", { script: "echo" }) });
    let history = reduceHistory(begin(typed), { type: "command", command: { do: "replace", draft }, now: 0 });
    history = reduceHistory(history, { type: "command", command: { do: "fix", fix: TO_ENV }, now: 1 });
    expect(reduceHistory(history, { type: "undo" }).draft).toMatchObject(draft);
  });
});

describe.skipIf(NO_CHROMIUM !== null)("warnings and values in the designer", () => {
  let console: ConsoleUnderTest;
  let connectionId = "";
  beforeAll(async () => {
    console = await startConsole();
    ({ id: connectionId } = await createConnection(console.bellhop, { name: "Web servers" }));
  });
  afterAll(() => console.stop());

  /** Opens the designer of a workflow with one script, and the script's form. */
  const open = async (params: Record<string, string>, prepare?: (page: Page) => Promise<void>, width?: number) => {
    const definition = { nodes: [{ ...script("one", params), connectionId }], edges: [] };
    const { id } = await createWorkflow(console.bellhop, {
      name: "Warnings",
      trigger: { type: "webhook" },
      definition,
    });
    const page = await console.pageAs("editor", { at: null, ...(width === undefined ? {} : { width }) });
    await prepare?.(page);
    await page.goto(`/workflows/${id}/edit`);
    await page.locator('.react-flow__node[data-id="one"]').click();
    return { page, id };
  };
  const saved = async (page: Page, id: string): Promise<Node | undefined> => {
    await page.keyboard.press("Control+s");
    await page
      .getByRole("status", { name: "Saving" })
      .getByText(/^Saved/u)
      .waitFor();
    const { definition } = await dataOf(await call(console.bellhop, "GET", `/workflows/${id}`), 200, workflowSchema);
    return definition.nodes[0];
  };
  const state = (page: Page): Locator => page.getByRole("status", { name: "State of the workflow" });
  const editor = (page: Page): Locator => page.getByRole("textbox", { name: "Script (Bash)" });

  test("a warning is shown at its field, its node and in the list, blocks no save, and its fix changes the draft", async () => {
    const { page } = await open({ script: TEXT }, warnAboutTitle);
    const warning = page.getByText("{{webhook.title}} usually holds free text.");
    await warning.waitFor();
    const notes = (await editor(page).getAttribute("aria-describedby"))?.split(" ").at(-1);
    expect(await page.locator(`[id="${notes}"]`).textContent()).toContain("usually holds free text");
    await page.locator('.react-flow__node[data-id="one"][aria-label$=", 1 warning"]').waitFor();
    expect(await axeProblems(page)).toEqual([]);
    await publish(page);
    await state(page)
      .getByText(/^(?:Live|Deactivated)$/u)
      .waitFor();

    await page.getByRole("tab", { name: "Problems 1 warning" }).click();
    await page.getByText("No problems. The draft can be published.").waitFor();
    expect(await axeProblems(page)).toEqual([]);
    await page.getByRole("button", { name: TO_ENV.title }).click();
    await page.getByRole("tab", { name: "Problems", exact: true }).waitFor();
    await page.getByRole("button", { name: "Undo", exact: true }).click();
    await page.getByRole("tab", { name: "Problems 1 warning" }).waitFor();

    await page.getByRole("tab", { name: "YAML" }).click();
    await page.locator(".cm-lint-marker-info").hover();
    await page.locator(".cm-diagnosticAction", { hasText: TO_ENV.title }).click();
    await page.getByRole("tab", { name: "Problems", exact: true }).waitFor();
    await page.getByRole("button", { name: "Undo", exact: true }).click();

    await page.getByRole("tab", { name: "Edit" }).click();
    await page.getByRole("button", { name: TO_ENV.title }).click();
    await warning.waitFor({ state: "detached" });
    expect(await editor(page).textContent()).toBe('echo "$TITLE" {{webhook.x | int}}');
    expect(await page.getByLabel("Environment variables: value of TITLE").textContent()).toBe("{{webhook.title}}");
    expect(console.complaints()).toEqual([]);
  });

  test.each<[ActionNode["action"], string, string, string]>([
    ["script.bash", "Script (Bash)", "notify '{{incident.title}}' now", 'notify "$TITLE" now'],
    ["script.powershell", "Script (PowerShell)", 'Send-Note "{{incident.title}}"', "Send-Note $env:TITLE"],
    ["script.python", "Script (Python)", 'print("{{incident.title}}")', 'import osprint(os.environ["TITLE"])'],
  ])("one click passes free text of %s in env, and one Undo takes it back", async (action, label, before, after) => {
    const node = { ...script("one", { script: before }), action, connectionId };
    const { id } = await createWorkflow(console.bellhop, {
      trigger: { type: "incident", events: ["incident.created"] },
      definition: { nodes: [node], edges: [] },
    });
    const page = await console.pageAs("editor", { at: `/workflows/${id}/edit` });
    await page.locator('.react-flow__node[data-id="one"]').click();
    const code = page.getByRole("textbox", { name: label });
    await page.getByRole("button", { name: "Pass it in env as TITLE" }).click();
    const value = page.getByLabel("Environment variables: value of TITLE");
    expect(await value.textContent()).toBe("{{incident.title}}");
    expect(await code.textContent()).toBe(after);
    await page.getByRole("button", { name: "Pass it in env as TITLE" }).waitFor({ state: "detached" });
    await page.getByRole("button", { name: "Undo", exact: true }).click();
    expect(await code.textContent()).toBe(before);
    expect(await value.count()).toBe(0);
    expect(console.complaints()).toEqual([]);
  });

  test("a value is passed as an environment variable, whose name is inserted at the cursor", async () => {
    const { page, id } = await open({ script: "echo " });
    await editor(page).click();
    await page.keyboard.press("Control+End");
    await page.getByRole("button", { name: "Insert a value" }).click();
    await page.getByRole("option", { name: /^webhook/u }).waitFor();
    await page.keyboard.type("webhook.title");
    expect(await axeProblems(page)).toEqual([]);
    await page.getByRole("button", { name: "Pass as environment variable" }).click();
    await page.getByText('Inserted "$TITLE" and added TITLE to the environment variables.').waitFor();
    await page.keyboard.type(" again");
    expect(await saved(page, id)).toMatchObject({
      params: { script: 'echo "$TITLE" again', env: { TITLE: "{{webhook.title}}" } },
    });
    expect(console.complaints()).toEqual([]);
  });

  test("inside quotes nothing is inserted and no variable is added, and the page says why", async () => {
    const { page, id } = await open({ script: 'echo ""' });
    await editor(page).click();
    await page.keyboard.press("Control+End");
    await page.keyboard.press("ArrowLeft");
    await page.getByRole("button", { name: "Insert a value" }).click();
    await page.getByRole("textbox", { name: "Value" }).fill("webhook.title");
    await page.getByRole("button", { name: "Insert in place" }).click();
    await page.getByText("Values cannot be inserted inside quotes.").waitFor();
    await page.getByRole("button", { name: "Pass as environment variable" }).click();
    await page.getByText("Values cannot be inserted inside quotes.").waitFor();
    await editor(page).click();
    await page.keyboard.press("Control+End");
    await page.keyboard.type(" x");
    expect(await saved(page, id)).toMatchObject({ params: { script: 'echo "" x' } });
    expect(await saved(page, id)).not.toMatchObject({ params: { env: expect.anything() } });
    expect(console.complaints()).toEqual([]);
  });

  test("filters are offered after a bar in a template, also on a phone", async () => {
    const { page } = await open({ script: "echo {{webhook.title}}" }, undefined, NARROW);
    await editor(page).click();
    await page.keyboard.press("Control+End");
    await page.keyboard.press("ArrowLeft");
    await page.keyboard.press("ArrowLeft");
    await page.keyboard.type(" | def");
    await page.getByRole("option", { name: /^default/u }).click();
    await page.keyboard.type("none");
    expect(await editor(page).textContent()).toBe('echo {{webhook.title | default:"none"}}');
    expect(await page.evaluate("document.documentElement.scrollWidth")).toBeLessThanOrEqual(NARROW);
    expect(await axeProblems(page)).toEqual([]);
    expect(console.complaints()).toEqual([]);
  });
});

/** Fakes the service's warning about a title in a script. */
async function warnAboutTitle(page: Page): Promise<void> {
  const warning: FieldError = { path: SCRIPT, message: "{{webhook.title}} usually holds free text.", fix: TO_ENV };
  await page.route("**/workflows/validate", async (route) => {
    const draft = workflowInputSchema.parse(route.request().postDataJSON());
    const warnings = JSON.stringify(draft).includes("echo {{webhook.title}}") ? [warning] : [];
    await route.fulfill({ json: { success: true, data: { valid: true, errors: [], warnings } } });
  });
}
