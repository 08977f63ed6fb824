import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Locator, Page } from "playwright-core";
import type { Definition } from "../../schema/contract/workflow.ts";
import { workflowSchema } from "../../schema/contract/management.ts";
import { NO_CHROMIUM, startConsole } from "../support/console.ts";
import type { ConsoleUnderTest } from "../support/console.ts";
import { GRAPHS, condition } from "../support/drawn-graphs.ts";
import { eventually } from "../support/eventually.ts";
import { call, createWorkflow, dataOf } from "../support/management-api.ts";
import { isSaved } from "../support/publish-in-console.ts";

describe.skipIf(NO_CHROMIUM !== null)("the canvas of the designer", () => {
  let console: ConsoleUnderTest;
  beforeAll(async () => {
    console = await startConsole();
  });
  afterAll(() => console.stop());

  /** The same graph of delays and conditions only, which need no connection. */
  const withoutActions = ({ nodes, edges }: Pick<Definition, "nodes" | "edges">) => ({
    nodes: nodes.map((node) => (node.type === "action" ? { id: node.id, type: "delay", seconds: 60 } : node)),
    edges: edges.filter(({ on }) => on !== "failure"),
  });
  const open = async (definition: object) => {
    const { id } = await createWorkflow(console.bellhop, { definition });
    const page = await console.pageAs("editor", { at: `/workflows/${id}/edit` });
    await node(page, "@trigger").waitFor();
    return { page, id };
  };
  const node = (page: Page, id: string): Locator => page.locator(`.react-flow__node[data-id="${id}"]`);
  const edge = (page: Page, name: string): Locator => page.getByLabel(name, { exact: true });

  test("connecting, dragging, adding and removing a node moves no other node, and saving stores all positions", async () => {
    const { page, id } = await open(withoutActions(GRAPHS.checkout));
    const before = await places(page);

    await node(page, "restart")
      .locator('[data-handleid="success"]')
      .dragTo(node(page, "page").locator('[data-handleid="in"]'));
    await edge(page, "restart, on success, to page").waitFor({ state: "attached" });
    expect(await places(page)).toEqual(before);

    await drag(page, node(page, "healthy"), { x: 100, y: 32 });
    const { healthy: from = "", ...others } = before;
    await eventually("the node is moved", async () => (await places(page))["healthy"] !== from);
    const { healthy: _dragged, ...stayed } = await places(page);
    expect(stayed).toEqual(others);

    const dragged = await places(page);
    await node(page, "settle").click();
    await page.getByRole("button", { name: /^Approval/u }).click();
    await node(page, "approve-1").waitFor();
    expect(await places(page)).toMatchObject(dragged);
    expect(await covered(page, "approve-1")).toEqual([]);

    await page.keyboard.press("Delete");
    await node(page, "approve-1").waitFor({ state: "detached" });
    expect(await places(page)).toEqual(dragged);

    await page.keyboard.press("Control+s");
    await isSaved(page);
    const saved = await dataOf(await call(console.bellhop, "GET", `/workflows/${id}`), 200, workflowSchema);
    expect(Object.keys(saved.definition.layout ?? {}).toSorted()).toEqual(
      ["@trigger", ...GRAPHS.checkout.nodes.map((one) => one.id)].toSorted(),
    );
    await page.reload();
    await node(page, "healthy").waitFor();
    expect(await places(page)).toEqual(dragged);
    expect(console.complaints()).toEqual([]);
  });

  test("the plus on an edge inserts a step between its two steps", async () => {
    const nodes = ["a", "b"].map((id) => ({ id, type: "delay", seconds: 60 }));
    const { page } = await open({ nodes, edges: [{ from: "a", to: "b", on: "success" }] });
    // A straight line has a box without a width, which Playwright does not hover over.
    await edge(page, "a, on success, to b").locator(".react-flow__edge-interaction").dispatchEvent("mouseover");
    await page.getByRole("button", { name: /^Insert a step/u }).click();
    await page.getByRole("dialog").getByLabel("Find a step to add").fill("approval");
    await page.keyboard.press("Enter");
    await edge(page, "a, on success, to approve-1").waitFor({ state: "attached" });
    await edge(page, "approve-1, on approved, to b").waitFor({ state: "attached" });
    await edge(page, "a, on success, to b").waitFor({ state: "detached" });
  });

  test("an edge that is changed in the YAML moves no node, and what is typed stays", async () => {
    const { page } = await open({
      nodes: ["one", "two", "three"].map((id) => ({ id, type: "delay", seconds: 60 })),
      edges: [{ from: "one", to: "two", on: "success" }],
    });
    const before = await places(page);
    await page.getByRole("tab", { name: "YAML" }).click();
    const text = page.getByLabel("The workflow as YAML");
    await text.getByText("from: one").click();
    await page.keyboard.press("End");
    await page.keyboard.press("Shift+Home");
    await page.keyboard.insertText("- { from: one, to: three, on: success }");
    await edge(page, "one, on success, to three").waitFor({ state: "attached" });
    expect(await places(page)).toEqual(before);
    await page.keyboard.type(" # kept");
    await page.keyboard.press("Home");
    await text.getByText("# kept").waitFor();
    expect(console.complaints()).toEqual([]);
  });

  test("a node that is added or dropped comes into view without a zoom, and a visible one moves nothing", async () => {
    const ids = Array.from({ length: 6 }, (_, index) => `step${index}`);
    const edges = ids.slice(1).map((to, index) => ({ from: ids[index], to, on: "success" }));
    const { page } = await open({ nodes: ids.map((id) => ({ id, type: "delay", seconds: 60 })), edges });
    const canvas = page.locator(".react-flow__pane");
    const { width, height } = await boxOf(canvas);
    const zoom = (await view(page)).zoom;

    const before = await view(page);
    await page.getByRole("button", { name: /^Delay/u }).dragTo(canvas, { targetPosition: { x: width - 140, y: 200 } });
    await node(page, "wait-1").and(page.locator(":focus")).waitFor();
    expect(await view(page)).toEqual(before);

    await page
      .getByRole("button", { name: /^Approval/u })
      .dragTo(canvas, { targetPosition: { x: width - 20, y: 400 } });
    await node(page, "approve-1").and(page.locator(":focus")).waitFor();
    await isInside(page, "approve-1");
    const after = await view(page);
    expect(after).toMatchObject({ zoom, y: before.y });
    expect(before.x - after.x).toBeGreaterThan(0);
    expect(before.x - after.x).toBeLessThan(200);

    await node(page, "step5").click();
    await page.keyboard.press("a");
    await page.getByRole("dialog").getByLabel("Find a step to add").fill("for each");
    await page.keyboard.press("Enter");
    await node(page, "each-1").and(page.locator(":focus")).waitFor();
    await isInside(page, "each-1");
    expect((await view(page)).zoom).toBe(zoom);
    expect(height).toBeGreaterThan(300);
    expect(console.complaints()).toEqual([]);
  });

  test("Fit shows all of 100 nodes, and a large workflow opens at its trigger", async () => {
    const { page } = await open(withoutActions(GRAPHS["a ladder of 100 nodes"]));
    await isInside(page, "@trigger");
    expect((await view(page)).zoom).toBeGreaterThanOrEqual(0.5);
    const outside = async () => {
      const ids = Object.keys(await places(page));
      const frame = await boxOf(page.locator(".react-flow"));
      const boxes = await Promise.all(ids.map(async (id) => [id, await boxOf(node(page, id))] as const));
      return boxes.filter(([, box]) => !contains(frame, box)).map(([id]) => id);
    };
    expect(await outside()).not.toEqual([]);
    await page.keyboard.press("f");
    await eventually("all nodes are in view", async () => (await outside()).length === 0);
    expect(await page.locator(".react-flow__minimap").count()).toBe(0);

    await page.getByRole("button", { name: "Zoom In" }).click({ clickCount: 3 });
    await page.locator(".react-flow__minimap").waitFor();
    await page.getByRole("button", { name: "Fit View" }).click();
    await eventually("all nodes are in view", async () => (await outside()).length === 0);
    expect(console.complaints()).toEqual([]);
  });

  test("Arrange glides, puts true left of false, and is one undo step; without motion nodes jump", async () => {
    const nodes = [
      condition("check"),
      { id: "yes", type: "delay", seconds: 60 },
      { id: "no", type: "delay", seconds: 60 },
    ];
    const edges = [
      { from: "check", to: "yes", on: "true" },
      { from: "check", to: "no", on: "false" },
    ];
    const layout = { check: { x: 0, y: 0 }, yes: { x: 400, y: 400 }, no: { x: -400, y: 300 } };
    const { page } = await open({ nodes, edges, layout });
    const before = await places(page);
    /** The places of a node in each frame until it rests. */
    const arrange = () =>
      page.evaluate<string[]>(`new Promise((resolve) => {
        const node = document.querySelector('.react-flow__node[data-id="yes"]');
        const seen = [node.style.transform];
        let rests = 0;
        const look = () => {
          const now = node.style.transform;
          rests = now === seen.at(-1) ? rests + 1 : 0;
          if (rests === 0) seen.push(now);
          if (rests < 20 || seen.length === 1) requestAnimationFrame(look);
          else resolve(seen);
        };
        requestAnimationFrame(look);
        document.querySelector('[aria-label="Arrange automatically"]').click();
      })`);

    expect(await arrange()).toHaveLength(2);
    const arranged = await places(page);
    expect((await boxOf(node(page, "yes"))).x).toBeLessThan((await boxOf(node(page, "no"))).x);
    await page.keyboard.press("Control+z");
    await eventually("the nodes are back", async () => same(await places(page), before));
    expect(await page.getByRole("button", { name: "Undo" }).isDisabled()).toBe(true);

    await page.emulateMedia({ reducedMotion: "no-preference" });
    const seen = await arrange();
    expect(seen.length).toBeGreaterThan(3);
    expect(await places(page)).toEqual(arranged);
    expect(console.complaints()).toEqual([]);
  });

  test("the line from the trigger to a node goes around the nodes in between", async () => {
    const { page } = await open({
      nodes: ["first", "second", "last"].map((id) => ({ id, type: "delay", seconds: 60 })),
      edges: [{ from: "first", to: "second", on: "success" }],
      layout: { first: { x: 0, y: 0 }, second: { x: 0, y: 128 }, last: { x: 20, y: 256 } },
    });
    await edge(page, "The trigger starts last").waitFor({ state: "attached" });
    const crossed = await page.evaluate<string[]>(`(() => {
      const path = document.querySelector('.react-flow__edge[data-id="@trigger last"] path');
      const matrix = path.getScreenCTM();
      const points = Array.from({ length: 200 }, (_, index) =>
        path.getPointAtLength((path.getTotalLength() * index) / 199).matrixTransform(matrix),
      );
      return [...document.querySelectorAll(".react-flow__node")].flatMap((element) => {
        const { left, right, top, bottom } = element.getBoundingClientRect();
        const isIn = ({ x, y }) => x > left && x < right && y > top + 1 && y < bottom - 1;
        return points.some(isIn) ? [element.dataset.id] : [];
      });
    })()`);
    expect(crossed).toEqual([]);
    expect(console.complaints()).toEqual([]);
  });

  /** The position of every node on the canvas. */
  async function places(page: Page): Promise<Record<string, string>> {
    return page.evaluate(
      "Object.fromEntries([...document.querySelectorAll('.react-flow__node')].map((one) => [one.dataset.id, one.style.transform]))",
    );
  }

  async function view(page: Page): Promise<{ x: number; y: number; zoom: number }> {
    const text = await page.evaluate<string>("document.querySelector('.react-flow__viewport').style.transform");
    const [x = NaN, y = NaN, scale = NaN] = [...text.matchAll(/-?[\d.]+(?:e-?\d+)?/gu)].map(([number]) =>
      Number(number),
    );
    return { x, y, zoom: scale };
  }

  /** The nodes that a node overlaps. */
  async function covered(page: Page, id: string): Promise<string[]> {
    const own = await boxOf(node(page, id));
    const others = Object.keys(await places(page)).filter((other) => other !== id);
    const boxes = await Promise.all(others.map(async (other) => [other, await boxOf(node(page, other))] as const));
    return boxes
      .filter(
        ([, box]) =>
          own.x < box.x + box.width &&
          box.x < own.x + own.width &&
          own.y < box.y + box.height &&
          box.y < own.y + own.height,
      )
      .map(([other]) => other);
  }

  async function isInside(page: Page, id: string): Promise<void> {
    await eventually(`${id} is in view`, async () =>
      contains(await boxOf(page.locator(".react-flow")), await boxOf(node(page, id))),
    );
  }

  async function drag(page: Page, element: Locator, by: { x: number; y: number }): Promise<void> {
    const { x, y, width, height } = await boxOf(element);
    const [left, top] = [x + width / 2, y + height / 2];
    await page.mouse.move(left, top);
    await page.mouse.down();
    await page.mouse.move(left + by.x / 2, top + by.y / 2, { steps: 4 });
    await page.mouse.move(left + by.x, top + by.y, { steps: 4 });
    await page.mouse.up();
  }
});

interface Box {
  x: number;
  y: number;
  width: number;
  height: number;
}

async function boxOf(element: Locator): Promise<Box> {
  const box = await element.boundingBox();
  if (box === null) throw new Error("the element is not shown");
  return box;
}

function contains(outer: Box, inner: Box): boolean {
  return (
    inner.x >= outer.x &&
    inner.y >= outer.y &&
    inner.x + inner.width <= outer.x + outer.width &&
    inner.y + inner.height <= outer.y + outer.height
  );
}

function same(one: Record<string, string>, other: Record<string, string>): boolean {
  return Object.entries(one).every(([id, place]) => other[id] === place);
}
