import { expect, test } from "bun:test";
import { judgeSyncEnd } from "../../worker/domain/credential/judge-sync-end.ts";
import { judgeReported } from "../../worker/domain/credential/judge-reported.ts";
import type {
  DesiredCredential,
  HeldCredential,
  ReportedChange,
} from "../../worker/domain/credential/judge-reported.ts";
import { endJob, queueJob } from "../../worker/actors/dispatcher/rules/job.ts";
import type { JobReport } from "../../worker/domain/job-order.ts";
import { order } from "../support/dispatcher-harness.ts";

const WANTED: DesiredCredential = {
  connectionId: "con_1",
  state: "present",
  version: 3,
  status: "pending",
  reported: null,
  sealed: true,
  connectionExists: true,
  isRecipient: true,
};
const UNSEALED = { ...WANTED, sealed: false };
const DELIVERED = { ...UNSEALED, status: "delivered" as const };
const WITHDRAWN = { ...UNSEALED, state: "absent" as const, status: "delivered" as const };
const DIGEST = "digest-of-a-target";
/** That the agent has version `told`, where the record says `version` from then on. */
const reached = (version = 3, told: number | null = version): ReportedChange[] => [
  { type: "reached", connectionId: "con_1", version, held: told === null ? null : { version: told } },
];
const withdraw = (version = 3): ReportedChange[] => [{ type: "withdraw", connectionId: "con_1", version }];
const LOST: ReportedChange[] = [{ type: "lost", connectionId: "con_1" }];

test.each<[string, DesiredCredential, number | null, ReportedChange[]]>([
  ["has the wanted version", WANTED, 3, reached()],
  ["has a newer version than the record knows", WANTED, 4, reached(4)],
  ["has a newer version than was delivered", DELIVERED, 5, reached(5)],
  ["has an older version while the wanted one waits", WANTED, 2, []],
  ["was given one by hand while another waits", WANTED, 0, []],
  ["was given one by hand, and none waits", UNSEALED, 0, reached(3, 0)],
  ["was given one by hand after the delivery expired", { ...UNSEALED, status: "expired" }, 0, reached(3, 0)],
  ["has it, as before", DELIVERED, 3, []],
  ["has it no more", DELIVERED, null, LOST],
  [
    "was given one by hand, and had it taken away by hand",
    { ...DELIVERED, version: 0 },
    null,
    [{ type: "forget", connectionId: "con_1" }],
  ],
  ["has a new key, and lost what was put in by hand", { ...UNSEALED, version: 0 }, null, []],
  ["came back from a backup with an older one", DELIVERED, 2, LOST],
  ["does not have it yet", WANTED, null, []],
  ["still lacks what failed", { ...UNSEALED, status: "failed" }, null, []],
  ["has given up what was taken away", { ...WITHDRAWN, status: "pending" }, null, reached(3, null)],
  ["has not given it up yet", { ...WITHDRAWN, status: "pending" }, 3, []],
  ["has it again from a backup, after it was taken away", WITHDRAWN, 2, withdraw()],
  [
    "was given one by hand for a deleted connection",
    { ...WITHDRAWN, connectionExists: false, isRecipient: false },
    0,
    withdraw(),
  ],
  ["has something newer than what was taken away", WITHDRAWN, 7, withdraw(8)],
  [
    "was delivered to right behind the deletion of the connection",
    { ...WANTED, connectionExists: false, isRecipient: false },
    3,
    withdraw(4),
  ],
  [
    "was given one by hand after the service took its own away",
    WITHDRAWN,
    0,
    [{ type: "adopt", connectionId: "con_1", held: { version: 0 } }],
  ],
  ["was given one by hand for a connection of others", { ...WITHDRAWN, isRecipient: false }, 0, []],
])("an agent that %s", (_case, row, told, expected) => {
  const held = new Map(told === null ? [] : [["con_1", { version: told }]]);
  expect(judgeReported([row], held, new Set())).toEqual(expected);
});

test("a credential without a record is taken into the books where its connection exists, and left alone where not", () => {
  const told = new Map([
    ["con_known", { version: 0 }],
    ["something-else", { version: 0 }],
  ]);
  expect(judgeReported([], told, new Set(["con_known"]))).toEqual([
    { type: "adopt", connectionId: "con_known", held: { version: 0 } },
  ]);
});

