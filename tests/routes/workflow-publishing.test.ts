import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { workflowSchema, workflowVersionSchema } from "../../schema/contract/management.ts";
import type { WorkflowView } from "../../schema/contract/management.ts";
import { startApp } from "../support/bellhop.ts";
import type { Service } from "../support/bellhop.ts";
import {
  DELAY_DEFINITION,
  call,
  createConnection,
  createWorkflow,
  dataOf,
  errorPathsOf,
  pageOf,
  verb,
} from "../support/management-api.ts";
import { query } from "../support/database.ts";

let bellhop: Service;
beforeAll(async () => {
  bellhop = await startApp();
});
afterAll(() => bellhop.stop());

const get = async (id: string): Promise<WorkflowView> =>
  dataOf(await call(bellhop, "GET", `/workflows/${id}`), 200, workflowSchema);
const put = (id: string, body: object) => call(bellhop, "PUT", `/workflows/${id}`, body);
const versionsOf = async (id: string) =>
  (await pageOf(await call(bellhop, "GET", `/workflows/${id}/versions`), workflowVersionSchema)).items;

const draft = (changes: object = {}) => ({
  name: "a workflow",
  trigger: { type: "webhook" },
  definition: DELAY_DEFINITION,
  ...changes,
});
const delay = (id: string, seconds = 1) => ({ id, type: "delay", seconds });

describe("publishing and activating", () => {
  test("publishing numbers versions upwards; an unchanged draft makes no new version", async () => {
    const made = await createWorkflow(bellhop);
    const first = await verb(bellhop, made.id, "publish");
    expect(first).toMatchObject({ published: true, active: false });
    expect((await verb(bellhop, made.id, "publish")).publishedVersionId).toBe(first.publishedVersionId);
    await put(made.id, draft({ definition: { nodes: [delay("other")], edges: [] } }));
    const second = await verb(bellhop, made.id, "publish");
    expect(second.publishedVersionId).not.toBe(first.publishedVersionId);
    const versions = await versionsOf(made.id);
    expect(versions.map(({ id, number }) => ({ id, number }))).toEqual([
      { id: String(second.publishedVersionId), number: 2 },
      { id: String(first.publishedVersionId), number: 1 },
    ]);
    expect(versions[1]?.definition).toEqual(made.definition);
  });

  test("positions are no part of a version, and only existing nodes and the trigger have one", async () => {
    const made = await createWorkflow(bellhop, { definition: DELAY_DEFINITION });
    const published = await verb(bellhop, made.id, "publish");
    const { name, trigger } = made;
    const at = { x: 0, y: -240 };
    const layout = { "@trigger": at, pause: { x: 40, y: -120 }, gone: { x: 0, y: 0 } };
    const drawn = { name, trigger, definition: { ...DELAY_DEFINITION, layout } };
    const replaced = await dataOf(await call(bellhop, "PUT", `/workflows/${made.id}`, drawn), 200, workflowSchema);
    expect(replaced.definition.layout).toEqual({ "@trigger": at, pause: layout.pause });
    expect((await verb(bellhop, made.id, "publish")).publishedVersionId).toBe(published.publishedVersionId);
  });

  test("an unpublished draft is published again as the same version", async () => {
    const made = await createWorkflow(bellhop);
    const { publishedVersionId } = await verb(bellhop, made.id, "publish");
    expect(await verb(bellhop, made.id, "unpublish")).toMatchObject({ published: false, publishedVersionId: null });
    expect(await verb(bellhop, made.id, "unpublish")).toMatchObject({ published: false });
    expect(await verb(bellhop, made.id, "publish")).toMatchObject({ published: true, publishedVersionId });
    expect(await versionsOf(made.id)).toHaveLength(1);
  });

  test("many who publish at the same moment make one version with one number", async () => {
    const made = await createWorkflow(bellhop);
    const answers = await Promise.all(
      Array.from({ length: 6 }, () => call(bellhop, "POST", `/workflows/${made.id}/publish`)),
    );
    expect(answers.map((answer) => answer.status)).toEqual(answers.map(() => 200));
    expect((await versionsOf(made.id)).map((version) => version.number)).toEqual([1]);
  });

  test("drafts that are saved at the same moment each build on the one before, and the last one is whole", async () => {
    const made = await createWorkflow(bellhop);
    const names = Array.from({ length: 4 }, (_, index) => `draft-${index}`);
    const answers = await Promise.all(
      names.map((name) => put(made.id, draft({ name, definition: { nodes: [delay(name)], edges: [] } }))),
    );
    const kept = answers.filter((answer) => answer.status === 200).length;
    expect(answers.filter((answer) => answer.status !== 200 && answer.status !== 409)).toEqual([]);
    const [row] = await query(bellhop, "select revision from workflows where id = ?", [made.id]);
    expect(row?.["revision"]).toBe(1 + kept);
    const { name, definition } = await get(made.id);
    expect(definition.nodes[0]?.id).toBe(name);
  });

  test("a draft whose connection was deleted is not published", async () => {
    const connection = await createConnection(bellhop);
    const node = {
      id: "run",
      type: "action",
      action: "script.bash",
      connectionId: connection.id,
      params: { script: "id" },
    };
    const made = await createWorkflow(bellhop, { definition: { nodes: [node], edges: [] } });
    await call(bellhop, "DELETE", `/connections/${connection.id}`);
    const answer = await call(bellhop, "POST", `/workflows/${made.id}/publish`);
    expect(await errorPathsOf(answer)).toEqual(["definition.nodes.0.connectionId"]);
    expect(await get(made.id)).toMatchObject({ published: false });
    expect(await versionsOf(made.id)).toEqual([]);
  });

  test("active is a separate flag; activating clears an auto-disable", async () => {
    const made = await createWorkflow(bellhop);
    expect(await verb(bellhop, made.id, "activate")).toMatchObject({ active: true, published: false });
    await query(
      bellhop,
      `update workflows set active = 0, consecutive_failures = 5, auto_disabled_at = 1000,
        auto_disable_reason = 'five failed runs' where id = ?`,
      [made.id],
    );
    expect(await get(made.id)).toMatchObject({
      active: false,
      autoDisabledAt: "1970-01-01T00:00:01.000Z",
      autoDisableReason: "five failed runs",
    });
    expect(await verb(bellhop, made.id, "activate")).toMatchObject({
      active: true,
      autoDisabledAt: null,
      autoDisableReason: null,
    });
    const [row] = await query(bellhop, "select consecutive_failures as n from workflows where id = ?", [made.id]);
    expect(row?.["n"]).toBe(0);
    expect(await verb(bellhop, made.id, "deactivate")).toMatchObject({ active: false });
    expect(await verb(bellhop, made.id, "deactivate")).toMatchObject({ active: false });
  });

  test("each change is logged once, with its author; repeats are not logged", async () => {
    const made = await createWorkflow(bellhop);
    for (const name of ["publish", "publish", "activate", "activate", "deactivate", "unpublish"])
      await verb(bellhop, made.id, name);
    await put(made.id, draft());
    await call(bellhop, "DELETE", `/workflows/${made.id}`);
    const log = await query(bellhop, "select verb, actor from audit_log where subject_id = ? order by id", [made.id]);
    expect(log.map((row) => row["verb"])).toEqual([
      "create",
      "publish",
      "activate",
      "deactivate",
      "unpublish",
      "update",
      "delete",
    ]);
    expect(new Set(log.map((row) => row["actor"]))).toEqual(new Set(["bootstrap"]));
  });
});
