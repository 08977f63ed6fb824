import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { z } from "zod";
import { AgentClient } from "../support/agent-client.ts";
import { createIncident } from "../support/incidents.ts";
import { createUser } from "../support/people.ts";
import { startBellhop } from "../support/bellhop.ts";
import type { Bellhop } from "../support/bellhop.ts";
import {
  DELAY_DEFINITION,
  createAgent,
  createConnection,
  createWorkflow,
  errorPathsOf,
  problemOf,
} from "../support/management-api.ts";

let bellhop: Bellhop;
beforeAll(async () => {
  bellhop = await startBellhop();
});
afterAll(() => bellhop.stop());

const BASE = "/api/v1/automation";
const draft = (name: string) => ({ name, trigger: { type: "webhook" }, definition: DELAY_DEFINITION });

/** Every resource that is edited: how it is created, and how it is renamed. */
const RESOURCES = [
  {
    kind: "agents",
    method: "PATCH",
    make: async () => (await createAgent(bellhop)).agent.id,
    // A field that its pool does not receive, so that the two stores' epoch does not distinguish the edits.
    edit: (description: string) => ({ description }),
  },
  {
    kind: "connections",
    method: "PATCH",
    make: async () => (await createConnection(bellhop)).id,
    edit: (name: string) => ({ name }),
  },
  { kind: "workflows", method: "PUT", make: async () => (await createWorkflow(bellhop)).id, edit: draft },
];

describe.each(RESOURCES)("$kind", ({ kind, method, make, edit }) => {
  const pathOf = (id: string) => `${BASE}/${kind}/${id}`;
  const send = (id: string, name: string, tag?: string) =>
    bellhop.api(method, pathOf(id), edit(name), tag === undefined ? {} : { "If-Match": tag });
  const read = async (id: string, headers: Record<string, string> = {}) => {
    const response = await bellhop.api("GET", pathOf(id), undefined, headers);
    return { response, tag: response.headers.get("ETag") ?? "" };
  };
  const nameOf = async (id: string) => {
    const { data } = named.parse(await (await read(id)).response.json());
    return kind === "agents" ? data.description : data.name;
  };

  test("are changed with the tag that was read, and the response has the next tag", async () => {
    const id = await make();
    const { tag } = await read(id);
    expect(tag).toMatch(/^"\d+\.[\w-]{16}"$/u);
    const changed = await send(id, "second", tag);
    expect(changed.status).toBe(200);
    const next = changed.headers.get("ETag") ?? "";
    expect(next).not.toBe(tag);
    expect((await read(id)).tag).toBe(next);
    expect((await send(id, "third", next)).status).toBe(200);
  });

  test("are neither changed nor deleted with a stale tag: the 412 has the current tag, which then works", async () => {
    const id = await make();
    const { tag: stale } = await read(id);
    await send(id, "second");
    const refused = await send(id, "lost", stale);
    const present = refused.headers.get("ETag") ?? "";
    const { detail } = await problemOf(refused, 412, "precondition_failed");
    expect(detail).toContain("Read it again");
    await problemOf(
      await bellhop.api("DELETE", pathOf(id), undefined, { "If-Match": stale }),
      412,
      "precondition_failed",
    );
    expect(await nameOf(id)).toBe("second");
    expect((await bellhop.api("DELETE", pathOf(id), undefined, { "If-Match": present })).status).toBe(200);
  });

  test("are changed once when two people use the same tag at the same time", async () => {
    const id = await make();
    const { tag } = await read(id);
    const names = Array.from({ length: 6 }, (_, index) => `name ${index}`);
    const statuses = await Promise.all(names.map(async (name) => (await send(id, name, tag)).status));
    expect(statuses.toSorted()).toEqual([200, 412, 412, 412, 412, 412]);
    expect(await nameOf(id)).toBe(names[statuses.indexOf(200)] ?? "");
  });

  test("are changed without If-Match, with *, and with a list of tags; never with a weak tag", async () => {
    const id = await make();
    expect((await send(id, "a")).status).toBe(200);
    expect((await send(id, "b", "*")).status).toBe(200);
    const { tag } = await read(id);
    await problemOf(await send(id, "c", `W/${tag}`), 412, "precondition_failed");
    await problemOf(await send(id, "c", '"other"'), 412, "precondition_failed");
    expect((await send(id, "c", `"1", ${tag} , W/"2"`)).status).toBe(200);
    expect(await errorPathsOf(await send(id, "d", tag.replaceAll('"', "")))).toEqual(["If-Match"]);
    expect(await nameOf(id)).toBe("c");
  });

  test("that do not exist are 404 with any tag", async () => {
    await problemOf(await send("x", "a", "*"), 404, "not_found");
    await problemOf(await send("x", "a", '"1"'), 404, "not_found");
  });

  test("are 304 for a client that has them, until something changes", async () => {
    const id = await make();
    const { tag } = await read(id);
    for (const header of [tag, `W/${tag}`, `"x", ${tag}`]) {
      const { response } = await read(id, { "If-None-Match": header });
      expect([response.status, await response.text(), response.headers.get("ETag")]).toEqual([304, "", tag]);
    }
    await send(id, "other");
    expect((await read(id, { "If-None-Match": tag })).response.status).toBe(200);
  });
});

