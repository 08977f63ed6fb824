import type { HealthParts } from "../../../schema/contract/management.ts";
import { SUCCESS_RATE_WINDOW_MS } from "../../../schema/limits.ts";
import { NEVER_SEEN, agentStatus, heartbeatAgeMs, isDegraded } from "../../actors/dispatcher/rules/agent-status.ts";
import { DueTimes } from "../../actors/kit/due-times.ts";
import { healthParts, healthScore } from "../../actors/dispatcher/rules/health-score.ts";
import type { HeldCredentials } from "../../domain/credential/judge-told.ts";
import type { AgentSettings } from "../ports.ts";
import { HeartbeatRecords } from "./heartbeat-records.ts";
import { newAgent, takeSettings } from "./pool-agent.ts";
import type { AgentHealth, PoolAgent } from "./pool-agent.ts";
import { PresenceRows } from "./presence-rows.ts";
import { ToldCredentials } from "./told-credentials.ts";
import type { PoolStorage } from "./pool-storage.ts";
import type { AgentRegistration } from "./stored-agent.ts";

const SECOND_MS = 1_000;
const WATCH_EVERY_MS = 20 * SECOND_MS;
/** Longer than the Pool goes without writing that it is at work, with room for an alarm that is late. */
const ASLEEP_AT_MOST_MS = 30 * SECOND_MS;

const HOUR_MS = 60 * 60 * SECOND_MS;
/**
 * What an agent that left must not do is remembered for so long; then whoever comes with its session registers anew, and
 * that asks libSQL. It is forgotten with others, some hour later.
 */
const REMOVED_KEEP_MS = 24 * HOUR_MS;

/** The agents of a Pool: what they are is on disk, when they called is in memory and flushed now and then. */
export class AgentBook {
  readonly #storage: PoolStorage;
  readonly #agents = new Map<string, PoolAgent>();
  /** When this Pool came back from an outage; what it could not hear before is nobody's silence (design 3). */
  readonly graceFrom: number | null;
  /** When the Pool last wrote down that it was at work (epoch ms). */
  #aliveAt: number;
  readonly #rows: PresenceRows<PoolAgent>;
  /** When agents that left are forgotten. */
  readonly #leaving = new DueTimes();
  readonly told = new ToldCredentials();
  /** Those that may have a credential that is not for its connection's present target; almost always none. */
  readonly #doubtful = new Set<string>();
  readonly records: HeartbeatRecords;

