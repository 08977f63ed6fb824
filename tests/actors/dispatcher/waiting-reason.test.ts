import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { ROOT } from "../../../scripts/paths.ts";
import { describe, expect, test } from "bun:test";
import type { WaitingCode } from "../../../schema/contract/waiting.ts";
import type { Candidate, WaitingJob } from "../../../worker/actors/dispatcher/rules/candidate.ts";
import { waitingReason } from "../../../worker/actors/dispatcher/rules/waiting-reason.ts";
import { job, candidate } from "../../support/candidates.ts";

describe("the waiting reason of a job", () => {
  test.each<[string, Partial<WaitingJob>, Candidate[], string]>([
    [
      "no agent",
      {},
      [],
      "The pool web has no agent yet. Create one in it and start it, or correct the connection's pool.",
    ],
    [
      "an offline agent",
      {},
      [candidate("a", { status: "Offline" })],
      "No agent of the pool can take it: a is offline. Start it.",
    ],
    [
      "several agents with different reasons",
      { needsCredential: true },
      [candidate("a", { status: "Offline" }), candidate("b", { status: "Offline" }), candidate("c")],
      "No agent of the pool can take it: a and b are offline, c is without the connection's credential. Deliver the credential of connection con_1.",
    ],
    [
      "an agent without the secrets of the script, with any needs of the connection",
      { secretsFrom: "con_vault" },
      [candidate("a"), candidate("b", { status: "Offline" })],
      "No agent of the pool can take it: a is without the secrets that its script gets, b is offline. Deliver the credential of connection con_vault.",
    ],
    [
      "a pinned agent without the secrets of the script",
      { pinnedAgentId: "a", secretsFrom: "con_vault" },
      [candidate("a")],
      "Its agent a is without the secrets that its script gets. Deliver the credential of connection con_vault.",
    ],
    [
      "an agent that is too old",
      { features: ["namedValues"] },
      [candidate("a")],
      "No agent of the pool can take it: a is too old for named values. Update it.",
    ],
    [
      "several agents that are too old, with or without a credential",
      { features: ["namedValues"], needsCredential: true },
      [candidate("a"), candidate("b", { credentials: new Set(["con_1"]) }), candidate("c", { status: "Offline" })],
      "No agent of the pool can take it: a and b are too old for named values, c is offline. Update a or b, or start c.",
    ],
    [
      "an agent that is too old and another without the credential",
      { features: ["namedValues"], needsCredential: true },
      [candidate("a"), candidate("b", { features: ["namedValues"] })],
      "No agent of the pool can take it: a is too old for named values, b is without the connection's credential. Deliver the credential of connection con_1.",
    ],
    [
      "a pinned agent that is too old",
      { pinnedAgentId: "a", features: ["namedValues"] },
      [candidate("a")],
      "Its agent a is too old for named values. Update it.",
    ],
    [
      "one that is too old for the list of workflows",
      { features: ["boundWorkflows"] },
      [candidate("a")],
      "No agent of the pool can take it: a is too old for credentials that are for certain workflows. Update it.",
    ],
    [
      "one that does not check targets",
      { features: ["targets"] },
      [candidate("a")],
      "No agent of the pool can take it: a is too old for connections with several hosts. Update it.",
    ],
    [
      "one that shuts down",
      {},
      [candidate("a", { draining: true })],
      "No agent of the pool can take it: a is shutting down. Start it again.",
    ],
    [
      "an agent that lacks the action",
      { action: "redis.get" },
      [candidate("a")],
      "No agent of the pool can take it: a is too old for redis.get. Update it.",
    ],
    [
      "several agents that lack the action",
      { action: "redis.get" },
      [candidate("a"), candidate("b"), candidate("c", { status: "Offline" })],
      "No agent of the pool can take it: a and b are too old for redis.get, c is offline. Update a or b, or start c.",
    ],
    [
      "full agents",
      {},
      [candidate("a", { room: 0 })],
      "No agent of the pool can take it: a is busy with as many jobs as it may run.",
    ],
    [
      "an agent that was killed or whose poll loop hangs",
      {},
      [candidate("a", { polling: false, silentMs: 23_400 })],
      "No agent of the pool can take it: a does not ask for jobs and was last heard from 23 s ago. It may be down, and counts as offline after 90 s of silence. Restart it.",
    ],
    [
      "a pinned agent that does not poll",
      { pinnedAgentId: "a" },
      [candidate("a", { polling: false, silentMs: 23_400 })],
      "Its agent a does not ask for jobs and was last heard from 23 s ago. It may be down, and counts as offline after 90 s of silence. Restart it.",
    ],
    [
      "several agents that do not poll",
      {},
      [
        candidate("a", { polling: false, silentMs: 20_000 }),
        candidate("b", { polling: false, silentMs: 61_000 }),
        candidate("c", { status: "Offline" }),
      ],
      "No agent of the pool can take it: a does not ask for jobs and was last heard from 20 s ago, b does not ask for jobs and was last heard from 61 s ago, c is offline. a and b may be down, and count as offline after 90 s of silence. Restart a or b, or start c.",
    ],
    [
      "an agent that never started",
      {},
      [candidate("a", { registered: false })],
      "No agent of the pool can take it: a was never started. Start it with its key.",
    ],
    [
      "several agents, most of them disabled",
      {},
      [candidate("a", { enabled: false }), candidate("b", { status: "Offline" }), candidate("c", { enabled: false })],
      "No agent of the pool can take it: a and c are disabled, b is offline. Enable a or c, or start b.",
    ],
    [
      "three busy agents",
      {},
      [candidate("a", { room: 0 }), candidate("b", { room: 0 }), candidate("c", { room: 0 })],
      "No agent of the pool can take it: a, b and c are busy with as many jobs as they may run.",
    ],
    [
      "an offline agent with the credential and another without it",
      { needsCredential: true },
      [candidate("a", { status: "Offline", credentials: new Set(["con_1"]) }), candidate("b")],
      "No agent of the pool can take it: a is offline, b is without the connection's credential. Deliver the credential of connection con_1. Or start a.",
    ],
    [
      "an agent without an optional credential",
      { needsCredential: true, credentialIsOptional: true },
      [candidate("a")],
      "No agent of the pool can take it: a is without the connection's credential. Deliver the credential of connection con_1, or withdraw it if its jobs need none.",
    ],
    [
      "an agent with an optional credential for another target",
      { needsCredential: true, credentialIsOptional: true },
      [candidate("a", { mismatchOf: () => "other_target" })],
      "No agent of the pool can take it: a is holding the connection's credential for another target. Deliver the credential of connection con_1 again, or change the connection back. Or test the connection, so that the agent sees its target, and then bind the credential on the agent's machine (bellhop-agent credentials bind con_1). Or withdraw it if its jobs need none (DELETE /connections/con_1/credentials).",
    ],
    [
      "more than three agents, counted",
      {},
      ["a", "b", "c", "d"].map((name) =>
        candidate(name, { polling: name === "d", status: name === "d" ? "Offline" : "Online" }),
      ),
      "No agent of the pool can take it: 3 not asking for jobs, 1 offline. They may be down, and count as offline after 90 s of silence. Restart one.",
    ],
    [
      "a pinned agent that is offline",
      { pinnedAgentId: "a" },
      [candidate("a", { status: "Offline" })],
      "Its agent a is offline. Start it.",
    ],
    [
      "a pinned agent that has not called with its new key",
      { pinnedAgentId: "a" },
      [candidate("a", { status: "Offline", rekeyed: true })],
      "Its agent a got a new key and has not called with it yet. Give it the new key.",
    ],
    ["the next poll", {}, [candidate("a")], "Agent a gets the job with its next poll."],
    [
      "the agent that the job is reserved for",
      { reservedFor: "b" },
      [candidate("a"), candidate("b")],
      "Agent b gets the job with its next poll.",
    ],
    [
      "a pinned agent that is disabled",
      { pinnedAgentId: "a" },
      [candidate("a", { enabled: false })],
      "Its agent a is disabled. Enable it.",
    ],
    [
      "a pinned agent that never started",
      { pinnedAgentId: "a" },
      [candidate("a", { registered: false })],
      "Its agent a is not started yet. Start it with its key.",
    ],
    [
      "a pinned agent that is online",
      { pinnedAgentId: "a" },
      [candidate("a"), candidate("b")],
      "Agent a gets the job with its next poll.",
    ],
  ])("has a sentence for %s", (_case, changes, candidates, expected) => {
    expect(waitingReason(job("job_1", changes), candidates).detail).toBe(expected);
  });
});

