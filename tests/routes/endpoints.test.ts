import { expect, test } from "bun:test";
import { Hono } from "hono";
import type { Operation } from "../../schema/contract/operation.ts";
import type { AppEnv } from "../../worker/http/app-types.ts";
import { endpoint, mountEndpoints } from "../../worker/http/endpoint.ts";
import { operations } from "../support/described.ts";

function operationAt(path: Operation["path"]): Operation {
  const answer = { kind: "raw", status: 200, contentType: "text/plain" } as const;
  return { id: path, method: "GET", path, tag: "Health", summary: "x", access: "public", answer };
}

const PATHS = ["/a/{id}", "/c/d", "/a/b", "/a/{id}/e", "/{any}/b/c", "/a/{id}/{of}", "/a/b/{id}"] as const;
const ASKED: [string, string][] = [
  ["/a/b", "/a/b"],
  ["/a/x", "/a/{id}"],
  ["/c/d", "/c/d"],
  ["/a/x/e", "/a/{id}/e"],
  ["/a/x/y", "/a/{id}/{of}"],
  ["/a/b/c", "/a/b/{id}"],
  ["/z/b/c", "/{any}/b/c"],
];

/** Every order of short lists; of long ones, the rotations of both directions. */
const orders = PATHS.flatMap((_, n) => {
  const turned = [...PATHS.slice(n), ...PATHS.slice(0, n)];
  return [turned, turned.toReversed()];
});

test.each(orders.map((paths) => ({ paths })))(
  "a path without a parameter matches before one with a parameter, in any order of the list: $paths",
  async ({ paths }) => {
    const app = new Hono<AppEnv>();
    mountEndpoints(
      app,
      paths.map((path) => endpoint(operationAt(path), (context) => context.text(path))),
    );
    for (const [asked, answers] of ASKED)
      expect([asked, await (await app.request(asked)).text()]).toEqual([asked, answers]);
  },
);

test("no method of a path is listed twice", () => {
  const lines = operations.map(({ method, path }) => `${method} ${path.replaceAll(/\{\w+\}/gu, "{}")}`);
  expect(lines.filter((line, index) => lines.indexOf(line) !== index)).toEqual([]);
});
