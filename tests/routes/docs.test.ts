import { createHash } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { ACTIONS } from "../../schema/contract/action.ts";
import { conditionOperatorSchema } from "../../schema/contract/condition.ts";
import { FILTER_NAMES } from "../../worker/domain/template/filters.ts";
import { docsPage } from "../../worker/http/docs/page.ts";
import { startApp } from "../support/bellhop.ts";
import type { Service } from "../support/bellhop.ts";
import { description, operations } from "../support/described.ts";

let bellhop: Service;
let response: Response;
let page: string;
beforeAll(async () => {
  bellhop = await startApp();
  response = await fetch(`${bellhop.url}/docs`);
  page = await response.text();
});
afterAll(() => bellhop.stop());

const idsOf = (html: string) => [...html.matchAll(/ id="([^"]+)"/gu)].map(([, id]) => id);

describe("the documentation", () => {
  test("is a public page made from the same description", () => {
    expect(response.status).toBe(200);
    expect(response.headers.get("Content-Type")).toBe("text/html; charset=utf-8");
    expect(page).toBe(docsPage(description));
  });

  test("has an anchor, an entry in the contents and a call to paste for every operation", () => {
    const ids = idsOf(page);
    expect(new Set(ids).size).toBe(ids.length);
    for (const { id } of operations) {
      expect(ids).toContain(id);
      // In the contents for wide screens and in those for narrow ones, and from itself.
      expect(page.split(`href="#${id}"`).length - 1).toBe(3);
    }
    expect(page.split("curl ").length - 1).toBeGreaterThanOrEqual(operations.length);
  });

  test("says how a workflow is written: every operator and filter, every action with its parameters, every node's output", () => {
    const section = page.slice(page.indexOf('<section id="writing-workflows">'), page.indexOf('<section id="tag-'));
    for (const name of [...conditionOperatorSchema.options, ...FILTER_NAMES]) {
      expect(section).toContain(`<td><code>${name}</code></td>`);
    }
    for (const [action, { params }] of Object.entries(ACTIONS)) {
      const [, block = ""] = section.split(`id="action-${action}"`);
      for (const name of Object.keys(params.shape)) expect(block).toContain(`<code>${name}</code>`);
    }
    for (const text of [
      "nodes.&#60;id&#62;.output",
      "decision",
      "notStarted",
      "executionId",
      "error.&#60;field&#62;",
    ]) {
      expect(section).toContain(text);
    }
    expect(page).toContain('id="schema-Condition"');
    expect(page).toContain("--data-binary @workflow.yaml");
  });

  test("has no broken link", () => {
    const ids = new Set(idsOf(page));
    const links = [...page.matchAll(/href="([^"]*)"/gu)].map(([, link = ""]) => link);
    const outward = links.filter((link) => !link.startsWith("#"));
    expect(outward).toEqual(["/api/v1/openapi.json", "/api/v1/schemas/workflow.json"]);
    expect(links.filter((link) => link.startsWith("#") && !ids.has(link.slice(1)))).toEqual([]);
  });

  test("loads nothing and runs nothing, and its policy says so", () => {
    expect(page).not.toMatch(/<script|<link|<img|<iframe|\son[a-z]+=|javascript:|@import|url\(/iu);
    const style = /<style>([\s\S]*?)<\/style>/u.exec(page)?.[1] ?? "";
    const hash = createHash("sha256").update(style).digest("base64");
    expect(response.headers.get("Content-Security-Policy")).toBe(
      `default-src 'none'; style-src 'sha256-${hash}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
    );
    expect(page).not.toContain(" style=");
    expect(response.headers.get("X-Content-Type-Options")).toBe("nosniff");
  });

  test("is cached by a browser until it changes", async () => {
    const etag = response.headers.get("ETag") ?? "";
    const again = await fetch(`${bellhop.url}/docs`, { headers: { "If-None-Match": etag } });
    expect([again.status, await again.text()]).toEqual([304, ""]);
    expect(again.headers.get("Content-Security-Policy")).toBe(response.headers.get("Content-Security-Policy"));
  });

  test("shows text that looks like HTML as text", () => {
    const hostile = structuredClone(description);
    hostile.info.description = '<img src=x onerror="alert(1)"> & `<b>`';
    const shown = docsPage(hostile);
    expect(shown).not.toContain("<img");
    expect(shown).toContain("<code>&#60;b&#62;</code>");
  });
});