test("a waiting reason about one agent has that agent's id", () => {
  const agents = [{ id: "a", name: "a" }];
  expect(waitingReason(job("job_1"), [candidate("a"), candidate("b")]).agents).toEqual(agents);
  expect(waitingReason(job("job_1", { pinnedAgentId: "a" }), [candidate("a", { room: 0 })]).agents).toEqual(agents);
  expect(
    waitingReason(job("job_1"), [candidate("a", { room: 0 }), candidate("b", { room: 0 })]).agents,
  ).toBeUndefined();
});

test("a job that waits for the next poll names the agent that dispatch will choose, not the first possible one", () => {
  const candidates = [candidate("sick", { healthScore: 50 }), candidate("well", { healthScore: 100 })];
  expect(waitingReason(job("job_1"), candidates).detail).toBe("Agent well gets the job with its next poll.");
});

test.each<[WaitingCode, Partial<WaitingJob>, Candidate[]]>([
  ["no_agent", {}, []],
  ["never_started", { pinnedAgentId: "a" }, []],
  ["offline", {}, [candidate("a", { status: "Offline", rekeyed: true })]],
  ["never_started", { pinnedAgentId: "a" }, [candidate("a", { registered: false })]],
  ["disabled", { pinnedAgentId: "a" }, [candidate("a", { enabled: false })]],
  ["next_poll", {}, [candidate("a")]],
  ["full", {}, [candidate("a", { room: 0 })]],
  ["not_polling", {}, [candidate("a", { polling: false })]],
  ["no_credential", { needsCredential: true }, [candidate("a")]],
  ["no_secrets", { secretsFrom: "con_vault" }, [candidate("a")]],
  ["no_credential", { needsCredential: true, secretsFrom: "con_vault" }, [candidate("a")]],
  ["no_action", { action: "redis.get" }, [candidate("a")]],
  ["no_action", { action: "script.bash" }, [candidate("a", { actions: { more: [], less: ["script.bash"] } })]],
  ["no_action", { testedType: "ssh" }, [candidate("a", { types: ["script"] })]],
  ["next_poll", { testedType: "ssh" }, [candidate("a", { types: ["ssh"] })]],
  ["no_feature", { features: ["namedValues"] }, [candidate("a")]],
  ["no_feature", { features: ["namedValues"], needsCredential: true }, [candidate("a", { polling: false })]],
  ["offline", { features: ["namedValues"] }, [candidate("a", { status: "Offline" })]],
  [
    "offline",
    {},
    [candidate("a", { enabled: false }), candidate("b", { status: "Offline" }), candidate("c", { status: "Offline" })],
  ],
])("the code of a waiting reason is %s", (code, changes, candidates) => {
  expect(waitingReason(job("job_1", changes), candidates).code).toBe(code);
});

test("docs/using-http.md shows the sentence of a run whose only agent is disabled", async () => {
  const { detail } = waitingReason(job("job_1"), [candidate("1", { name: "this machine", enabled: false })]);
  expect(await readFile(join(ROOT, "docs/using-http.md"), "utf8")).toContain(`\n# ${detail}\n`);
});
