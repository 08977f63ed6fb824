import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { z } from "zod";
import { enrolResponseSchema } from "../../schema/contract/agent.ts";
import { createEnrolment, regenerateAgentKey } from "../../schema/contract/api/agents.ts";
import { enrolAgent } from "../../schema/contract/api/agent.ts";
import { agentKeyAnswerSchema, enrolmentSchema } from "../../schema/contract/management.ts";
import { ENROLMENT_ATTEMPTS_PER_MINUTE } from "../../schema/limits.ts";
import { mintEnrolmentCode } from "../../worker/services/keys.ts";
import { AgentClient } from "../support/agent-client.ts";
import { CLIENT_IP_HEADER, startBellhop } from "../support/bellhop.ts";
import type { Bellhop } from "../support/bellhop.ts";
import { query } from "../support/database.ts";
import { undescribed } from "../support/described.ts";
import { call, createAgent, dataOf, errorPathsOf, heartbeatStatus, problemOf } from "../support/management-api.ts";

const lines: string[] = [];
let bellhop: Bellhop;
beforeAll(async () => {
  bellhop = await startBellhop({ bindings: { LOG_LEVEL: "DEBUG" }, onLogLine: (line) => void lines.push(line) });
});
afterAll(() => bellhop.stop());

/** Each test has another address, so that no test uses up another one's attempts. */
let address = 0;
beforeEach(() => void (address += 1));

const newCode = async (id: string) =>
  dataOf(await call(bellhop, "POST", `/agents/${id}/enrolment`), 201, enrolmentSchema);

function enrol(body: unknown): Promise<Response> {
  return fetch(`${bellhop.url}${enrolAgent.path}`, {
    method: "POST",
    headers: { "Content-Type": "application/json", [CLIENT_IP_HEADER]: `192.0.2.${address}` },
    body: JSON.stringify(body),
  });
}

const enrolled = async (code: string) => (await dataOf(await enrol({ code }), 200, enrolResponseSchema)).apiKey;

async function agentWithCode() {
  const { agent, apiKey } = await createAgent(bellhop);
  return { id: agent.id, apiKey, ...(await newCode(agent.id)) };
}

const auditOf = async (id: string) =>
  z
    .array(z.object({ actor: z.string(), verb: z.string(), detail: z.string() }))
    .parse(await query(bellhop, "select actor, verb, detail from audit_log where subject_id = ? order by id", [id]));

describe("an enrolment code", () => {
  test("is exchanged for a key that works, and the key that the agent was created with is refused", async () => {
    const { id, apiKey, code, expiresAt } = await agentWithCode();
    expect(code).toMatch(/^bhe_[A-Za-z0-9]{43}$/u);
    expect(Date.parse(expiresAt) - Date.now()).toBeWithin(3_500_000, 3_600_001);
    const key = await enrolled(code);
    expect(key).not.toBe(apiKey);
    const former = new AgentClient(bellhop, apiKey);
    await problemOf(await former.send("POST", "/register", former.registration()), 401, "unauthorized");
    const client = new AgentClient(bellhop, key);
    expect(await client.register()).toMatchObject({ agentId: id, enabled: true });
    expect(await heartbeatStatus(bellhop, client)).toBe(200);
    expect(await query(bellhop, "select id from agents where epoch <> pushed_epoch")).toEqual([]);
  });

  test("works for a disabled agent, which stays disabled", async () => {
    const { id, code } = await agentWithCode();
    await call(bellhop, "POST", `/agents/${id}/disable`);
    expect(await new AgentClient(bellhop, await enrolled(code)).register()).toMatchObject({ enabled: false });
  });

  test("that is not exchanged leaves the key of the agent's creation valid", async () => {
    const { id, apiKey } = await agentWithCode();
    expect(await new AgentClient(bellhop, apiKey).register()).toMatchObject({ agentId: id });
  });

  test("and its use are in the audit log, and no row, log line or answer repeats code or key", async () => {
    const { id, code } = await agentWithCode();
    const key = await enrolled(code);
    await problemOf(await enrol({ code }), 410, "gone");
    const entries = await auditOf(id);
    expect(entries.map(({ actor, verb }) => [actor, verb]).slice(1)).toEqual([
      ["bootstrap", "enrolment-code"],
      [`agent:${id}`, "enrol"],
    ]);
    const shown = JSON.stringify([
      entries,
      lines,
      await query(bellhop, "select * from agents"),
      await (await call(bellhop, "GET", `/agents/${id}`)).json(),
    ]);
    expect([code.slice(4), key.slice(13)].filter((secret) => shown.includes(secret))).toEqual([]);
  });

  test("matches the description of the API, exchanged or refused", async () => {
    const { agent } = await createAgent(bellhop);
    const made = await call(bellhop, "POST", `/agents/${agent.id}/enrolment`);
    const { code } = z.object({ data: enrolmentSchema }).parse(await made.clone().json()).data;
    expect(await undescribed(createEnrolment, made)).toEqual([]);
    for (const body of [{ code }, { code }, { code: mintEnrolmentCode("another deployment") }, {}]) {
      expect(await undescribed(enrolAgent, await enrol(body))).toEqual([]);
    }
  });
});