  constructor(storage: PoolStorage, now: number, someJobIsHeld: boolean) {
    this.#storage = storage;
    const presence = storage.loadPresence();
    this.#rows = new PresenceRows(storage);
    this.records = new HeartbeatRecords(presence.recordedAt ?? 0);
    for (const { credentials, unusable, removedAt, ...stored } of storage.loadAgents()) {
      const { settings } = stored;
      const agent = this.#enter({
        ...newAgent(settings),
        ...stored,
        hasTold: stored.hasTold ?? false,
        credentials: new Map(credentials),
        unusable: new Set(unusable),
        presence: presence.agents.get(settings.agentId) ?? NEVER_SEEN,
        removedAt: settings.removed ? (removedAt ?? 0) : null,
      });
      this.told.hold(settings.agentId, new Map(), agent.credentials);
      if (agent.unusable.size > 0) this.#doubtful.add(settings.agentId);
      const heardAt = agent.presence.lastHeartbeatAt ?? 0;
      if (heardAt > this.records.recordedAt) this.records.heard(settings.agentId);
    }
    for (const { agentId, finishedAt } of storage.lastFinished()) {
      const agent = this.#agents.get(agentId);
      if (agent !== undefined) agent.lastBusyAt = finishedAt;
    }
    for (const { agentId, minuteStart, succeeded, count } of storage.countOutcomes(now - SUCCESS_RATE_WINDOW_MS)) {
      this.#agents.get(agentId)?.outcomes.add(succeeded, minuteStart, count);
    }
    this.#aliveAt = presence.aliveAt;
    // A Pool with nothing to do is put to sleep after some seconds and wakes as a new one: only a longer gap was an outage.
    const wasAway = this.#isWatching(someJobIsHeld) && now - presence.aliveAt > ASLEEP_AT_MOST_MS;
    this.graceFrom = wasAway ? now : presence.graceFrom;
    if (wasAway) this.savePresence(now);
  }

  get(agentId: string): PoolAgent | undefined {
    return this.#agents.get(agentId);
  }

  /** Those that belong to this Pool now. */
  members(): PoolAgent[] {
    return [...this.#agents.values()].filter((agent) => !agent.settings.removed);
  }

  /** Takes settings over unless they are older than what is known; true when they are newer. */
  configure(settings: AgentSettings, now: number): boolean {
    const agent = this.#agents.get(settings.agentId);
    if (agent === undefined) this.#add(settings, now);
    else if (settings.epoch > agent.settings.epoch) {
      takeSettings(agent, settings, now);
      // Its new Pool takes credentials away and brings others: should it come back, it says anew what it has.
      if (settings.removed) this.told.forget(agent);
      this.#save(agent);
    } else return false;
    return true;
  }

  register(settings: AgentSettings, registration: AgentRegistration, now: number): PoolAgent {
    const agent = this.#agents.get(settings.agentId) ?? this.#add(settings, now);
    if (settings.epoch > agent.settings.epoch) takeSettings(agent, settings, now);
    // Another key is another vault: what the old one held is gone, whether or not the agent has said so yet.
    const former = agent.registration?.fingerprint;
    if (former !== undefined && former !== registration.fingerprint) {
      this.told.forget(agent);
      agent.credentialsPassedOn = false;
    }
    const isSame = agent.registration?.instanceId === registration.instanceId;
    agent.registration = registration;
    agent.toldRoom = null;
    agent.wokenAt = null;
    // A process that has just registered is about to poll: what is best for it is kept for it as long as for others.
    agent.presence = { ...agent.presence, lastPollAt: now, draining: isSame && agent.presence.draining === true };
    this.#rows.changed.add(agent.settings.agentId);
    this.#save(agent);
    this.heard(agent, "heartbeat", now);
    // Registering is a write anyway; a Pool that ends before its first flush still knows that this agent was here.
    this.savePresence(now, settings.agentId);
    return agent;
  }

  /** Notes a call, in memory. */
  heard(agent: PoolAgent, call: "heartbeat" | "poll" | "results", now: number): void {
    const { presence } = agent;
    const isHeartbeat = call === "heartbeat";
    agent.presence = {
      ...presence,
      ...(isHeartbeat ? { lastHeartbeatAt: now, offline: false } : {}),
      lastSeenAt: now,
      lastPollAt: call === "poll" ? now : presence.lastPollAt,
    };
    if (call === "poll") agent.wokenAt = null;
    if (isHeartbeat) this.records.heard(agent.settings.agentId);
    this.#rows.changed.add(agent.settings.agentId);
  }

  /** The agents that say they have a connection's credential. */
  holdersOf(connectionId: string): ReadonlySet<string> {
    return this.told.holdersOf(connectionId);
  }

  /**
   * Its silence was noticed, as that of many may be at once: `savePresence` follows. Or it said goodbye, which is a call
   * like any other. Or its key is none any more.
   */
  goneOffline(agent: PoolAgent, how: "silent" | "goodbye" | "cutOff", now: number): void {
    const lastSeenAt = how === "goodbye" ? now : agent.presence.lastSeenAt;
    agent.presence = { ...agent.presence, lastSeenAt, offline: true };
    this.#rows.changed.add(agent.settings.agentId);
    if (how !== "silent") this.savePresence(now, agent.settings.agentId);
  }

  /** When agents that left long ago are to be forgotten (epoch ms); null when there are none. */
  get forgetAt(): number | null {
    const first = this.#leaving.earliest;
    return first === null ? null : first + HOUR_MS;
  }

  /** Forgets them, but for those that still hold jobs. */
  forgetRemoved(now: number, isHolding: (agentId: string) => boolean): void {
    const due = this.#leaving.takeDue(now);
    const gone = due.filter((agentId) => !isHolding(agentId));
    for (const agentId of due) this.#leaving.set(agentId, now);
    for (const agentId of gone) {
      this.#leaving.set(agentId, null);
      this.#agents.delete(agentId);
      this.told.noteUntold({ settings: { agentId }, credentialsPassedOn: true });
      this.#storage.deleteAgent(agentId);
    }
    if (gone.length > 0) this.#rows.keepOnly(this.#agents.values());
  }

  /** Notes what an agent says it has. True when that is something new. */
  credentialsTold(agent: PoolAgent, told: HeldCredentials): boolean {
    const isNews = this.told.take(agent, told);
    if (isNews) this.#save(agent);
    return isNews;
  }

  /** Notes which of an agent's credentials are for another target than their connection's. True when that has changed. */
  setUnusable(agent: PoolAgent, unusable: ReadonlySet<string>): boolean {
    if (unusable.symmetricDifference(agent.unusable).size === 0) return false;
    agent.unusable = unusable;
    this.#doubtful[unusable.size > 0 ? "add" : "delete"](agent.settings.agentId);
    this.#save(agent);
    return true;
  }

  /** The agents whose credential for this connection is for another target. Costs nothing where there are none. */
  unusableHoldersOf(connectionId: string): PoolAgent[] {
    const agents = [...this.#doubtful].flatMap((agentId) => this.#agents.get(agentId) ?? []);
    return agents.filter(({ unusable }) => unusable.has(connectionId));
  }

  /** What was `told` has arrived; something newer has not. */
  credentialsPassedOn(agent: PoolAgent, told: HeldCredentials): void {
    if (agent.credentials !== told) return;
    agent.credentialsPassedOn = true;
    this.#save(agent);
  }

  health(agent: PoolAgent, now: number): AgentHealth {
    const age = heartbeatAgeMs(agent.presence, this.graceFrom, now);
    const outcomes = agent.outcomes.count(now);
    const degraded = isDegraded(agent.presence.degraded, outcomes);
    if (degraded !== agent.presence.degraded) agent.presence = { ...agent.presence, degraded };
    // A disabled agent goes on calling, and is shown as one that takes no work.
    const status = agent.settings.enabled ? agentStatus(age, degraded) : "Offline";
    return { status, healthScore: healthScore(age, outcomes) };
  }

  /** Why an agent's score is what it is. */
  healthParts(agent: PoolAgent, now: number): HealthParts {
    return healthParts(heartbeatAgeMs(agent.presence, this.graceFrom, now), agent.outcomes.count(now));
  }

  /** The heartbeats that libSQL does not know yet; from now on they count as told. */
  takeUnrecorded(): { agentId: string; lastHeartbeatAt: number }[] {
    return this.records.take().flatMap((agentId) => {
      const at = this.#agents.get(agentId)?.presence.lastHeartbeatAt ?? null;
      return at === null ? [] : [{ agentId, lastHeartbeatAt: at }];
    });
  }

  /**
   * Writes down who called when, as far as it is not written yet, and that the Pool was at work now. With `agentId`, of
   * that agent and its neighbours alone: many that register at once must not write all of them each time.
   */
  savePresence(now: number, agentId: string | null = null): void {
    this.#aliveAt = now;
    this.#storage.savePresence({ graceFrom: this.graceFrom, aliveAt: now, recordedAt: this.records.recordedAt });
    this.#rows.save(agentId);
  }

  /**
   * When the Pool must write down again that it is at work (epoch ms), so that a later silence can be told from its own
   * outage. Null while there is nobody whose silence matters.
   */
  watchAt(someJobIsHeld: boolean): number | null {
    return this.#isWatching(someJobIsHeld) ? this.#aliveAt + WATCH_EVERY_MS : null;
  }

  #isWatching(someJobIsHeld: boolean): boolean {
    return someJobIsHeld || this.members().some(({ presence }) => !presence.offline && presence.lastSeenAt !== null);
  }

  #add(settings: AgentSettings, now: number): PoolAgent {
    const agent = this.#enter(newAgent(settings));
    takeSettings(agent, settings, now);
    this.#save(agent);
    return agent;
  }

  #enter(agent: PoolAgent): PoolAgent {
    this.#agents.set(agent.settings.agentId, agent);
    this.#rows.add(agent);
    this.#note(agent);
    return agent;
  }

  #save(agent: PoolAgent): void {
    const { settings, registration, credentials, unusable, credentialsPassedOn, hasTold, removedAt } = agent;
    this.#note(agent);
    const has = { credentials: [...credentials], unusable: [...unusable] };
    const stored = { settings, registration, ...has, credentialsPassedOn, hasTold };
    this.#storage.saveAgent(removedAt === null ? stored : { ...stored, removedAt });
  }

  /** What is kept of agents by something else than their ids. */
  #note(agent: PoolAgent): void {
    const { settings, removedAt } = agent;
    this.told.noteUntold(agent);
    this.#leaving.set(settings.agentId, removedAt === null ? null : removedAt + REMOVED_KEEP_MS);
  }
}
