import { OFFLINE_AFTER_MS } from "../schema/limits.ts";
import { seededRandom } from "./random.ts";
import type { Random } from "./random.ts";
import { WEATHERS } from "./weather.ts";
import type { WeatherName } from "./weather.ts";

export const AGENTS = ["agent-1", "agent-2", "agent-3"] as const;
export type AgentName = (typeof AGENTS)[number];
/** Each agent has its own link to the service. Notices are sent on theirs. */
export const LINKS = [...AGENTS, "senders", "database", "notices"] as const;
export type LinkName = (typeof LINKS)[number];
export const PROCESSES = [...AGENTS, "service", "database"] as const;
export type ProcessName = (typeof PROCESSES)[number];
export const OBJECT_BINDINGS = ["GATE", "WORKFLOW_RUNS", "DISPATCHER", "SERVICE_CONTROL", "ALERTER"] as const;
export type ObjectBinding = (typeof OBJECT_BINDINGS)[number];

/** A fault of the system. `lastsMs` of the schedule's entry is its duration. */
export type Fault =
  /** kill -9; started again at the end. */
  | { kind: "kill"; target: ProcessName }
  /** SIGSTOP, then SIGCONT. */
  | { kind: "pause"; target: ProcessName }
  /** SIGTERM; started again when it has ended. */
  | { kind: "restart"; target: AgentName }
  | { kind: "disable"; target: AgentName }
  /** A new key for the agent, which is killed and started with the new key. */
  | { kind: "regenerateKey"; target: AgentName }
  /** To the other pool, and back at the end. */
  | { kind: "move"; target: AgentName }
  /** The connection of most jobs to the other pool, and back at the end. */
  | { kind: "moveConnection" }
  /** This share of the objects loses its memory. */
  | { kind: "evict"; objects: ObjectBinding; share: number }
  | { kind: "weather"; link: LinkName; weather: WeatherName }
  /** Nothing passes; at the end the bytes arrive, or the connections break. */
  | { kind: "freeze"; link: LinkName; ends: "heal" | "break" }
  | { kind: "refuse"; link: LinkName }
  /** All runs of the deployment, by its own switch. */
  | { kind: "pauseRuns" }
  /** A maintenance window holds all runs that events and schedules start; it is ended early. */
  | { kind: "holdRuns" };
export type FaultKind = Fault["kind"];

export interface ScheduledFault {
  number: number;
  /** Milliseconds from the start of the load. */
  atMs: number;
  lastsMs: number;
  fault: Fault;
}

export interface Schedule {
  seed: string;
  durationMs: number;
  faults: ScheduledFault[];
}

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
/** The figures compare times under faults with times without. */
const CALM_EVERY_MS = 2 * MINUTE_MS;
const CALM_MS = 20 * SECOND_MS;
const LEAD_IN_SHARE = 0.15;
const LEAD_IN_MAX_MS = 20 * SECOND_MS;
const PAUSE_MAX_MS = 20 * SECOND_MS;
/** A run of this length also pauses an agent until it counts as offline. */
const LONG_RUN_MS = 5 * MINUTE_MS;
const LONG_PAUSE_MS = { min: OFFLINE_AFTER_MS + 10 * SECOND_MS, max: OFFLINE_AFTER_MS + 30 * SECOND_MS };
const LONG_PAUSE_STARTS = [0.25, 0.6];

/** A deck of faults: every kind comes before any kind repeats. */
const TIMES_IN_DECK = {
  kill: 4,
  pause: 3,
  restart: 1,
  disable: 1,
  regenerateKey: 1,
  move: 1,
  moveConnection: 1,
  evict: 3,
  weather: 5,
  freeze: 2,
  refuse: 2,
  pauseRuns: 1,
  holdRuns: 1,
} as const satisfies Record<FaultKind, number>;

/** Draws every fault of a run in advance: the same seed and duration give the same schedule. */
export function drawSchedule(seed: string, durationMs: number): Schedule {
  const random = seededRandom(seed).fork("schedule");
  const faults: Omit<ScheduledFault, "number">[] = longPauses(durationMs, random);
  const isShort = durationMs < MINUTE_MS;
  const gapMs = isShort ? 700 : 1_500;
  let deck: FaultKind[] = [];
  let targets = new Map<string, string[]>();
  for (let atMs = leadInMs(durationMs); ; atMs += Math.round(gapMs * (0.3 + 1.4 * random.next()))) {
    if (atMs >= durationMs - SECOND_MS) break;
    if (deck.length === 0) deck = random.shuffled(wholeDeck());
    const fault = drawFault(deck[0] ?? "kill", random, targets);
    const lastsMs = Math.min(drawLasting(fault, isShort, random), durationMs - atMs);
    // A target of a running fault is left alone: the same kind is drawn again a moment later.
    if (isCalm(atMs, atMs + lastsMs, durationMs) || faults.some((other) => collides(other, atMs, lastsMs, fault)))
      continue;
    deck.shift();
    faults.push({ atMs, lastsMs, fault });
  }
  faults.sort((a, b) => a.atMs - b.atMs);
  return { seed, durationMs, faults: faults.map((fault, index) => ({ number: index + 1, ...fault })) };
}

