import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { auditEntrySchema } from "../../schema/contract/people.ts";
import type { AuditEntryView } from "../../schema/contract/people.ts";
import { triggerAnswerSchema } from "../../schema/contract/webhook.ts";
import { AgentClient } from "../support/agent-client.ts";
import { startBellhop } from "../support/bellhop.ts";
import type { Bellhop } from "../support/bellhop.ts";
import {
  call,
  createAgent,
  createConnection,
  createWorkflow,
  dataOf,
  errorPathsOf,
  pageOf,
} from "../support/management-api.ts";
import { eventually } from "../support/eventually.ts";
import { createUser, signedIn } from "../support/people.ts";

let bellhop: Bellhop;
let agentId: string;
let workflowId: string;
let actor: string;
beforeAll(async () => {
  bellhop = await startBellhop();
  // By the API, which records an entry.
  const password = "a password of the API";
  const user = await createUser(bellhop, { password });
  actor = `user:${user.email}`;
  const browser = await signedIn(bellhop, user, password);
  agentId = (await createAgent(bellhop)).agent.id;
  await createConnection(bellhop);
  workflowId = (await createWorkflow(bellhop)).id;
  await browser.call("PATCH", `/api/v1/automation/agents/${agentId}`, { name: "renamed" });
  await browser.call("POST", `/api/v1/automation/workflows/${workflowId}/publish`);
});
afterAll(() => bellhop.stop());

async function list(filter: Record<string, string> = {}): Promise<AuditEntryView[]> {
  const response = await call(bellhop, "GET", `/audit?${new URLSearchParams(filter)}`);
  return (await pageOf(response, auditEntrySchema)).items;
}

const lines = (entries: AuditEntryView[]) => entries.map(({ verb, subjectType }) => `${verb} ${subjectType}`);

describe("the audit log", () => {
  test("lists every write, newest first", async () => {
    expect(lines(await list())).toEqual([
      "publish workflow",
      "update agent",
      "create workflow",
      "create connection",
      "create agent",
      "login user",
      "create user",
    ]);
  });

  test("is filtered by actor, verb, subject and time", async () => {
    expect(lines(await list({ actor }))).toEqual(["publish workflow", "update agent", "login user"]);
    expect(lines(await list({ verb: "create" }))).toHaveLength(4);
    expect(lines(await list({ subjectType: "agent" }))).toEqual(["update agent", "create agent"]);
    expect(lines(await list({ subjectId: workflowId, actor }))).toEqual(["publish workflow"]);
    expect(await list({ actor: "user:unknown@example.com" })).toEqual([]);
    const all = await list();
    const at = all[1]?.at ?? "";
    expect(await list({ from: at })).toEqual(all.filter((entry) => entry.at >= at));
    expect(await list({ to: at })).toEqual(all.filter((entry) => entry.at <= at));
    expect(await list({ from: "2100-01-01T00:00:00+01:00" })).toEqual([]);
  });

  test("names the workflow of an execution, and the agent of a credential", async () => {
    const named = await createWorkflow(bellhop, { name: "Waits" });
    await call(bellhop, "POST", `/workflows/${named.id}/publish`);
    const answer = await call(bellhop, "POST", `/workflows/${named.id}/execute`);
    const { executionId } = await dataOf(answer, 201, triggerAnswerSchema);
    await call(bellhop, "POST", `/executions/${executionId}/cancel`);
    expect(await list({ subjectId: executionId })).toMatchObject([
      { verb: "cancel", detail: { workflowId: named.id }, names: { [named.id]: "Waits" } },
    ]);

    const { agent, apiKey } = await createAgent(bellhop, { name: "db-1" });
    const { id } = await createConnection(bellhop, {
      name: "A database host",
      type: "custom",
      poolId: null,
      agentId: agent.id,
      config: { fields: {} },
    });
    const client = new AgentClient(bellhop, apiKey);
    await client.register();
    await client.heartbeat([], [{ connectionId: id, version: 0, changedAt: "2026-01-01T12:00:00.000Z" }]);
    const changed = await eventually("the entry", async () => {
      const entries = await list({ subjectId: id, verb: "credential-changed" });
      return entries.length === 0 ? null : entries;
    });
    expect(changed).toMatchObject([
      { detail: { agentId: agent.id }, names: { [agent.id]: "db-1", [id]: "A database host" } },
    ]);
  });

  test("has pages that neither lose nor repeat an entry", async () => {
    const all = await list();
    const seen: AuditEntryView[] = [];
    for (let cursor: string | null = ""; cursor !== null;) {
      const next: string = cursor === "" ? "" : `&cursor=${cursor}`;
      const page = await pageOf(await call(bellhop, "GET", `/audit?limit=2${next}`), auditEntrySchema);
      seen.push(...page.items);
      cursor = page.nextCursor;
    }
    expect(seen).toEqual(all);
  });

  test("refuses invalid filters", async () => {
    expect(await errorPathsOf(await call(bellhop, "GET", "/audit?from=yesterday&limit=0"))).toEqual(["from", "limit"]);
    expect(await errorPathsOf(await call(bellhop, "GET", "/audit?cursor=x"))).toEqual(["cursor"]);
    expect(await errorPathsOf(await call(bellhop, "GET", "/audit?actor="))).toEqual(["actor"]);
  });
});
