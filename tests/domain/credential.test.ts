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
/** The agent has version `reported`; the record then has `version`. */
const reached = (version = 3, reported: number | null = version): ReportedChange[] => [
  { type: "reached", connectionId: "con_1", version, held: reported === null ? null : { version: reported } },
];
const withdraw = (version = 3): ReportedChange[] => [{ type: "withdraw", connectionId: "con_1", version }];
const LOST: ReportedChange[] = [{ type: "lost", connectionId: "con_1" }];

test.each<[string, DesiredCredential, number | null, ReportedChange[]]>([
  ["has the wanted version", WANTED, 3, reached()],
  ["has a newer version than the record knows", WANTED, 4, reached(4)],
  ["has a newer version than was delivered", DELIVERED, 5, reached(5)],
  ["has an older version while the wanted one waits for delivery", WANTED, 2, []],
  ["got one by hand while a delivery waits", WANTED, 0, []],
  ["got one by hand, and no delivery waits", UNSEALED, 0, reached(3, 0)],
  ["got one by hand after the delivery expired", { ...UNSEALED, status: "expired" }, 0, reached(3, 0)],
  ["has the delivered version, as before", DELIVERED, 3, []],
  ["no longer has the delivered version", DELIVERED, null, LOST],
  [
    "got one by hand, which was then removed by hand",
    { ...DELIVERED, version: 0 },
    null,
    [{ type: "forget", connectionId: "con_1" }],
  ],
  ["has a new key, and lost the credential that was entered by hand", { ...UNSEALED, version: 0 }, null, []],
  ["was restored from a backup with an older version", DELIVERED, 2, LOST],
  ["does not have the credential yet", WANTED, null, []],
  ["still lacks the credential whose delivery failed", { ...UNSEALED, status: "failed" }, null, []],
  ["has removed the withdrawn credential", { ...WITHDRAWN, status: "pending" }, null, reached(3, null)],
  ["has not removed the withdrawn credential yet", { ...WITHDRAWN, status: "pending" }, 3, []],
  ["has the withdrawn credential again from a backup", WITHDRAWN, 2, withdraw()],
  [
    "got one by hand for a deleted connection",
    { ...WITHDRAWN, connectionExists: false, isRecipient: false },
    0,
    withdraw(),
  ],
  ["has a newer version than the withdrawn one", WITHDRAWN, 7, withdraw(8)],
  [
    "got a delivery right after the connection was deleted",
    { ...WANTED, connectionExists: false, isRecipient: false },
    3,
    withdraw(4),
  ],
  [
    "got one by hand after the service withdrew its own",
    WITHDRAWN,
    0,
    [{ type: "adopt", connectionId: "con_1", held: { version: 0 } }],
  ],
  ["got one by hand for a connection of other agents", { ...WITHDRAWN, isRecipient: false }, 0, []],
])("the report of an agent that %s is judged", (_case, row, reported, expected) => {
  const held = new Map(reported === null ? [] : [["con_1", { version: reported }]]);
  expect(judgeReported([row], held, new Set())).toEqual(expected);
});

test("a credential without a record gets one if its connection exists, and is ignored if not", () => {
  const reported = new Map([
    ["con_known", { version: 0 }],
    ["something-else", { version: 0 }],
  ]);
  expect(judgeReported([], reported, new Set(["con_known"]))).toEqual([
    { type: "adopt", connectionId: "con_known", held: { version: 0 } },
  ]);
});

test.each<[string, DesiredCredential["reported"], string | null | undefined, boolean]>([
  ["the target that it reported before", { version: 3, target: DIGEST }, DIGEST, false],
  ["another target, say after it was bound there", { version: 3, target: null }, DIGEST, true],
  ["its target for the first time", null, DIGEST, true],
  ["no target, as older agents do", null, undefined, false],
  ["no target, because an older release runs now", { version: 3, target: DIGEST }, undefined, true],
])("the report of an agent that reports %s is judged", (_case, reported, target, isNews) => {
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
  [
    "still uses the version that was bound",
    { ...REFUSED, status: "delivered", reported: BOUND_AGAIN },
    BOUND_AGAIN,
    [],
  ],
  [
    "had its version bound while the next delivery waits",
    { ...REFUSED, status: "pending", sealed: true },
    BOUND_AGAIN,
    [],
  ],
  ["does not report when it was changed", { ...REFUSED, reported: { version: 2 } }, EARLIER, []],
])("the report of an agent that refused a delivery and %s is judged", (_case, row, held, expected) => {
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
  [
    "an agent that accepted the credential",
    "present",
    report({ status: "succeeded", error: null }),
    { type: "delivered" },
  ],
  [
    "an agent that keeps a newer version",
    "present",
    report({ status: "succeeded", error: null, output: { state: "***", version: 5 } }),
    { type: "outrun", version: 5, holds: true },
  ],
  [
    "an agent from which that version was withdrawn before",
    "present",
    report({ status: "succeeded", error: null, output: { state: "absent", version: 3 } }),
    { type: "outrun", version: 3, holds: false },
  ],
  [
    "an agent that names an absurd version",
    "present",
    report({ status: "succeeded", error: null, output: { state: "present", version: Number.MAX_SAFE_INTEGER } }),
    { type: "delivered" },
  ],
  [
    "an agent that cannot open the sealed credential",
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
])("the end of a sync by %s is judged", (_case, state, end, expected) => {
  expect(judgeSyncEnd({ state, version: 3 }, end)).toEqual(expected as ReturnType<typeof judgeSyncEnd>);
});