/** One line for a person. */
export function describeFault({ kind, ...fault }: Fault): string {
  const { target, link, weather, ends, objects, share } = { ...NOTHING, ...fault };
  switch (kind) {
    case "weather":
      return `${weather} on the link of ${link}`;
    case "freeze":
      return `the link of ${link} freezes, then ${ends === "heal" ? "everything arrives" : "its connections break"}`;
    case "refuse":
      return `the link of ${link} is down`;
    case "evict":
      return `${Math.round(share * 100)} % of the ${objects} objects are evicted`;
    case "regenerateKey":
      return `a new key for ${target}`;
    case "pauseRuns":
      return "all runs are paused";
    case "holdRuns":
      return "a maintenance window holds new runs";
    case "moveConnection":
      return "the connection of the scripts moves to the other pool";
    case "kill":
      return `kill -9 ${target}`;
    case "pause":
    case "restart":
    case "disable":
    case "move":
      return `${kind} ${target}`;
  }
}

const NOTHING = { target: "", link: "", weather: "", ends: "", objects: "", share: 0 };

function wholeDeck(): FaultKind[] {
  return namesOf(TIMES_IN_DECK).flatMap((kind) => Array.from({ length: TIMES_IN_DECK[kind] }, () => kind));
}

function leadInMs(durationMs: number): number {
  return Math.min(LEAD_IN_MAX_MS, Math.round(durationMs * LEAD_IN_SHARE));
}

function isCalm(fromMs: number, toMs: number, durationMs: number): boolean {
  if (durationMs < 2 * CALM_EVERY_MS) return false;
  for (let end = CALM_EVERY_MS; end < durationMs; end += CALM_EVERY_MS) {
    if (fromMs < end && toMs > end - CALM_MS) return true;
  }
  return false;
}

function longPauses(durationMs: number, random: Random): Omit<ScheduledFault, "number">[] {
  if (durationMs < LONG_RUN_MS) return [];
  return LONG_PAUSE_STARTS.map((start) => ({
    atMs: Math.round(durationMs * start),
    lastsMs: random.whole(LONG_PAUSE_MS.min, LONG_PAUSE_MS.max),
    fault: { kind: "pause" as const, target: random.pick(AGENTS) },
  }));
}

function drawFault(kind: FaultKind, random: Random, targets: Map<string, string[]>): Fault {
  const next = <T extends string>(of: readonly T[], name: string = kind): T => inTurn(of, name, random, targets);
  switch (kind) {
    case "kill":
    case "pause":
      return { kind, target: next(PROCESSES) };
    case "restart":
    case "disable":
    case "regenerateKey":
    case "move":
      return { kind, target: next(AGENTS) };
    case "moveConnection":
    case "pauseRuns":
    case "holdRuns":
      return { kind };
    case "evict":
      return { kind, objects: next(OBJECT_BINDINGS), share: random.chance(0.5) ? 1 : 0.5 };
    case "weather":
      return { kind, link: next(LINKS), weather: next(namesOf(WEATHERS), "weathers") };
    case "freeze":
      return { kind, link: next(LINKS), ends: random.pick(["heal", "break"] as const) };
    case "refuse":
      return { kind, link: next(LINKS) };
  }
}

/** Every item comes before any repeats. */
function inTurn<T extends string>(of: readonly T[], name: string, random: Random, left: Map<string, string[]>): T {
  if ((left.get(name) ?? []).length === 0) left.set(name, random.shuffled(of));
  const drawn = left.get(name)?.shift();
  return of.find((candidate) => candidate === drawn) ?? random.pick(of);
}

function namesOf<T extends string>(record: Readonly<Record<T, unknown>>): T[] {
  const isName = (name: string): name is T => Object.hasOwn(record, name);
  return Object.keys(record).filter(isName);
}

function drawLasting(fault: Fault, isShort: boolean, random: Random): number {
  const scale = isShort ? 0.25 : 1;
  const between = (min: number, max: number) => Math.round(random.whole(min, max) * scale);
  switch (fault.kind) {
    case "kill":
      return between(200, fault.target === "service" ? 6_000 : 10_000);
    case "pause":
      return between(SECOND_MS, fault.target === "service" || fault.target === "database" ? 12_000 : PAUSE_MAX_MS);
    case "weather":
      return between(5_000, PAUSE_MAX_MS);
    case "freeze":
    case "refuse":
      return between(SECOND_MS, 12_000);
    case "pauseRuns":
      return between(6_000, 15_000);
    case "holdRuns":
      return between(8_000, 20_000);
    case "disable":
    case "move":
    case "moveConnection":
      return between(5_000, 30_000);
    case "restart":
    case "regenerateKey":
    case "evict":
      return 0;
  }
}

/** Two faults on one process, one link or one agent's pool or key must not overlap; on different ones they may. */
function collides(other: Omit<ScheduledFault, "number">, atMs: number, lastsMs: number, fault: Fault): boolean {
  const overlaps = other.atMs < atMs + lastsMs + SECOND_MS && atMs < other.atMs + other.lastsMs + SECOND_MS;
  return overlaps && placeOf(other.fault) === placeOf(fault);
}

function placeOf(fault: Fault): string {
  switch (fault.kind) {
    case "kill":
    case "pause":
    case "restart":
    case "regenerateKey":
      return `process ${fault.target}`;
    case "disable":
    case "move":
      return `standing ${fault.target}`;
    case "weather":
    case "freeze":
    case "refuse":
      return `link ${fault.link}`;
    case "evict":
      return `objects ${fault.objects}`;
    case "moveConnection":
      return "connection";
    case "pauseRuns":
      return "runs";
    case "holdRuns":
      return "windows";
  }
}
