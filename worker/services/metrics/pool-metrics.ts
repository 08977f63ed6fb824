import type { Metric, Sample } from "../../../schema/contract/exposition.ts";
import type { AgentView, PoolView } from "../../../schema/contract/management.ts";
import { agentStatusSchema } from "../../../schema/contract/management.ts";

/** The properties by which a pool's members are counted. */
type Member = Pick<PoolView["members"][number], "status" | "enabled" | "lastHeartbeatAt">;

/** The metrics of the pools that answered; `single` are agents without a pool. `now` is epoch ms. */
export function poolMetrics(views: readonly PoolView[], single: readonly AgentView[], now: number): Metric[] {
  const online = (view: PoolView) => view.members.filter(({ status, enabled }) => enabled && status !== "Offline");
  return [
    {
      name: "bellhop_agents",
      type: "gauge",
      help: "Agents by pool, status, whether they are enabled, and whether they have ever called; pool is empty for agents without a pool.",
      samples: [
        ...views.flatMap(({ id, members }) => counted(id, members)),
        ...(single.length === 0 ? [] : counted("", single)),
      ],
    },
    perPool("bellhop_pool_queue_depth", "Jobs that wait in the pool for an agent.", (view) => view.queueDepth),
    {
      name: "bellhop_pool_jobs_waiting",
      type: "gauge",
      help: "Waiting jobs by reason; of a long queue, only the first 500.",
      samples: views.flatMap(waitingByCode),
    },
    perPool(
      "bellhop_pool_oldest_waiting_job_age_seconds",
      "Time since the longest waiting job was ordered; 0 when none waits.",
      ({ waiting }) => {
        const oldest = Math.min(...waiting.map(({ queuedAt }) => Date.parse(queuedAt)));
        return Number.isFinite(oldest) ? Math.max(0, now - oldest) / 1_000 : 0;
      },
    ),
    perPool("bellhop_pool_jobs_running", "Jobs that the pool's agents hold.", (view) =>
      sum(view.members.map(({ runningJobs }) => runningJobs)),
    ),
    perPool(
      "bellhop_pool_capacity_jobs",
      "Jobs that the pool's enabled agents may run at the same time, without offline agents.",
      (view) => sum(online(view).map(({ maxConcurrentJobs }) => maxConcurrentJobs ?? 0)),
    ),
  ];

  function perPool(name: string, help: string, valueOf: (view: PoolView) => number): Metric {
    const samples = views.map((view) => ({ labels: { pool: view.id }, value: valueOf(view) }));
    return { name, type: "gauge", help, samples };
  }
}

/** Every possible combination, even without members: an alert must be able to see a zero. */
function counted(pool: string, members: readonly Member[]): Sample[] {
  return agentStatusSchema.options.flatMap((status) =>
    [true, false].flatMap((enabled) =>
      // An agent that has never called is offline.
      (status === "Offline" ? [true, false] : [true]).map((started) => ({
        labels: { pool, status, enabled: String(enabled), started: String(started) },
        value: members.filter(
          (member) =>
            member.status === status &&
            member.enabled === enabled &&
            (status !== "Offline" || (member.lastHeartbeatAt !== null) === started),
        ).length,
      })),
    ),
  );
}

function waitingByCode({ id, waiting }: PoolView): Sample[] {
  return [...Map.groupBy(waiting, ({ code }) => code)].map(([reason, jobs]) => ({
    labels: { pool: id, reason },
    value: jobs.length,
  }));
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
