import { describe, expect, test } from "bun:test";
import { minZoomOf, viewOf } from "../../console/graph/first-view.ts";
import { startPoints } from "../../console/views/designer/canvas/start-path.ts";
import { shiftToShow } from "../../console/views/designer/canvas/view.ts";

const box = (x: number, y: number, width = 200, height = 80) => ({ x, y, width, height });

describe("the view of the canvas", () => {
  const frame = { width: 800, height: 600 };
  const map = box(600, 450, 190, 140);
  test.each([
    ["a visible node moves nothing", box(300, 200), [0, 0]],
    ["a node at the border moves nothing", box(0, 520), [0, 0]],
    ["a node left of the canvas comes in by what is missing", box(-50, 200), [66, 0]],
    ["a node below and right of the canvas comes in beside the map", box(700, 560), [-116, -206]],
    ["a node under the map comes out on the shortest way", box(500, 400), [0, -46]],
    ["of a large forEach the upper left part is shown", box(-300, -200, 2_000, 900), [316, 216]],
    ["a large forEach whose upper left part is visible moves nothing", box(100, 100, 2_000, 900), [0, 0]],
  ])("%s", (_what, node, [x = 0, y = 0]) => {
    expect(shiftToShow(node, frame, [map])).toEqual({ x, y });
  });
});

test("a graph of any size can be shown whole in a narrow canvas", () => {
  for (const [width, height] of [
    [200, 100],
    [60_000, 900],
    [900, 200_000],
  ] as const) {
    const zoom = minZoomOf({ width, height });
    expect(Math.max(width, height) * zoom).toBeLessThanOrEqual(200);
  }
});

describe("the first view of a graph", () => {
  test.each([
    ["is centred where the graph fits", box(0, -100, 400, 500), [200, 150, 1]],
    ["leaves the buttons beside the graph free", box(0, 0, 750, 500), [52, 68, 0.928]],
    ["shows a large graph around its beginning", box(-1_000, 0, 3_000, 4_000), [400, 52, 0.7]],
  ])("%s", (_what, graph, [x = 0, y = 0, zoom = 0]) => {
    const found = viewOf(graph, { x: 0, y: 0 }, { width: 800, height: 600 });
    expect(found.zoom).toBeCloseTo(zoom, 3);
    expect([found.x, found.y].map(Math.round)).toEqual([x, y]);
  });
});

describe("the line from the trigger to a node", () => {
  const trigger = box(0, -80);
  const from = { x: 100, y: 0 };
  test("goes down, across and down where nothing is in its way", () => {
    const points = startPoints(trigger, box(300, 100), [box(0, 300)]);
    expect(points).toEqual([from, { x: 100, y: 28 }, { x: 400, y: 28 }, { x: 400, y: 100 }]);
  });
  test("goes around nodes above its target, on the nearer side", () => {
    const points = startPoints(trigger, box(50, 300), [box(0, 56), box(20, 160)]);
    expect(points.map(({ x }) => x)).toEqual([100, 100, 238, 238, 150, 150]);
  });
  test("goes behind the nodes where no column is free", () => {
    const around = [box(-5_000, 56, 10_000), box(0, 10, 200, 30)];
    expect(startPoints(trigger, box(50, 300), around)).toHaveLength(4);
  });
});
