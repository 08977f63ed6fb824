import type { ReactNode } from "react";
import type { WaitingCode } from "../../../schema/contract/waiting.ts";
import { number } from "../format.ts";
import { rich } from "../rich.ts";

/** The page of a pool. */
export const pools = {
  parent: "Agents and pools",
  createAgent: "New agent",
  noAgent: {
    title: "This pool has no agent",
    usedBy: (names: readonly string[]) => `Connections use it: ${names.join(", ")}.`,
    effect: "Their jobs wait here until an agent joins the pool and runs.",
  },
  connections: {
    none: "No connection uses this pool, so its agents get only the jobs of connections that name them.",
    disabled: (type: string) => `${type}, disabled`,
  },
  members: "Agents of the pool",
  waiting: {
    title: "Waiting jobs",
    none: "No waiting jobs.",
    showMore: (of: number) => `Show more of ${number(of)}`,
    more: (jobs: number) => `And ${number(jobs)} more.`,
    queued: (ago: ReactNode) => rich`queued ${ago}`,
  },
  /** A short reason for a job's wait, for the badge next to the pool's full sentence. */
  waitingFor: {
    no_agent: "No agent",
    never_started: "Never started",
    offline: "Offline",
    disabled: "Disabled",
    draining: "Shutting down",
    full: "All busy",
    no_credential: "No credential",
    no_secrets: "No secrets",
    no_feature: "Old agent",
    no_action: "Old agent",
    not_polling: "Not polling",
    other_agent: "Other agent",
    next_poll: "Next poll",
    moving: "Moving",
    database_unavailable: "Database unavailable",
    paused: "All runs are paused",
  } satisfies Record<WaitingCode, string>,
};
