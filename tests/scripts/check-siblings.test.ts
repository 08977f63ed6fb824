import { describe, expect, test } from "bun:test";
import { checkSiblings, siblingProblems } from "../../scripts/check-siblings.ts";

/** The number of problems that an import of `specifier` has in the file at `path`. */
const problemsOf = (path: string, specifier: string) =>
  siblingProblems([{ path, text: `import type { Name } from "${specifier}";\n` }]).length;

describe("an import of another folder of services or actors", () => {
  test.each([
    ["worker/services/oidc/find-person.ts", "../people/create.ts"],
    ["worker/services/settings.ts", "./oidc/flow.ts"],
    ["worker/services/jobs/get.ts", "../../actors/dispatcher/views.ts"],
    ["worker/actors/run/step-deps.ts", "../../services/workflows/resolve-inputs.ts"],
    ["worker/actors/notifier/object.ts", "../dispatcher/rpc.ts"],
    ["worker/actors/dispatcher/step/orders.ts", "../../notifier/notification.ts"],
    ["worker/actors/kit/outbox.ts", "../gate/inbox.ts"],
  ])("is a problem when %s imports %s", (path, specifier) => {
    expect(problemsOf(path, specifier)).toBe(1);
  });

  test.each([
    ["worker/services/oidc/find-person.ts", "../people/index.ts"],
    ["worker/services/oidc/find-person.ts", "./flow.ts"],
    ["worker/services/oidc/find-person.ts", "../deps.ts"],
    ["worker/services/oidc/find-person.ts", "../../actors/kit/retry-on-conflict.ts"],
    ["worker/services/oidc/find-person.ts", "../../domain/incident/match.ts"],
    ["worker/actors/dispatcher/step/orders.ts", "../rules/job.ts"],
    ["worker/actors/dispatcher/step/orders.ts", "../../kit/set-map.ts"],
  ])("is no problem when %s imports %s", (path, specifier) => {
    expect(problemsOf(path, specifier)).toBe(0);
  });

  test("is found when it spans several lines, is a re-export or is lazy", () => {
    const text = [
      'import {\n  one,\n  two,\n} from "../people/create.ts";',
      'export { three } from "../people/update.ts";',
      'const four = await import("../people/delete.ts");',
    ].join("\n");
    expect(siblingProblems([{ path: "worker/services/oidc/issuer.ts", text }])).toHaveLength(3);
  });

  test("is reported with the file to import instead", () => {
    const text = 'import { createUser } from "../people/create.ts";';
    expect(siblingProblems([{ path: "worker/services/oidc/issuer.ts", text }])).toEqual([
      "worker/services/oidc/issuer.ts imports worker/services/people/create.ts, a file inside another folder. " +
        "Import worker/services/people/index.ts and export the name there, or move worker/services/people/create.ts to where both may see it.",
    ]);
  });
});

test("an index.ts that exports all of a file is a problem", () => {
  const text = 'export * from "./create.ts";';
  expect(siblingProblems([{ path: "worker/services/people/index.ts", text }])).toHaveLength(1);
  expect(siblingProblems([{ path: "worker/services/people/all.ts", text }])).toEqual([]);
});

test("the repository has no such problem", async () => {
  expect(await checkSiblings()).toEqual([]);
});