test.each<[string, DesiredCredential["reported"], string | null | undefined, boolean]>([
  ["the target that it reported before", { version: 3, target: DIGEST }, DIGEST, false],
  ["another target, say after it was bound there", { version: 3, target: null }, DIGEST, true],
  ["its target for the first time", null, DIGEST, true],
  ["no target, as older agents do", null, undefined, false],
  ["no target any more, since an older release runs", { version: 3, target: DIGEST }, undefined, true],
])("an agent that reports %s", (_case, reported, target, isNews) => {
  const held = { version: 3, ...(target === undefined ? {} : { target }) };
  const changes = judgeReported([{ ...DELIVERED, reported }], new Map([["con_1", held]]), new Set());
  expect(changes).toEqual(isNews ? [{ type: "reached", connectionId: "con_1", version: 3, held }] : []);
});

const [NOON, LATER] = ["2026-01-01T12:00:00.000Z", "2026-01-01T12:05:00.000Z"];
const EARLIER = { version: 2, target: DIGEST, changedAt: NOON };
const REFUSED: DesiredCredential = { ...UNSEALED, status: "failed", reported: EARLIER };
const BOUND_AGAIN = { ...EARLIER, changedAt: LATER };
test.each<[string, DesiredCredential, HeldCredential, ReportedChange[]]>([
  ["keeps its earlier version untouched", REFUSED, EARLIER, []],
  [
    "had its earlier version bound again since",
    REFUSED,
    BOUND_AGAIN,
    [{ type: "reached", connectionId: "con_1", version: 3, held: BOUND_AGAIN }],
  ],
  ["still uses the one that was bound", { ...REFUSED, status: "delivered", reported: BOUND_AGAIN }, BOUND_AGAIN, []],
  ["had it bound while the next one waits", { ...REFUSED, status: "pending", sealed: true }, BOUND_AGAIN, []],
  ["does not say when it was changed", { ...REFUSED, reported: { version: 2 } }, EARLIER, []],
])("an agent that refused a delivery and %s", (_case, row, held, expected) => {
  expect(judgeReported([row], new Map([["con_1", held]]), new Set())).toEqual(expected);
});

const report = (changes: Partial<JobReport>): JobReport => {
  const { stage } = endJob(queueJob(order("job_1")), "cancelled", 0);
  if (stage.type !== "ended") throw new Error("a cancelled job has ended");
  return { ...stage.report, ...changes };
};
const failure = (code: string, lost = false): JobReport =>
  report({ status: "failed", lost, error: { code, message: `${code}!` } });

test.each<[string, "present" | "absent", JobReport, unknown]>([
  ["an agent that took it", "present", report({ status: "succeeded", error: null }), { type: "delivered" }],
  [
    "an agent that keeps a newer one",
    "present",
    report({ status: "succeeded", error: null, output: { state: "***", version: 5 } }),
    { type: "outrun", version: 5, holds: true },
  ],
  [
    "an agent from which that version was taken before",
    "present",
    report({ status: "succeeded", error: null, output: { state: "absent", version: 3 } }),
    { type: "outrun", version: 3, holds: false },
  ],
  [
    "an agent that names a version beyond reason",
    "present",
    report({ status: "succeeded", error: null, output: { state: "present", version: Number.MAX_SAFE_INTEGER } }),
    { type: "delivered" },
  ],
  [
    "an agent that cannot open it",
    "present",
    failure("credential_unreadable"),
    { type: "failed", error: "credential_unreadable!" },
  ],
  ["an agent that was shut down", "present", failure("agent_shutdown"), { type: "again", error: "agent_shutdown!" }],
  ["an agent that is lost", "present", failure("agent_lost", true), { type: "again", error: "agent_lost!" }],
  ["a full disk", "present", failure("vault_unwritable"), { type: "again", error: "vault_unwritable!" }],
  [
    "a newer delivery",
    "present",
    report({ status: "cancelled", error: { code: "credential_superseded", message: "" } }),
    { type: "again", error: null },
  ],
  [
    "an agent that does not know how to forget",
    "absent",
    failure("unsupported_action"),
    { type: "again", error: "unsupported_action!" },
  ],
])("the end of a sync by %s", (_case, state, end, expected) => {
  expect(judgeSyncEnd({ state, version: 3 }, end)).toEqual(expected as ReturnType<typeof judgeSyncEnd>);
});
