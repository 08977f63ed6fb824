import type { AgentStatus, HealthParts } from "../../../../schema/contract/management.ts";
import { PRESENCE_FLUSH_MS } from "../../../../schema/limits.ts";
import { isSameHeld } from "../../../domain/credential/judge-reported.ts";
import type { HeldCredentials } from "../../../domain/credential/judge-reported.ts";
import { DueTimes } from "../../kit/due-times.ts";
import type { AgentSettings } from "../rpc.ts";
import { agentStatus, healthParts, healthScore, heartbeatAgeMs, isDegraded, isSilent } from "../rules/health.ts";
import type { Presence } from "../rules/health.ts";
import { pollingUntil } from "../rules/candidate.ts";
import { newAgent } from "./agent.ts";
import type { Agent, AgentRegistration, OpenSockets } from "./agent.ts";
import { CredentialIndex } from "./credential-index.ts";
import { PresenceRows } from "./presence-rows.ts";

const HOUR_MS = 60 * 60_000;
/** How long to remember an agent that left, so that its old sessions are refused. */
const REMOVED_KEEP_MS = 24 * HOUR_MS;

/** The agents of a dispatcher: their registrations, their credentials, and when they were heard. */
export class AgentRegistry {
  readonly #agents = new Map<string, Agent>();
  readonly sockets: OpenSockets;
  /** Agents whose wake sockets close after this step. Within it, these sockets no longer count. */
  closing: ReadonlySet<string> = new Set();
  /** When this dispatcher came back from an outage (epoch ms). Agents count as heard at that moment. */
  readonly graceFrom: number | null;
  /** Agents that were heard and are not known to be offline. */
  readonly #online = new Set<Agent>();
  readonly credentials = new CredentialIndex();
  readonly #presences = new PresenceRows();
  /** When to forget agents that left. */
  readonly #leaving = new DueTimes();
  /** Agents whose credentials libSQL has not recorded. */
  readonly unrecorded = new Set<Agent>();
  readonly #unsaved = new Set<Agent>();
  readonly #deleted: string[] = [];
  /** When presences must be written (epoch ms); null for no time limit. */
  flushAt: number | null = null;
  /** Whether agents have sent heartbeats since libSQL last recorded them. */
  hasNewHeartbeats = false;

  constructor(agents: readonly Agent[], sockets: OpenSockets, graceFrom: number | null) {
    this.sockets = sockets;
    this.graceFrom = graceFrom;
    for (const agent of agents) {
      this.#enter(agent);
      this.credentials.replace(agent.settings.agentId, new Map(), agent.credentials);
      this.credentials.noteUnusable(agent);
    }
    this.#unsaved.clear();
  }

  get(agentId: string): Agent | undefined {
    return this.#agents.get(agentId);
  }

  /** The agent, if it belongs to this dispatcher. */
  member(agentId: string): Agent | undefined {
    const agent = this.get(agentId);
    return agent?.settings.removed === true ? undefined : agent;
  }