test("an agent's status changes the tag for If-None-Match and keeps the tag for If-Match", async () => {
  const { agent, apiKey } = await createAgent(bellhop);
  const path = `${BASE}/agents/${agent.id}`;
  const before = (await bellhop.api("GET", path)).headers.get("ETag") ?? "";
  const client = new AgentClient(bellhop, apiKey);
  await client.register();
  await client.poll();
  const after = await bellhop.api("GET", path, undefined, { "If-None-Match": before });
  expect(after.status).toBe(200);
  expect(after.headers.get("ETag")).not.toBe(before);
  expect((await bellhop.api("PATCH", path, { name: "renamed" }, { "If-Match": before })).status).toBe(200);
});

test("a draft is published as it was seen, or not at all", async () => {
  const { id } = await createWorkflow(bellhop);
  const path = `${BASE}/workflows/${id}`;
  const tag = (await bellhop.api("GET", path)).headers.get("ETag") ?? "";
  await bellhop.api("PUT", path, draft("changed by another person"));
  await problemOf(
    await bellhop.api("POST", `${path}/publish`, undefined, { "If-Match": tag }),
    412,
    "precondition_failed",
  );
  const now = (await bellhop.api("GET", path)).headers.get("ETag") ?? "";
  expect((await bellhop.api("POST", `${path}/publish`, undefined, { "If-Match": now })).status).toBe(200);
});

const CHANGES = [
  ...["activate", "deactivate", "publish", "unpublish"].map((verb) => ["workflows", verb] as const),
  ...["enable", "disable"].flatMap((verb) => [["agents", verb] as const, ["connections", verb] as const]),
  ...["acknowledge", "resolve", "escalate", "reassign"].map((verb) => ["incidents", verb] as const),
];
test.each(CHANGES)("of %s, %s works with the current tag only, and returns the next", async (kind, verb) => {
  const made = RESOURCES.find((resource) => resource.kind === kind);
  const id = made === undefined ? (await createIncident(bellhop)).id : await made.make();
  const path = `${BASE}/${kind}/${id}`;
  const body = verb === "reassign" ? { teamId: "ops" } : undefined;
  const tag = (await bellhop.api("GET", path)).headers.get("ETag") ?? "";
  const stale = `"${Number.parseInt(tag.slice(1), 10) - 1}"`;
  const refused = await bellhop.api("POST", `${path}/${verb}`, body, { "If-Match": stale });
  await problemOf(refused, 412, "precondition_failed");
  const revisionOf = (text: string | null) => text?.split(".")[0];
  expect(revisionOf((await bellhop.api("GET", path)).headers.get("ETag"))).toBe(revisionOf(tag));
  const done = await bellhop.api("POST", `${path}/${verb}`, body, { "If-Match": tag });
  expect(done.status).toBe(200);
  expect(done.headers.get("ETag")).toMatch(/^"\d+\.[\w-]{16}"$/u);
});

test("an operation without tags refuses If-Match instead of ignoring it", async () => {
  const user = await createUser(bellhop);
  const requests: [string, string, object?][] = [
    ["PATCH", `/users/${user.id}`, { name: "changed" }],
    ["DELETE", `/users/${user.id}`],
    ["POST", "/incidents", { title: "x" }],
    ["POST", "/workflows", draft("x")],
  ];
  for (const [method, path, body] of requests) {
    const response = await bellhop.api(method, `${BASE}${path}`, body, { "If-Match": '"1"' });
    expect(await errorPathsOf(response)).toEqual(["If-Match"]);
  }
});

test("a stale tag is reported before other problems of the edit", async () => {
  const { id } = await createWorkflow(bellhop);
  await bellhop.api("PUT", `${BASE}/workflows/${id}`, draft("second"));
  const bad = { name: "" };
  await problemOf(
    await bellhop.api("PUT", `${BASE}/workflows/${id}`, bad, { "If-Match": '"1"' }),
    412,
    "precondition_failed",
  );
  await problemOf(
    await bellhop.api("PUT", `${BASE}/workflows/${id}`, bad, { "If-Match": '"2"' }),
    400,
    "invalid_request",
  );
});

const named = z.object({ data: z.object({ name: z.string(), description: z.string().nullish() }) });