describe("a code that is refused: 410", () => {
  test("after its use, and the key of that use keeps working", async () => {
    const { code } = await agentWithCode();
    const key = await enrolled(code);
    expect((await problemOf(await enrol({ code }), 410, "gone")).detail).toContain("Create another code");
    await new AgentClient(bellhop, key).register();
  });

  test("after an hour, and the earlier key keeps working", async () => {
    const { id, apiKey, code } = await agentWithCode();
    await query(bellhop, "update agents set enrolment_expires_at = ? where id = ?", [Date.now() - 1, id]);
    expect((await problemOf(await enrol({ code }), 410, "gone")).detail).toContain("has expired");
    await new AgentClient(bellhop, apiKey).register();
  });

  test("after another code replaced it, which works", async () => {
    const { id, code } = await agentWithCode();
    const second = await newCode(id);
    await problemOf(await enrol({ code }), 410, "gone");
    await enrolled(second.code);
  });

  test("after its agent registered with the earlier key, which keeps working", async () => {
    const { apiKey, code } = await agentWithCode();
    const client = new AgentClient(bellhop, apiKey);
    await client.register();
    await problemOf(await enrol({ code }), 410, "gone");
    expect(await heartbeatStatus(bellhop, client)).toBe(200);
  });

  test("of an agent that registered while the code was created", async () => {
    const { id, apiKey, code } = await agentWithCode();
    const [row] = await query(bellhop, "select enrolment_digest, enrolment_expires_at from agents where id = ?", [id]);
    const client = new AgentClient(bellhop, apiKey);
    await client.register();
    await query(bellhop, "update agents set enrolment_digest = ?, enrolment_expires_at = ? where id = ?", [
      String(row?.["enrolment_digest"]),
      Number(row?.["enrolment_expires_at"]),
      id,
    ]);
    await problemOf(await enrol({ code }), 410, "gone");
    expect(await heartbeatStatus(bellhop, client)).toBe(200);
  });

  test("after its agent's key was regenerated", async () => {
    const { id, code } = await agentWithCode();
    const path = `/agents/${id}/regenerate-key`;
    const { apiKey } = await dataOf(await call(bellhop, "POST", path), 201, agentKeyAnswerSchema);
    await problemOf(await enrol({ code }), 410, "gone");
    await new AgentClient(bellhop, apiKey).register();
  });

  test("after its agent was deleted", async () => {
    const { id, code } = await agentWithCode();
    await call(bellhop, "DELETE", `/agents/${id}`);
    await problemOf(await enrol({ code }), 410, "gone");
  });

  test("for all but one of the uses at the same moment", async () => {
    const { id, code } = await agentWithCode();
    const responses = await Promise.all(Array.from({ length: 8 }, () => enrol({ code })));
    const keys: string[] = [];
    for (const response of responses) {
      if (response.ok) keys.push((await dataOf(response, 200, enrolResponseSchema)).apiKey);
      else await problemOf(response, 410, "gone");
    }
    expect(keys).toHaveLength(1);
    await new AgentClient(bellhop, keys[0] ?? "").register();
    expect((await auditOf(id)).filter(({ verb }) => verb === "enrol")).toHaveLength(1);
  });
});

describe("a code that this deployment did not make", () => {
  test("is refused: 401", async () => {
    await agentWithCode();
    const response = await enrol({ code: mintEnrolmentCode("another deployment") });
    expect(response.headers.get("WWW-Authenticate")).toBe("Bearer");
    await problemOf(response, 401, "unauthorized");
  });

  test.each([
    ["is missing", {}],
    ["is cut", { code: "bhe_short" }],
    ["is an agent key", { code: `bh${"a".repeat(10)}_${"b".repeat(43)}` }],
    ["is no text", { code: 7 }],
  ])("gets 400 with its path when it %s", async (_, body) => {
    expect(await errorPathsOf(await enrol(body))).toEqual(["code"]);
  });

  test("gets 429 when many came from one address; the right code and other addresses still pass", async () => {
    const { code } = await agentWithCode();
    const guess = () => enrol({ code: mintEnrolmentCode("another deployment") });
    for (let sent = 0; sent < ENROLMENT_ATTEMPTS_PER_MINUTE; sent += 1) expect((await guess()).status).toBe(401);
    const response = await guess();
    expect(Number(response.headers.get("Retry-After"))).toBeWithin(1, 61);
    await problemOf(response, 429, "rate_limit_exceeded");
    await enrolled(code);
    address += 100;
    expect((await guess()).status).toBe(401);
  });
});

test("a used code is looked up a limited number of times in a minute, from any address", async () => {
  const { code } = await agentWithCode();
  await enrolled(code);
  const statuses: number[] = [];
  for (let sent = 0; sent < ENROLMENT_ATTEMPTS_PER_MINUTE; sent += 1) {
    address = sent;
    statuses.push((await enrol({ code })).status);
  }
  expect(statuses).toEqual([...Array.from({ length: ENROLMENT_ATTEMPTS_PER_MINUTE - 1 }, () => 410), 429]);
});

describe("no code is made", () => {
  test("for an agent that has registered: 409", async () => {
    const { agent, apiKey } = await createAgent(bellhop);
    await new AgentClient(bellhop, apiKey).register();
    const refused = await call(bellhop, "POST", `/agents/${agent.id}/enrolment`);
    expect((await problemOf(refused, 409, "conflict")).detail).toContain("regenerate it");
    await call(bellhop, "POST", `/agents/${agent.id}/regenerate-key`);
    await problemOf(await call(bellhop, "POST", `/agents/${agent.id}/enrolment`), 409, "conflict");
  });

  test("for an unknown or deleted agent: 404", async () => {
    const { agent } = await createAgent(bellhop);
    await call(bellhop, "DELETE", `/agents/${agent.id}`);
    for (const id of [agent.id, "agt_none"]) {
      await problemOf(await call(bellhop, "POST", `/agents/${id}/enrolment`), 404, "not_found");
    }
  });

  test("without the permission that creates agents, the same as for regenerating a key", () => {
    expect(createEnrolment.access).toBe(regenerateAgentKey.access);
  });
});
