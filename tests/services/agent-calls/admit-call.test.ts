import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { migrateDatabase } from "../../../scripts/migrate-database.ts";
import { agents } from "../../../schema/tables/index.ts";
import { admitCall } from "../../../worker/services/agent-calls/call-dispatcher.ts";
import { keyDigestOf } from "../../../worker/services/agent-calls/key-digest.ts";
import { signSession, vouchFor } from "../../../worker/services/agent-calls/session.ts";
import type { AgentSession } from "../../../worker/services/agent-calls/session.ts";
import { verifyAgentKeyAgain } from "../../../worker/services/agent-calls/verify-agent-key.ts";
import type { Deps } from "../../../worker/services/deps.ts";
import { newId } from "../../../worker/services/ids.ts";
import { mintAgentKey } from "../../../worker/services/keys.ts";
import { ProblemError } from "../../../worker/services/problem.ts";
import { hashSecret } from "../../../worker/services/secret-hash.ts";
import { startTestLibsql } from "../../support/libsql.ts";
import type { TestLibsql } from "../../support/libsql.ts";
import { testInFull } from "../../support/in-full.ts";
import { TEST_SERVER_SECRET, testDeps } from "../../support/test-deps.ts";

const SECRET = TEST_SERVER_SECRET;
const MINUTE_MS = 60_000;
/** More keys than the memory of an isolate holds. */
const MANY = 1_100;
const A_BATCH = 100;

let libsql: TestLibsql;
let deps: Deps;
let now = Date.UTC(2026, 10, 5, 12);

interface Agent {
  id: string;
  key: string;
}

beforeAll(async () => {
  libsql = await startTestLibsql();
  await migrateDatabase({ url: libsql.server.url });
  deps = testDeps(libsql.server.url, { now: () => now });
});
afterAll(() => libsql.dispose());
// Expires the keys that earlier tests left in the isolate's memory.
beforeEach(() => {
  now += 60 * MINUTE_MS;
});

async function newAgents(count: number): Promise<Agent[]> {
  const made = await Promise.all(
    Array.from({ length: count }, async () => {
      const { prefix, key } = mintAgentKey(SECRET);
      return { id: newId("agent", now), key, keyPrefix: prefix, keyHash: await hashSecret(key) };
    }),
  );
  for (let at = 0; at < count; at += A_BATCH) {
    const rows = made.slice(at, at + A_BATCH).map(({ id, keyPrefix, keyHash }) => ({ id, keyPrefix, keyHash }));
    await deps.db.insert(agents).values(rows.map((row) => ({ ...row, name: row.id, createdAt: now, updatedAt: now })));
  }
  return made.map(({ id, key }) => ({ id, key }));
}

async function newAgent(): Promise<Agent> {
  const [agent] = await newAgents(1);
  if (agent === undefined) throw new Error("no agent was made");
  return agent;
}

/** The session that an agent has after its registration. */
function sessionOf({ id, key }: Agent, epoch = 1): AgentSession {
  const verified = vouchFor(keyDigestOf(SECRET, key), epoch, now);
  return { poolObject: "pool:web", agentId: id, instanceId: "instance-1", verified };
}

async function statementsOf(work: () => Promise<unknown>): Promise<number> {
  const before = libsql.server.statementCount();
  await work();
  return libsql.server.statementCount() - before;
}

async function refusalOf(work: Promise<unknown>): Promise<string> {
  const error: unknown = await work.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (error instanceof ProblemError) return error.code;
  throw new Error("it was not refused", { cause: error });
}

testInFull(
  "calls of more agents than memory holds cost no query and no bcrypt for half an hour, then one each",
  async () => {
    const fleet = await newAgents(MANY);
    const sessions = fleet.map((agent) => signSession(SECRET, sessionOf(agent)));
    const callAll = async (signed: readonly string[]) => {
      for (const [index, { id, key }] of fleet.entries()) {
        const call = await admitCall(deps, key, signed[index] ?? null);
        expect([call.session.agentId, call.epoch]).toEqual([id, 1]);
      }
    };
    expect(await statementsOf(() => callAll(sessions))).toBe(0);
    expect(await statementsOf(() => callAll(sessions))).toBe(0);
    now += 29 * MINUTE_MS;
    expect(await statementsOf(() => callAll(sessions))).toBe(0);
    now += 31 * MINUTE_MS;
    expect(await statementsOf(() => callAll(sessions))).toBe(MANY);
    // Sessions from before they vouched for keys still work.
    const older = fleet.map((agent) => signSession(SECRET, { ...sessionOf(agent), verified: null }));
    expect(await statementsOf(() => callAll(older))).toBe(MANY);
  },
);

describe("a session does not authenticate", () => {
  test("a call with another agent's key, which gets register_again", async () => {
    const [mine, other] = await newAgents(2);
    if (mine === undefined || other === undefined) throw new Error("too few agents");
    const stolen = signSession(SECRET, sessionOf(other));
    expect(await refusalOf(admitCall(deps, mine.key, stolen))).toBe("register_again");
  });

  test("a call without the key, with any guess", async () => {
    const agent = await newAgent();
    const stolen = sessionOf(agent);
    for (const guess of ["", "nonsense", stolen.verified?.keyDigest ?? "", `${agent.key}x`, agent.key.slice(0, -1)]) {
      expect(await refusalOf(admitCall(deps, guess, signSession(SECRET, stolen)))).toBe("unauthorized");
    }
  });

  test("with a changed epoch or digest, or another deployment's signature", async () => {
    const agent = await newAgent();
    const [body = "", signature = ""] = signSession(SECRET, sessionOf(agent)).split(".");
    const forgedBody = Buffer.from(JSON.stringify(sessionOf(agent, 9))).toString("base64url");
    for (const forged of [`${forgedBody}.${signature}`, signSession(`${SECRET}-other`, sessionOf(agent)), body]) {
      expect(await refusalOf(admitCall(deps, agent.key, forged))).toBe("register_again");
    }
  });

  test("of another deployment with that deployment's key, and costs no query", async () => {
    const elsewhere = `${SECRET}-other`;
    const { key } = mintAgentKey(elsewhere);
    const session = sessionOf({ id: "agt_elsewhere", key });
    for (const verified of [session.verified, vouchFor(keyDigestOf(elsewhere, key), 1, now)]) {
      const signed = signSession(elsewhere, { ...session, verified });
      const count = await statementsOf(async () => {
        expect(await refusalOf(admitCall(deps, key, signed))).toBe("unauthorized");
      });
      expect(count).toBe(0);
    }
  });
});

test("a key that libSQL has just refused is refused from memory, with any session", async () => {
  const { key } = mintAgentKey(SECRET);
  const gone = { id: "agt_gone", key };
  const signed = signSession(SECRET, sessionOf(gone));
  // The dispatcher would refuse this epoch, and the key is looked up.
  expect((await admitCall(deps, key, signed)).epoch).toBe(1);
  expect(await refusalOf(verifyAgentKeyAgain(deps, key))).toBe("unauthorized");
  const count = await statementsOf(async () => {
    for (let calls = 0; calls < 20; calls += 1) {
      expect(await refusalOf(admitCall(deps, key, signed))).toBe("unauthorized");
    }
  });
  expect(count).toBe(0);
});

test("the newer epoch of memory and session counts", async () => {
  const agent = await newAgent();
  await verifyAgentKeyAgain(deps, agent.key);
  expect((await admitCall(deps, agent.key, signSession(SECRET, sessionOf(agent, 5)))).epoch).toBe(5);
  expect((await admitCall(deps, agent.key, signSession(SECRET, sessionOf(agent, 0)))).epoch).toBe(1);
});
