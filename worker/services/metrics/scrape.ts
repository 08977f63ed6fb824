import { exposition, single } from "../../../schema/contract/exposition.ts";
import type { Metric } from "../../../schema/contract/exposition.ts";
import type { AgentView, PoolView } from "../../../schema/contract/management.ts";
import { failureMessage } from "../../store/errors.ts";
import { agentsWithoutPool, countAgents, readFigures } from "../../store/metrics.ts";
import type { AgentCount } from "../../store/metrics.ts";
import { VERSION } from "../../version.ts";
import { viewAgents } from "../agents/index.ts";
import { BriefMemory } from "../brief-memory.ts";
import { readControl } from "../control/index.ts";
import type { Deps } from "../deps.ts";
import { firstIdAt } from "../ids.ts";
import { logWarning } from "../log.ts";
import { viewPool, knownPools } from "../pools/index.ts";
import { withTimeout } from "../../actors/kit/with-timeout.ts";
import { countUnusable } from "./count-unusable.ts";
import type { UnusableCredentials } from "./count-unusable.ts";
import { LATENCY_WINDOW_MS, LATE_AFTER_MS, databaseMetrics } from "./database-metrics.ts";
import { noticeMetrics } from "./notice-metrics.ts";
import { poolMetrics } from "./pool-metrics.ts";
import { retentionMetrics } from "./retention-metrics.ts";

/** Limits an isolate's lookups, however often it is scraped. */
const SCRAPE_KEEP_MS = 5_000;
const SCRAPE_STALE_MS = 30_000;
/** The count of agents reads every agent's row; the count of unusable credentials reads every delivered one's. */
const MEMBERSHIP_KEEP_MS = 60_000;
const MEMBERSHIP_STALE_MS = 600_000;
/** A scrape calls at most so many objects; a metric counts the rest. */
const POOLS_MAX = 50;
const SINGLE_AGENTS_MAX = 50;
/** Below Prometheus' default timeout of 10 s. */
const SOURCE_LIMIT_MS = 4_000;

interface Membership {
  pools: string[];
  agents: AgentCount[];
  readAt: number;
}

const scrapes = new BriefMemory<string>({ keepMs: SCRAPE_KEEP_MS, staleMs: SCRAPE_STALE_MS });
const memberships = new BriefMemory<Membership>({ keepMs: MEMBERSHIP_KEEP_MS, staleMs: MEMBERSHIP_STALE_MS });
const unusables = new BriefMemory<UnusableCredentials>({ keepMs: MEMBERSHIP_KEEP_MS, staleMs: MEMBERSHIP_STALE_MS });
let lastMembership: Membership | null = null;

/**
 * The service's metrics in Prometheus' format. An unavailable part of the service only removes its metrics, and
 * `bellhop_source_up` shows it. Isolates share no memory, so counters are in the database; gauges are read live.
 */
export function scrape(deps: Deps): Promise<string> {
  return scrapes.get(deps.now, () => collect(deps));
}

async function collect(deps: Deps): Promise<string> {
  const began = deps.now();
  const [control, figures, membership, unusable, retention, alerter] = await Promise.all([
    readControl(deps),
    attempt("the database", () => readFigures(deps.db, queryAt(began))),
    attempt("the list of agents", () => memberships.get(deps.now, () => readMembership(deps))),
    attempt("unusable credentials", () => unusables.get(deps.now, () => countUnusable(deps))),
    attempt("retention", () => retentionMetrics(deps, began)),
    attempt("notification rules", () => deps.objects.alerter().summary()),
  ]);
  // Dispatchers answer while the database is away, so their names from the last read are used.
  const known = membership ?? lastMembership;
  const asked = known?.pools.slice(0, POOLS_MAX) ?? [];
  const [views, singles] = await Promise.all([viewPools(deps, asked), viewSingles(deps)]);
  const isSilent = views.length < asked.length || singles === null;
  return exposition([
    {
      name: "bellhop_build_info",
      type: "gauge",
      help: "The version of the service that answers.",
      samples: [{ labels: { version: VERSION }, value: 1 }],
    },
    {
      name: "bellhop_source_up",
      type: "gauge",
      help: "1 when this part of the service answered; 0 when its metrics are missing or incomplete.",
      samples: [
        { labels: { source: "database" }, value: [figures, membership, unusable, retention].includes(null) ? 0 : 1 },
        { labels: { source: "pools" }, value: isSilent ? 0 : 1 },
        { labels: { source: "alerter" }, value: alerter === null ? 0 : 1 },
      ],
    },
    {
      name: "bellhop_paused",
      type: "gauge",
      help: "1 while all runs are paused.",
      samples: single(control.pause === null ? 0 : 1),
    },
    ...(figures === null ? [] : databaseMetrics(figures, unusable, began)),
    ...(retention ?? []),
    ...(alerter === null ? [] : noticeMetrics(alerter.counts)),
    ...(known === null ? [] : membershipMetrics(known, singles)),
    ...poolMetrics(views, singles ?? [], began),
    {
      name: "bellhop_scrape_duration_seconds",
      type: "gauge",
      help: "Time to collect these metrics; the answer is cached for some seconds.",
      samples: single((deps.now() - began) / 1_000),
    },
  ]);
}

function queryAt(now: number) {
  return {
    executionsFrom: firstIdAt("execution", now - LATENCY_WINDOW_MS),
    jobsFrom: firstIdAt("job", now - LATENCY_WINDOW_MS),
    lateBefore: now - LATE_AFTER_MS,
    now,
  };
}

async function readMembership(deps: Deps): Promise<Membership> {
  const [pools, agents] = await Promise.all([knownPools(deps), countAgents(deps.db)]);
  lastMembership = { pools: [...pools.keys()].sort(), agents, readAt: deps.now() };
  return lastMembership;
}

async function viewPools(deps: Deps, poolIds: readonly string[]): Promise<PoolView[]> {
  const views = await Promise.all(poolIds.map((id) => attempt("a pool", () => viewPool(deps, id))));
  return views.filter((view) => view !== null);
}

function viewSingles(deps: Deps): Promise<AgentView[] | null> {
  return attempt("agents without a pool", async () =>
    viewAgents(deps, await agentsWithoutPool(deps.db, SINGLE_AGENTS_MAX)),
  );
}

function membershipMetrics({ pools, agents }: Membership, singles: readonly AgentView[] | null): Metric[] {
  const withoutPool = agents.filter(({ poolId }) => poolId === null).reduce((sum, { count }) => sum + count, 0);
  return [
    {
      name: "bellhop_agents_enabled",
      type: "gauge",
      help: "Agents that may get jobs, running or not, by pool.",
      samples: agents
        .filter(({ enabled }) => enabled)
        .map(({ poolId, count }) => ({ labels: { pool: poolId ?? "" }, value: count })),
    },
    {
      name: "bellhop_scrape_omitted",
      type: "gauge",
      help: "Pools, and agents without a pool, above the number that one scrape asks.",
      samples: [
        { labels: { what: "pools" }, value: Math.max(0, pools.length - POOLS_MAX) },
        { labels: { what: "agents_without_pool" }, value: Math.max(0, withoutPool - (singles?.length ?? 0)) },
      ],
    },
  ];
}

async function attempt<T>(what: string, work: () => Promise<T>): Promise<T | null> {
  try {
    return await withTimeout(SOURCE_LIMIT_MS, what, work());
  } catch (error) {
    logWarning("a part of the metrics could not be read", { what, error: failureMessage(error) });
    return null;
  }
}
