import { SUCCESS_RATE_WINDOW_MS } from "../../../schema/limits.ts";
import { NEVER_SEEN, agentStatus, heartbeatAgeMs, isDegraded } from "../../domain/agent-status.ts";
import type { Presence } from "../../domain/agent-status.ts";
import { healthScore } from "../../domain/health-score.ts";
import type { ToldVersions } from "../../domain/credential/judge-told.ts";
import { OutcomeWindow } from "../../domain/outcome-window.ts";
import type { AgentStatus } from "../../../schema/contract/management.ts";
import type { AgentSettings } from "../ports.ts";
import { HeartbeatRecords } from "./heartbeat-records.ts";
import { ToldCredentials } from "./told-credentials.ts";
import type { AgentRegistration, PoolStorage } from "./pool-storage.ts";

const SECOND_MS = 1_000;
const WATCH_EVERY_MS = 20 * SECOND_MS;
/** Longer than the Pool goes without writing that it is at work, with room for an alarm that is late. */
const ASLEEP_AT_MOST_MS = 30 * SECOND_MS;

/** How many agents' presence is one row: a row for each would be many writes, one for all too large a one. */
const CHUNK_AGENTS = 64;

/** One agent of a Pool. */
export interface PoolAgent {
  settings: AgentSettings;
  registration: AgentRegistration | null;
  credentials: ToldVersions;
  /** Whether libSQL was told of these credentials. */
  credentialsPassedOn: boolean;
  /** Whether it has told this Pool what it has, were it nothing. */
  hasTold: boolean;
  /** While libSQL is being told. */
  isTelling: boolean;
  presence: Presence;
  readonly outcomes: OutcomeWindow;
  /** How many more jobs it can take by its own last word; null before it said so. */
  toldRoom: number | null;
  /** When it was told to poll and has not done so (epoch ms). */
  wokenAt: number | null;
  /** When it last got or finished a job (epoch ms); 0 when never. */
  lastBusyAt: number;
}

export interface AgentHealth {
  status: AgentStatus;
  healthScore: number;
}

/** The agents of a Pool: what they are is on disk, when they called is in memory and flushed now and then. */
export class AgentBook {
  readonly #storage: PoolStorage;
  readonly #agents = new Map<string, PoolAgent>();
  /** When this Pool came back from an outage; what it could not hear before is nobody's silence (design 3). */
  readonly graceFrom: number | null;
  /** When the Pool last wrote down that it was at work (epoch ms). */
  #aliveAt: number;
  /** Agents that have called since presence was last written down. */
  readonly #changed = new Set<string>();
  /** By agent, the place at which it came: with its neighbours it shares a row of presence. */
  readonly #ordinals = new Map<string, number>();
  readonly told = new ToldCredentials();
  readonly records: HeartbeatRecords;

  constructor(storage: PoolStorage, now: number, someJobIsHeld: boolean) {
    this.#storage = storage;
    const presence = storage.loadPresence();
    this.records = new HeartbeatRecords(presence.recordedAt ?? 0);
    for (const { settings, registration, credentials, credentialsPassedOn, hasTold = false } of storage.loadAgents()) {
      this.#ordinals.set(settings.agentId, this.#agents.size);
      this.#agents.set(settings.agentId, {
        settings,
        registration,
        credentials: new Map(credentials),
        credentialsPassedOn,
        hasTold,
        isTelling: false,
        presence: presence.agents.get(settings.agentId) ?? NEVER_SEEN,
        outcomes: new OutcomeWindow(),
        toldRoom: null,
        wokenAt: null,
        lastBusyAt: 0,
      });
      this.told.hold(settings.agentId, new Map(), new Map(credentials));
      this.told.noteUntold({ settings, credentialsPassedOn });
      const heardAt = presence.agents.get(settings.agentId)?.lastHeartbeatAt ?? 0;
      if (heardAt > this.records.recordedAt) this.records.heard(settings.agentId);
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
  configure(settings: AgentSettings): boolean {
    const agent = this.#agents.get(settings.agentId);
    if (agent === undefined) this.#add(settings);
    else if (settings.epoch > agent.settings.epoch) {
      agent.settings = settings;
      // Its new Pool takes credentials away and brings others: should it come back, it says anew what it has.
      if (settings.removed) this.told.forget(agent);
      this.#save(agent);
    } else return false;
    return true;
  }

