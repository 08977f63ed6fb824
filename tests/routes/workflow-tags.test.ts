import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { importCheckSchema } from "../../schema/contract/workflow-file.ts";
import { workflowSchema } from "../../schema/contract/management.ts";
import { startApp } from "../support/bellhop.ts";
import type { Service } from "../support/bellhop.ts";
import { DELAY_DEFINITION, call, createWorkflow, dataOf, errorPathsOf, pageOf } from "../support/management-api.ts";

let bellhop: Service;
beforeAll(async () => {
  bellhop = await startApp();
});
afterAll(() => bellhop.stop());

const draft = (tags: unknown) => ({
  name: "a workflow",
  trigger: { type: "webhook" },
  definition: DELAY_DEFINITION,
  tags,
});
const listed = async (query: string) =>
  (await pageOf(await call(bellhop, "GET", `/workflows?${query}`), workflowSchema)).items.map(({ id }) => id);

describe("the tags of a workflow", () => {
  test("are trimmed, in lower case, replaced with the draft and empty by default", async () => {
    const made = await createWorkflow(bellhop, { tags: [" Payments ", "night shift"] });
    expect(made.tags).toEqual(["payments", "night shift"]);
    for (const tags of [["edge"], null, undefined]) {
      const replaced = await call(bellhop, "PUT", `/workflows/${made.id}`, draft(tags));
      expect((await dataOf(replaced, 200, workflowSchema)).tags).toEqual(tags ?? []);
    }
    expect((await createWorkflow(bellhop)).tags).toEqual([]);
  });

  test("filter the list, also in another spelling and page by page", async () => {
    const [first, , third] = [
      await createWorkflow(bellhop, { tags: ["storage", "eu"] }),
      await createWorkflow(bellhop, { tags: ["storage-eu", "euro"] }),
      await createWorkflow(bellhop, { tags: ["eu"] }),
    ];
    expect(await listed("tag=EU")).toEqual([third.id, first.id]);
    expect(await listed("tag=storage")).toEqual([first.id]);
    expect(await listed("tag=none")).toEqual([]);
    const page = await pageOf(await call(bellhop, "GET", "/workflows?tag=eu&limit=1"), workflowSchema);
    expect(page.items.map(({ id }) => id)).toEqual([third.id]);
    expect(await listed(`tag=eu&limit=1&cursor=${page.nextCursor}`)).toEqual([first.id]);
  });

  test("are one tag with composed and with decomposed letters", async () => {
    const { id, tags } = await createWorkflow(bellhop, { tags: ["Bu\u0308ro"] });
    expect(tags).toEqual(["b\u00fcro"]);
    for (const tag of ["b\u00fcro", "BU\u0308RO"])
      expect(await listed(new URLSearchParams({ tag }).toString())).toEqual([id]);
    const twice = await call(bellhop, "POST", "/workflows", draft(["b\u00fcro", "bu\u0308ro"]));
    expect(await errorPathsOf(twice)).toEqual(["tags.1"]);
  });

  test("are in the exported file, and come back with the import", async () => {
    const made = await createWorkflow(bellhop, { tags: ["storage", "eu"] });
    const file = await (await call(bellhop, "GET", `/workflows/${made.id}/export`)).text();
    expect(file).toContain("tags:");
    const back = await fetch(`${bellhop.url}/api/v1/automation/workflows/import?dryRun=true`, {
      method: "POST",
      headers: { Authorization: `Bearer ${bellhop.adminToken}`, "Content-Type": "application/yaml" },
      body: file,
    });
    expect((await dataOf(back, 200, importCheckSchema)).workflow?.tags).toEqual(["storage", "eu"]);
  });

  test("stay with a deleted workflow that is restored", async () => {
    const { id } = await createWorkflow(bellhop, { tags: ["storage"] });
    await call(bellhop, "DELETE", `/workflows/${id}`);
    const restored = await call(bellhop, "POST", `/workflows/${id}/restore`);
    expect((await dataOf(restored, 200, workflowSchema)).tags).toEqual(["storage"]);
  });

  test.each([
    [["eu", "EU "], "tags.1"],
    [[""], "tags.0"],
    [["eu", "  "], "tags.1"],
    [["x".repeat(51)], "tags.0"],
    [["a,b"], "tags.0"],
    [["a\nb"], "tags.0"],
    [["a\u202Eb"], "tags.0"],
    [[7], "tags.0"],
    ["eu", "tags"],
    [{ eu: true }, "tags"],
    [Array.from({ length: 21 }, (_, at) => `tag-${at}`), "tags"],
  ])("that are %j are refused with their path", async (tags, path) => {
    expect(await errorPathsOf(await call(bellhop, "POST", "/workflows", draft(tags)))).toEqual([path]);
  });

  test("a filter that no tag can be is refused", async () => {
    expect(await errorPathsOf(await call(bellhop, "GET", "/workflows?tag="))).toEqual(["tag"]);
  });
});
