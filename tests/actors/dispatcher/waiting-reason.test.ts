import { describe, expect, test } from "bun:test";
import type { WaitingCode } from "../../../schema/contract/waiting.ts";
import type { Seat, WaitingJob } from "../../../worker/actors/dispatcher/rules/candidate.ts";
import { waitingReason } from "../../../worker/actors/dispatcher/rules/waiting-reason.ts";
import { job, seat } from "../../support/dispatch-seats.ts";

describe("why a job waits", () => {
  test.each<[string, Partial<WaitingJob>, Seat[], string]>([
    ["no agent", {}, [], "The pool has no agent yet: create one in it, and start it."],
    [
      "one that is offline",
      {},
      [seat("a", { status: "Offline" })],
      "No agent of the pool can take it: a is offline. Start it.",
    ],
    [
      "several, each for its own reason",
      { needsCredential: true },
      [seat("a", { status: "Offline" }), seat("b", { status: "Offline" }), seat("c")],
      "No agent of the pool can take it: 2 offline, 1 without the connection's credential. Deliver the credential of connection con_1.",
    ],
    [
      "one without what its script gets, whatever its own connection needs",
      { secretsFrom: "con_vault" },
      [seat("a"), seat("b", { status: "Offline" })],
      "No agent of the pool can take it: 1 without the secrets that its script gets, 1 offline. Deliver the credential of connection con_vault.",
    ],
    [
      "a pinned agent without what its script gets",
      { pinnedAgentId: "a", secretsFrom: "con_vault" },
      [seat("a")],
      "Its agent a is without the secrets that its script gets. Deliver the credential of connection con_vault.",
    ],
    [
      "one that is too old",
      { features: ["namedValues"] },
      [seat("a")],
      "No agent of the pool can take it: a is too old for named values. Update it.",
    ],
    [
      "several that are too old, with a credential or without",
      { features: ["namedValues"], needsCredential: true },
      [seat("a"), seat("b", { credentials: new Set(["con_1"]) }), seat("c", { status: "Offline" })],
      "No agent of the pool can take it: 2 too old for named values, 1 offline. Update one.",
    ],
    [
      "an agent that is too old beside one without the credential",
      { features: ["namedValues"], needsCredential: true },
      [seat("a"), seat("b", { features: ["namedValues"] })],
      "No agent of the pool can take it: 1 too old for named values, 1 without the connection's credential. Deliver the credential of connection con_1.",
    ],
    [
      "a pinned agent that is too old",
      { pinnedAgentId: "a", features: ["namedValues"] },
      [seat("a")],
      "Its agent a is too old for named values. Update it.",
    ],
    [
      "one that lacks the action",
      { action: "redis.get" },
      [seat("a")],
      "No agent of the pool can take it: a is too old for redis.get. Update it.",
    ],
    [
      "several that lack the action",
      { action: "redis.get" },
      [seat("a"), seat("b"), seat("c", { status: "Offline" })],
      "No agent of the pool can take it: 2 too old for redis.get, 1 offline. Update one.",
    ],
    [
      "full ones",
      {},
      [seat("a", { room: 0 })],
      "No agent of the pool can take it: a is busy with as many jobs as it may run.",
    ],
    [
      "a poll loop that hangs",
      {},
      [seat("a", { polling: false })],
      "No agent of the pool can take it: a is online but not asking for jobs. Restart it.",
    ],
    [
      "one that never started",
      {},
      [seat("a", { registered: false })],
      "No agent of the pool can take it: a was never started. Start it with its key.",
    ],
    [
      "several, of which most are disabled",
      {},
      [seat("a", { enabled: false }), seat("b", { status: "Offline" }), seat("c", { enabled: false })],
      "No agent of the pool can take it: 2 disabled, 1 offline. Enable one.",
    ],
    [
      "a pinned agent that is offline",
      { pinnedAgentId: "a" },
      [seat("a", { status: "Offline" })],
      "Its agent a is offline. Start it.",
    ],
    ["the next poll", {}, [seat("a")], "Agent a gets it with its next poll."],
    [
      "the agent that it is assigned to",
      { assignedTo: "b" },
      [seat("a"), seat("b")],
      "Agent b gets it with its next poll.",
    ],
    [
      "a pinned agent that is disabled",
      { pinnedAgentId: "a" },
      [seat("a", { enabled: false })],
      "Its agent a is disabled. Enable it.",
    ],
    [
      "a pinned agent that never started",
      { pinnedAgentId: "a" },
      [seat("a", { registered: false })],
      "Its agent a is not started yet. Start it with its key.",
    ],
    [
      "a pinned agent that is here",
      { pinnedAgentId: "a" },
      [seat("a"), seat("b")],
      "Agent a gets it with its next poll.",
    ],
  ])("is said in words: %s", (_case, changes, seats, expected) => {
    expect(waitingReason(job("job_1", changes), seats).reason).toBe(expected);
  });
});

test("an agent is named by its id where only that one is concerned", () => {
  const agents = [{ id: "a", name: "a" }];
  expect(waitingReason(job("job_1"), [seat("a"), seat("b")]).agents).toEqual(agents);
  expect(waitingReason(job("job_1", { pinnedAgentId: "a" }), [seat("a", { room: 0 })]).agents).toEqual(agents);
  expect(waitingReason(job("job_1"), [seat("a", { room: 0 }), seat("b", { room: 0 })]).agents).toBeUndefined();
});

test("what waits for the next poll names the agent that dispatch will choose, not the first that could", () => {
  const seats = [seat("sick", { healthScore: 50 }), seat("well", { healthScore: 100 })];
  expect(waitingReason(job("job_1"), seats).reason).toBe("Agent well gets it with its next poll.");
});

test.each<[WaitingCode, Partial<WaitingJob>, Seat[]]>([
  ["no_agent", {}, []],
  ["never_started", { pinnedAgentId: "a" }, []],
  ["never_started", { pinnedAgentId: "a" }, [seat("a", { registered: false })]],
  ["disabled", { pinnedAgentId: "a" }, [seat("a", { enabled: false })]],
  ["next_poll", {}, [seat("a")]],
  ["full", {}, [seat("a", { room: 0 })]],
  ["not_polling", {}, [seat("a", { polling: false })]],
  ["no_credential", { needsCredential: true }, [seat("a")]],
  ["no_secrets", { secretsFrom: "con_vault" }, [seat("a")]],
  ["no_credential", { needsCredential: true, secretsFrom: "con_vault" }, [seat("a")]],
  ["no_action", { action: "redis.get" }, [seat("a")]],
  ["no_action", { action: "script.bash" }, [seat("a", { actions: { more: [], less: ["script.bash"] } })]],
  ["no_action", { testedType: "ssh" }, [seat("a", { types: ["script"] })]],
  ["next_poll", { testedType: "ssh" }, [seat("a", { types: ["ssh"] })]],
  ["no_feature", { features: ["namedValues"] }, [seat("a")]],
  ["no_feature", { features: ["namedValues"], needsCredential: true }, [seat("a", { polling: false })]],
  ["offline", { features: ["namedValues"] }, [seat("a", { status: "Offline" })]],
  ["offline", {}, [seat("a", { enabled: false }), seat("b", { status: "Offline" }), seat("c", { status: "Offline" })]],
])("for counting, why it waits is %s", (code, changes, seats) => {
  expect(waitingReason(job("job_1", changes), seats).code).toBe(code);
});