  register(settings: AgentSettings, registration: AgentRegistration, now: number): PoolAgent {
    const agent = this.#agents.get(settings.agentId) ?? this.#add(settings);
    if (settings.epoch > agent.settings.epoch) agent.settings = settings;
    // Another key is another vault: what the old one held is gone, whether or not the agent has said so yet.
    const former = agent.registration?.fingerprint;
    if (former !== undefined && former !== registration.fingerprint) {
      this.told.forget(agent);
      agent.credentialsPassedOn = false;
    }
    agent.registration = registration;
    agent.toldRoom = null;
    agent.wokenAt = null;
    // A process that has just registered is about to poll: what is best for it is kept for it as long as for others.
    agent.presence = { ...agent.presence, lastPollAt: now };
    this.#changed.add(agent.settings.agentId);
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
      lastHeartbeatAt: isHeartbeat ? now : presence.lastHeartbeatAt,
      lastSeenAt: now,
      lastPollAt: call === "poll" ? now : presence.lastPollAt,
      offline: isHeartbeat ? false : presence.offline,
      degraded: presence.degraded,
    };
    if (call === "poll") agent.wokenAt = null;
    if (isHeartbeat) this.records.heard(agent.settings.agentId);
    this.#changed.add(agent.settings.agentId);
  }

  /** What a shard has heard in its stead; older news than what is known changes nothing. */
  heardElsewhere(
    agent: PoolAgent,
    { pollAt, heartbeatAt }: { pollAt: number | null; heartbeatAt: number | null },
  ): void {
    const { lastPollAt, lastHeartbeatAt, lastSeenAt, offline } = agent.presence;
    const { wokenAt } = agent;
    // It may have said goodbye since.
    const after = offline ? (lastSeenAt ?? 0) : 0;
    if (heartbeatAt !== null && heartbeatAt > Math.max(lastHeartbeatAt ?? 0, after)) {
      this.heard(agent, "heartbeat", heartbeatAt);
    }
    if (pollAt !== null && pollAt > Math.max(lastPollAt ?? 0, after)) {
      this.heard(agent, "poll", pollAt);
      if (wokenAt !== null && pollAt <= wokenAt) agent.wokenAt = wokenAt;
    }
  }

  /** The place at which it came to this Pool, from 0; the next one's when it is not known yet. */
  ordinalOf(agentId: string): number {
    return this.#ordinals.get(agentId) ?? this.#agents.size;
  }

  /** The agents that say they have a connection's credential. */
  holdersOf(connectionId: string): ReadonlySet<string> {
    return this.told.holdersOf(connectionId);
  }

  /** Its silence was noticed; or it said goodbye, which is a call like any other. */
  goneOffline(agent: PoolAgent, how: "silent" | "goodbye", now: number): void {
    const lastSeenAt = how === "goodbye" ? now : agent.presence.lastSeenAt;
    agent.presence = { ...agent.presence, lastSeenAt, offline: true };
    this.#changed.add(agent.settings.agentId);
    this.savePresence(now, agent.settings.agentId);
  }

  /** Notes what an agent says it has. True when that is something new. */
  credentialsTold(agent: PoolAgent, told: ToldVersions): boolean {
    const { credentials } = agent;
    // Its first word here is news, also when it has nothing: in another Pool it may have had something.
    const isKnown = agent.hasTold && told.size === credentials.size;
    if (isKnown && [...told].every(([id, version]) => credentials.get(id) === version)) {
      return false;
    }
    this.told.hold(agent.settings.agentId, credentials, told);
    agent.credentials = told;
    agent.credentialsPassedOn = false;
    agent.hasTold = true;
    this.#save(agent);
    return true;
  }

  /** What was `told` has arrived; something newer has not. */
  credentialsPassedOn(agent: PoolAgent, told: ToldVersions): void {
    if (agent.credentials !== told) return;
    agent.credentialsPassedOn = true;
    this.#save(agent);
  }

  health(agent: PoolAgent, now: number): AgentHealth {
    const age = heartbeatAgeMs(agent.presence, this.graceFrom, now);
    const outcomes = agent.outcomes.count(now);
    const degraded = isDegraded(agent.presence.degraded, outcomes);
    if (degraded !== agent.presence.degraded) agent.presence = { ...agent.presence, degraded };
    return { status: agentStatus(age, degraded), healthScore: healthScore(age, outcomes) };
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
    const chunks = new Set((agentId === null ? [...this.#changed] : [agentId]).map((id) => this.#chunkOf(id)));
    if (agentId === null) this.#changed.clear();
    for (const chunk of chunks) {
      const agents = [...this.#agents.values()].slice(chunk * CHUNK_AGENTS, (chunk + 1) * CHUNK_AGENTS);
      this.#storage.savePresenceChunk(
        chunk,
        agents.map(({ settings, presence }) => [settings.agentId, presence]),
      );
    }
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

  #chunkOf(agentId: string): number {
    return Math.floor(this.ordinalOf(agentId) / CHUNK_AGENTS);
  }

  #add(settings: AgentSettings): PoolAgent {
    const agent: PoolAgent = {
      settings,
      registration: null,
      credentials: new Map(),
      credentialsPassedOn: true,
      hasTold: false,
      isTelling: false,
      presence: NEVER_SEEN,
      outcomes: new OutcomeWindow(),
      toldRoom: null,
      wokenAt: null,
      lastBusyAt: 0,
    };
    this.#ordinals.set(settings.agentId, this.#agents.size);
    this.#agents.set(settings.agentId, agent);
    this.#save(agent);
    return agent;
  }

  #save(agent: PoolAgent): void {
    const { settings, registration, credentials, credentialsPassedOn, hasTold } = agent;
    this.told.noteUntold(agent);
    this.#storage.saveAgent({ settings, registration, credentials: [...credentials], credentialsPassedOn, hasTold });
  }
}
