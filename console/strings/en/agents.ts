import type { ReactNode } from "react";
import type { Isolation } from "../../../schema/contract/agent.ts";
import type { JobView } from "../../../schema/contract/execution.ts";
import type { AgentStatus } from "../../../schema/contract/management.ts";
import { HEARTBEAT_FULL_SCORE_MS, OFFLINE_AFTER_MS } from "../../../schema/limits.ts";
import { count, number } from "../format.ts";
import { rich } from "../rich.ts";
import { duration } from "../time.ts";

const NO_JOBS_NOW = "It runs no jobs now.";

/** The list of agents and the page of an agent. `agent-set-up.ts` has the texts of its installation and its key. */
export const agents = {
  list: {
    description: "Agents run workflow steps inside your network.",
    mayNotCreate: "Administrators add and remove them.",
    create: "New agent",
    none: {
      title: "No agents yet",
      what: "An agent is a program that runs near your systems. It connects to this deployment and gets jobs from it.",
      create: "Create one: the next page shows the command that installs it.",
      ask: "An administrator can create one.",
    },
    noMatch: { title: "No matching agents", fix: "Change or clear the filter." },
    search: "Search agents",
    searched: "Name, pool, version, system",
    anyStatus: "Any status",
    everyPool: (pool: string) => `Pool ${pool}: show all`,
  },
  pools: {
    label: "Pools",
    showAll: (pools: number) => `Show all ${number(pools)} pools`,
    size: (agents: number, isSilent: boolean) => `${count(agents, "agent")}${isSilent ? " · does not answer" : ""}`,
    counts: (pool: { ready: number; agents: number; running: number; waiting: number }) =>
      [
        pool.agents === 0 ? "no agent" : `${number(pool.ready)} of ${count(pool.agents, "agent")} ready`,
        `${number(pool.running)} running`,
        `${number(pool.waiting)} waiting`,
      ].join(" · "),
    states: {
      waiting: "Jobs waiting",
      empty: "No agent",
      notReady: "No agent ready",
      degraded: "Degraded",
      queueing: "Queueing",
      ready: "Ready",
    },
  },
  fields: {
    health: "Health",
    runningJobs: "Running jobs",
    isolation: "Isolation",
    version: "Version",
    system: "System",
    lastHeartbeat: "Last heartbeat",
  },
  load: (running: number, max: number | null) =>
    max === null ? number(running) : `${number(running)} of ${number(max)}`,
  statuses: { Online: "Online", Degraded: "Degraded", Offline: "Offline" } satisfies Record<AgentStatus, string>,
  neverStarted: "Never started",
  shuttingDown: "Shutting down",
  disabled: "Disabled",
  isolation: {
    perJob: { label: "Per job", description: "Each job runs under a separate account." },
    account: { label: "Account", description: "Jobs run under a different account than the agent." },
    none: {
      label: "None",
      description:
        "Scripts run under the agent's account and can read its files. To separate them on Linux, install the agent as a service (bellhop-agent service install) or run it in a container. The agent of npm start always runs this way.",
    },
  } satisfies Record<Isolation, { label: string; description: string }>,
  notice: {
    neverStarted: {
      title: "Waiting for the agent to connect",
      what: "This agent has never started.",
      install: "“Install” shows the command for its machine.",
      ask: "Someone with the permission agents:write can install it.",
      updates: "This page updates automatically.",
    },
    disabled: {
      title: "This agent is disabled",
      text: "It gets no new jobs and finishes its current ones. Jobs that only it can run wait until it is enabled.",
    },
    rekeyed: {
      title: "This agent has not used its new key yet",
      text: "The old key no longer works. Set the new key on the agent's machine: until then it gets no jobs.",
      lostKey: "If the new key is lost, “Regenerate key” creates another one and shows how to set it.",
    },
    offline: {
      title: "This agent is offline",
      text: (doctor: ReactNode) =>
        rich`It gets no jobs. Run ${doctor} on its machine to find the cause. It gets jobs again as soon as it connects.`,
    },
  },
  health: {
    score: (points: number) => `${points} of 100`,
    ofHalf: "of 50",
    unknown: "The details of the score are not available.",
    heartbeat: {
      name: "Heartbeat",
      rule: `50 points while the last heartbeat is less than ${duration(HEARTBEAT_FULL_SCORE_MS)} old, falling to 0 at ${duration(OFFLINE_AFTER_MS)}.`,
      none: "No heartbeat yet.",
      last: (ageMs: number) => `The last heartbeat came ${duration(ageMs)} ago.`,
      lastBeforeRekey: (ageMs: number) =>
        `The last heartbeat came ${duration(ageMs)} ago. The key was regenerated after that.`,
      lastBeforeEnd: (ageMs: number) =>
        `The last heartbeat came ${duration(ageMs)} ago. The agent then reported that it stops.`,
    },
    success: {
      name: "Successful jobs",
      rule: "50 points times the share of jobs that succeeded in the last hour; 50 points without jobs. Cancelled jobs, connection tests and credential deliveries do not count.",
      none: "No job ended in the last hour.",
      share: (succeeded: number, finished: number) =>
        `${number(succeeded)} of ${count(finished, "job")} succeeded in the last hour.`,
    },
    effect: {
      disabled: "It is disabled and gets no new jobs.",
      rekeyed: "It gets no jobs until it connects with its new key.",
      neverStarted: "It has never connected, so it gets no jobs.",
      offline: `It gets no jobs: it has sent no heartbeat for ${duration(OFFLINE_AFTER_MS)}, or has reported that it stops.`,
      draining: "It is shutting down: it finishes its jobs and gets no new ones.",
      degraded:
        "Fewer than half of at least five jobs in the last hour succeeded. Agents with a higher score get jobs first. It is Online again when 80 % succeed, or after an hour without jobs.",
      online: "Free agents with a higher score get jobs first.",
    },
  },
  jobs: {
    none: "No running jobs.",
    notListed: (jobs: number) => `${count(jobs, "job")} not listed here.`,
    unread: (id: string, why: string) => `${id}: ${why}`,
    kinds: {
      action: "Action",
      connectionTest: "Connection test",
      credentialSync: "Credential delivery",
    } satisfies Record<JobView["kind"], string>,
  },
  facts: {
    noPool: "none: it gets only the jobs of connections that use this agent",
    machine: "Machine",
    registered: "Registered",
    concurrentJobs: "Concurrent jobs",
    upTo: (jobs: number) => `up to ${number(jobs)}`,
    pollInterval: "Poll interval",
    every: (seconds: number) => `every ${seconds} s, and when the service wakes it`,
    capabilities: "Capabilities",
    actions: "Actions",
    firstActions: "those of the first release (older agent)",
    features: "Features",
    noFeatures: "none (older agent)",
    isolation: "Isolation of jobs",
    unknownIsolation: "unknown (older agent)",
    fingerprint: "Key fingerprint",
    copyFingerprint: "Copy the fingerprint",
    fingerprintIs: (doctor: ReactNode) =>
      rich`Fingerprint of the public key that credentials for this agent are encrypted with. ${doctor} on the agent's machine prints the same value.`,
  },
  connections: {
    none: (hasPool: boolean) => `No connection uses this agent${hasPool ? " or its pool" : ""}, so it gets no jobs.`,
    details: (type: string, isOnlyHere: boolean, isEnabled: boolean) =>
      [type, ...(isOnlyHere ? ["only for this agent"] : []), ...(isEnabled ? [] : ["disabled"])].join(", "),
    credential: "credential",
    noCredential: "needs no credential",
  },
  actions: {
    install: "Install",
    edit: "Edit or move",
    regenerateKey: "Regenerate key",
  },
  disable: {
    title: (name: string) => `Disable ${name}?`,
    effect: "It gets no new jobs. Its process keeps running.",
    running: (jobs: number) => (jobs === 0 ? NO_JOBS_NOW : `${count(jobs, "running job")} will finish normally.`),
    waiting: (pool: string | null) =>
      pool === null
        ? "Jobs of connections that use this agent wait until it is enabled."
        : `New jobs go to the other agents of pool ${pool}, or wait when none of them can take them.`,
    keep: "Keep enabled",
    done: (name: string) => `${name} gets no new jobs.`,
    failed: (name: string) => `${name} was not disabled`,
  },
  enable: {
    done: (name: string) => `${name} gets jobs again.`,
    failed: (name: string) => `${name} was not enabled`,
  },
  edit: {
    title: (name: string) => `Edit ${name}`,
    saved: (name: string) => `${name} is saved.`,
    overtaken: (name: string, pool: string | null) =>
      `Another person changed this agent after you opened it. It is now called ${name}, in ${pool === null ? "no pool" : `pool ${pool}`}. Save again to apply your changes.`,
    saveAnyway: "Save anyway",
    move: {
      title: (to: string | null) => (to === null ? "The agent leaves its pool" : `The agent moves to pool ${to}`),
      whenIdle: "It can move only while it has no jobs: disable it first, and wait until they end.",
      from: (pool: string) =>
        `Jobs of pool ${pool} that it has not started go to the other agents there. Credentials of that pool's connections are removed from it.`,
      to: (pool: string) => `Afterwards, deliver the credentials of pool ${pool}'s connections to it.`,
    },
  },
  poolField: {
    description: "Agents of a pool share its jobs. Choose a pool, or type the id of a new one.",
    example: "web",
    isNew: "new pool",
  },
  remove: {
    title: (name: string) => `Delete ${name}?`,
    effect:
      "This cannot be undone. The agent's key stops working immediately. The process on its machine keeps running until someone removes it there.",
    queued: (pool: string) => `Jobs that it has not fetched go to the other agents of pool ${pool}.`,
    onlyHere: "Jobs that no other agent can run fail with agent_deleted.",
    running: (jobs: number) =>
      jobs === 0
        ? NO_JOBS_NOW
        : `${count(jobs, "running job")} will be lost. A lost job runs again on another agent if that is safe; otherwise it fails with agent_lost.`,
    connections: "These connections use only this agent",
    connectionsFail: (names: readonly string[]) =>
      `Workflows cannot use them until they have another agent or a pool: ${names.join(", ")}.`,
    keep: "Keep agent",
    done: (name: string) => `${name} is deleted.`,
    failed: (name: string) => `${name} was not deleted`,
  },
};
