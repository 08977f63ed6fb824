import { cancelJob, endJob, isAgentJob, isWaiting } from "../rules/job.ts";
import { wake } from "./handler.ts";
import type { Handler } from "./handler.ts";
import { reviewBy } from "./connections.ts";

/** The delay of the first review of new jobs: finds a connection that changed a moment ago even if no agent polls. */
const FIRST_REVIEW_MS = 3_000;
/** The removal of an agent reaches the dispatcher before libSQL, which decides shortly after about the agent's jobs. */
const REVIEW_AFTER_REMOVAL_MS = 2_000;

/** Adds jobs. Idempotent by job, attempt and `reroutes`. */
export const enqueued: Handler<"enqueued"> = ({ jobs, timers }, { orders }, now) => {
  if (jobs.insert(orders.filter(isAgentJob))) reviewBy(timers, now + FIRST_REVIEW_MS);
  return () => {};
};

/** Ends waiting jobs. Unless only these are meant, agents learn from the answer to their next call that they must stop delivered ones. */
export const cancelRequested: Handler<"cancelRequested"> = (state, { jobIds, only }, now, effects) => {
  const { jobs, agents } = state;
  for (const jobId of jobIds) {
    const live = jobs.get(jobId);
    if (live === undefined || (only === "waiting" && !isWaiting(live.job))) continue;
    const { stage } = live.job;
    const holder = stage.type === "delivered" ? agents.get(stage.agentId) : undefined;
    jobs.change(live, cancelJob(live.job, now));
    if (holder !== undefined) wake(state, holder, effects, now);
  }
  return () => {};
};

/** Applies an agent's settings, which hold from its next call (invariant 8). Older settings are ignored. */
export const agentConfigured: Handler<"agentConfigured"> = (state, { settings, onlyIdle }, now, effects) => {
  const { agents, jobs } = state;
  const { agentId } = settings;
  const held = onlyIdle ? jobs.countHeldBy(agentId) : 0;
  if (held > 0) return () => held;
  const isNews = agents.configure(settings, now);
  const agent = agents.get(agentId);
  if (agent === undefined) return () => 0;
  const { removed, rekeyed = false, epoch } = agent.settings;
  if (isNews && rekeyed) agents.setPresence(agent, { offline: true, rekeyed: true });
  state.changed.add(agentId);
  if (removed) {
    // The syncs are ordered again where the agent is now.
    const syncs = jobs
      .waiting()
      .filter(({ job: { facts } }) => facts.kind === "credentialSync" && facts.pinnedAgentId === agentId);
    for (const live of syncs) jobs.change(live, endJob(live.job, "agent_moved", now));
    if (jobs.queue.size > 0) reviewBy(state.timers, now + REVIEW_AFTER_REMOVAL_MS);
  }
  // A revoked key must not keep a socket (invariant 8); a process with a valid key opens another. Also done for the
  // same epoch, because the caller repeats the call until it succeeds.
  if (isNews || settings.epoch === epoch) {
    agents.keepSocketHeard(agent, agents.socketHeardAt(agent));
    effects.closeSockets.add(agentId);
  }
  return () => 0;
};

/** Reviews the waiting jobs, and which agents can use the connection's credential. */
export const connectionEdited: Handler<"connectionEdited"> = ({ agents, jobs, timers }, { connectionId }, now) => {
  const isHeld = agents.credentials.holdersOf(connectionId).size > 0;
  if (isHeld) timers.edited.add(connectionId);
  if (isHeld || jobs.queue.size > 0) reviewBy(timers, now);
  return () => {};
};
