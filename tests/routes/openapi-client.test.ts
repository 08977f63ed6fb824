import { afterAll, beforeAll, expect, mock, test } from "bun:test";
import { ts } from "@ts-morph/common";
import { copyFile, mkdtemp, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { z } from "zod";
import { ROOT } from "../../scripts/paths.ts";
import { startBellhop } from "../support/bellhop.ts";
import type { Bellhop } from "../support/bellhop.ts";
import { operations } from "../support/described.ts";

/** A client that uses only what the service serves: types from its description, strict compilation, calls. */
let bellhop: Bellhop;
let directory: string;
let types: string;
beforeAll(async () => {
  bellhop = await startBellhop();
  directory = await mkdtemp(join(tmpdir(), "bellhop-client-"));
  await symlink(join(ROOT, "node_modules"), join(directory, "node_modules"));
  await copyFile(join(ROOT, "tests/openapi-client/calls.ts"), join(directory, "calls.ts"));
  await Bun.write(join(directory, "tsconfig.json"), JSON.stringify(TSCONFIG));
  types = await typesOf(await (await fetch(`${bellhop.url}/api/v1/openapi.json`)).text());
});
afterAll(async () => {
  await bellhop.stop();
  await rm(directory, { recursive: true });
});

const TSCONFIG = {
  extends: join(ROOT, "tsconfig.base.json"),
  compilerOptions: {
    composite: false,
    incremental: false,
    declaration: false,
    emitDeclarationOnly: false,
    allowImportingTsExtensions: false,
    skipLibCheck: false,
    types: ["bun-types"],
    rootDir: ".",
    outDir: "out",
  },
  include: ["*.ts"],
};

/** The generator needs the compiler's API in JavaScript, which TypeScript 7 no longer has. */
async function typesOf(document: string): Promise<string> {
  await mock.module("typescript", () => ({ ...ts, default: ts }));
  const { astToString, default: openapiTypes } = await import("openapi-typescript");
  return astToString(await openapiTypes(document, { defaultNonNullable: false }));
}

/** The compiler's errors in the client. */
async function compile(declarations: string): Promise<string> {
  await Bun.write(join(directory, "openapi.d.ts"), declarations);
  const child = Bun.spawn([join(ROOT, "node_modules/.bin/tsc"), "-p", directory], { stdout: "pipe" });
  return new Response(child.stdout).text();
}

test("a client of generated types compiles in strict mode, and its calls of each resource succeed", async () => {
  expect(await compile(types)).toBe("");
  const child = Bun.spawn([process.execPath, join(directory, "out/calls.js")], {
    env: { BELLHOP_URL: bellhop.url, BELLHOP_TOKEN: bellhop.adminToken },
    stdout: "pipe",
    stderr: "pipe",
  });
  const [said, failure] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()]);
  expect(failure).toBe("");
  const { called, ...seen } = z.looseObject({ called: z.array(z.string()) }).parse(JSON.parse(said));
  expect(seen).toMatchObject({
    code: "not_found",
    installer: "not_found",
    refusal: "register_again",
    severity: "medium",
    pools: ["web"],
  });
  const tags = new Set(
    operations.filter(({ method, path }) => called.includes(`${method} ${path}`)).map(({ tag }) => tag),
  );
  expect([...new Set(operations.map(({ tag }) => tag))].filter((tag) => !tags.has(tag))).toEqual([]);
});

test("a client does not compile with a field of another name or type", async () => {
  const changed = types
    .replaceAll("nextRuns:", "occurrences:")
    .replaceAll("timeoutSeconds: number", "timeoutSeconds: string");
  const errors = await compile(changed);
  expect(errors).toContain("'nextRuns' does not exist");
  expect(errors).toContain("Type 'string | 0' is not assignable");
});