  /** The agents that belong to this dispatcher now. */
  *members(): Generator<Agent> {
    for (const agent of this.#agents.values()) if (!agent.settings.removed) yield agent;
  }

  /** Applies the settings unless they are older than the present ones. True when they are newer. */
  configure(settings: AgentSettings, now: number): boolean {
    const known = this.get(settings.agentId);
    if (known !== undefined && settings.epoch <= known.settings.epoch) return false;
    const agent = known ?? this.#enter(newAgent(settings, this.#presences.freeSlot));
    agent.settings = settings;
    agent.removedAt = settings.removed ? (agent.removedAt ?? now) : null;
    // Its new dispatcher withdraws and delivers credentials. If the agent comes back, it reports them again.
    if (settings.removed) this.#forgetCredentials(agent);
    this.#save(agent);
    return true;
  }

  register(settings: AgentSettings, registration: AgentRegistration, now: number): Agent {
    this.configure(settings, now);
    const agent = this.get(settings.agentId) ?? this.#enter(newAgent(settings, this.#presences.freeSlot));
    const former = agent.registration;
    // Another key is another vault: the old credentials are gone, even before the agent reports so.
    if (former !== null && former.fingerprint !== registration.fingerprint) {
      this.#forgetCredentials(agent);
      agent.credentialsRecorded = false;
    }
    const draining = former?.instanceId === registration.instanceId && agent.presence.draining === true;
    agent.registration = registration;
    agent.reportedRoom = null;
    agent.wokenAt = null;
    // A new process is about to poll, so jobs are reserved for it as long as for any agent that asks.
    this.setPresence(agent, { lastPollAt: now, draining, rekeyed: false });
    this.#save(agent);
    this.heard(agent, "heartbeat", now);
    return agent;
  }

  /** Records a call. Presences are written for many agents together, and seldom for agents with a wake socket. */
  heard(agent: Agent, call: "heartbeat" | "poll" | "results", now: number): void {
    this.#update(agent, {
      ...(call === "heartbeat" ? { lastHeartbeatAt: now, offline: false } : {}),
      ...(call === "poll" ? { lastPollAt: now } : {}),
      lastSeenAt: now,
    });
    if (call === "poll") agent.wokenAt = null;
    if (call !== "heartbeat") return;
    this.hasNewHeartbeats = true;
    if (this.socketHeardAt(agent) === null) this.flushAt ??= now + PRESENCE_FLUSH_MS;
  }

  /** Keeps the time at which the agent was last heard through its closing wake socket (epoch ms). */
  keepSocketHeard(agent: Agent, heardAt: number | null): void {
    const { presence } = agent;
    if (heardAt === null || heardAt <= (presence.lastHeartbeatAt ?? 0)) return;
    this.#update(agent, { lastHeartbeatAt: heardAt, lastSeenAt: Math.max(heardAt, presence.lastSeenAt ?? 0) });
    this.hasNewHeartbeats = true;
    this.flushAt ??= heardAt + PRESENCE_FLUSH_MS;
  }

  /** Changes a presence and writes it with this step: the agent left, was cut off, fell silent, or shuts down. */
  setPresence(agent: Agent, changes: Partial<Presence>): void {
    this.#update(agent, changes);
    this.#presences.save(agent);
  }

  /** Writes all changed presences with this step. */
  flush(): void {
    this.flushAt = null;
    this.#presences.saveAll();
  }

  /** When the agent was last heard through its wake socket (epoch ms); null without one. */
  socketHeardAt({ settings }: Agent): number | null {
    return this.closing.has(settings.agentId) ? null : this.sockets.heardAt(settings.agentId);
  }

  /** The last heartbeat, by call or by socket (epoch ms); null when there was none. */
  heartbeatAt(agent: Agent): number | null {
    const { lastHeartbeatAt } = agent.presence;
    const socketHeardAt = this.socketHeardAt(agent);
    return socketHeardAt === null ? lastHeartbeatAt : Math.max(lastHeartbeatAt ?? 0, socketHeardAt);
  }

  /** When an agent counts as last heard, by any call or by socket (epoch ms). */
  heardAt(agent: Agent): number {
    return Math.max(agent.presence.lastSeenAt ?? 0, this.socketHeardAt(agent) ?? 0, this.graceFrom ?? 0);
  }

  /** Until when the agent counts as asking for jobs (epoch ms); null when it never asked. */
  pollingUntil(agent: Agent): number | null {
    const { registration, presence, wokenAt } = agent;
    if (registration === null) return null;
    return pollingUntil(presence.lastPollAt, registration.pollIntervalMs, wokenAt, this.socketHeardAt(agent));
  }

  /** The agent's status, its health score, and the parts of the score. */
  health(agent: Agent, now: number): { status: AgentStatus; healthScore: number; health: HealthParts } {
    const age = this.#heartbeatAgeMs(agent, now);
    const outcomes = agent.outcomes.count(now);
    // A disabled agent still calls, but takes no work.
    const status = agent.settings.enabled ? agentStatus(age, isDegraded(agent.presence.degraded, outcomes)) : "Offline";
    return { status, healthScore: healthScore(age, outcomes), health: healthParts(age, outcomes) };
  }

  /** Updates `degraded`, which once set lasts until more jobs succeed (`isDegraded`). */
  noteDegraded(agent: Agent, now: number): void {
    const degraded = isDegraded(agent.presence.degraded, agent.outcomes.count(now));
    if (degraded !== agent.presence.degraded) this.#update(agent, { degraded });
  }

  /** Applies the list of credentials that an agent reports. */
  reportCredentials(agent: Agent, reported: HeldCredentials): void {
    const { credentials, unusable } = agent;
    const isSame = (connectionId: string) => {
      const [before, now] = [credentials.get(connectionId), reported.get(connectionId)];
      return before !== undefined && now !== undefined && isSameHeld(before, now);
    };
    // A first report here is recorded even if empty: in another pool the agent may have had credentials.
    const isKnown = agent.hasReported && reported.size === credentials.size;
    if (isKnown && [...reported.keys()].every(isSame)) return;
    this.credentials.replace(agent.settings.agentId, credentials, reported);
    agent.credentials = reported;
    // A changed credential may be usable now. Until libSQL answers, each delivery checks it (`judgeTargets`).
    this.setUnusable(agent, new Set([...unusable].filter(isSame)));
    agent.credentialsRecorded = false;
    agent.hasReported = true;
    this.#save(agent);
  }

  /** Sets which credentials of an agent are not for their connection's target. True when that changed. */
  setUnusable(agent: Agent, unusable: ReadonlySet<string>): boolean {
    if (unusable.symmetricDifference(agent.unusable).size === 0) return false;
    agent.unusable = unusable;
    this.credentials.noteUnusable(agent);
    this.#save(agent);
    return true;
  }

  /** libSQL has recorded `reported`. A later report is still to be recorded. */
  credentialsRecorded(agent: Agent, reported: HeldCredentials): void {
    if (agent.credentials !== reported) return;
    agent.credentialsRecorded = true;
    this.#save(agent);
  }

  /** Heartbeats since `since` (epoch ms), to be recorded in libSQL. */
  takeHeartbeats(since: number): { agentId: string; lastHeartbeatAt: number }[] {
    this.hasNewHeartbeats = false;
    return [...this.members()].flatMap((agent) => {
      const at = this.heartbeatAt(agent) ?? 0;
      return at > since ? [{ agentId: agent.settings.agentId, lastHeartbeatAt: at }] : [];
    });
  }

  /** Marks agents that were silent for too long as offline. Returns them: their sockets are dead. */
  noteSilence(now: number): Agent[] {
    const silent = [...this.members()].filter((agent) => isSilent(this.#heartbeatAgeMs(agent, now)));
    for (const agent of silent) this.setPresence(agent, { offline: true });
    return silent;
  }

  /** Whether there is an agent whose silence would matter. */
  get someIsOnline(): boolean {
    return this.#online.size > 0 || this.sockets.size > 0;
  }

  /** When to forget agents that left long ago (epoch ms); null when there are none. */
  get forgetAt(): number | null {
    return this.#leaving.earliest === null ? null : this.#leaving.earliest + HOUR_MS;
  }

  /** Forgets agents that left long ago. Their jobs were lost when they left, so they hold none. */
  forgetRemoved(now: number): void {
    for (const agentId of this.#leaving.takeDue(now)) {
      const agent = this.#agents.get(agentId);
      if (agent === undefined) continue;
      this.#agents.delete(agentId);
      this.#online.delete(agent);
      this.unrecorded.delete(agent);
      this.#unsaved.delete(agent);
      this.#deleted.push(agentId);
      this.#presences.delete(agent);
    }
  }

  /** The changes that storage must write. Clears them. */
  takeChanges() {
    const saved = [...this.#unsaved];
    this.#unsaved.clear();
    return { saved, deleted: this.#deleted.splice(0), presences: this.#presences.take() };
  }

  #heartbeatAgeMs(agent: Agent, now: number): number | null {
    // A silent agent is back when it is heard through its socket.
    const offline = agent.presence.offline && this.socketHeardAt(agent) === null;
    const presence = { ...agent.presence, offline, lastHeartbeatAt: this.heartbeatAt(agent) };
    return heartbeatAgeMs(presence, this.graceFrom, now);
  }

  #enter(agent: Agent): Agent {
    this.#agents.set(agent.settings.agentId, agent);
    this.#presences.add(agent);
    this.#save(agent);
    return agent;
  }

  #update(agent: Agent, changes: Partial<Presence>): void {
    agent.presence = { ...agent.presence, ...changes };
    this.#presences.changed(agent);
    this.#noteOnline(agent);
  }

  #noteOnline(agent: Agent): void {
    const { settings, presence } = agent;
    this.#online[settings.removed || presence.offline || presence.lastSeenAt === null ? "delete" : "add"](agent);
  }

  #save(agent: Agent): void {
    const { settings, credentialsRecorded, removedAt } = agent;
    this.#unsaved.add(agent);
    this.#noteOnline(agent);
    this.unrecorded[credentialsRecorded ? "delete" : "add"](agent);
    this.#leaving.set(settings.agentId, removedAt === null ? null : removedAt + REMOVED_KEEP_MS);
  }

  /** An agent's credentials do not count until its next report. Until then there is nothing to record. */
  #forgetCredentials(agent: Agent): void {
    this.credentials.replace(agent.settings.agentId, agent.credentials, new Map());
    agent.credentials = new Map();
    agent.credentialsRecorded = true;
    agent.hasReported = false;
    this.setUnusable(agent, new Set());
  }
}
