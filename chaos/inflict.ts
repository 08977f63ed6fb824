import { z } from "zod";
import { Refused } from "./admin.ts";
import type { Child } from "./child.ts";
import type { Fault, ProcessName, ScheduledFault } from "./schedule.ts";
import { POOLS, SCRIPTS_CONNECTION } from "./setup.ts";
import type { ChaosAgent, System } from "./system.ts";
import { WEATHERS } from "./weather.ts";

/** A fault that happened, by the clock of the run's records. */
export interface Inflicted {
  number: number;
  fault: Fault;
  fromMs: number;
  /** When the fault was undone. */
  toMs: number;
  /** The time in which the service had confirmed the pause of all runs, or the maintenance window. */
  confirmed?: Span;
  /** The maintenance windows of this fault: a repeated request may have opened two. */
  windowIds?: string[];
}

interface Span {
  fromMs: number;
  toMs: number;
}

const MINUTE_MS = 60_000;
const RESTART_WITHIN_MS = 45_000;
const START_TRIES = 10;

/** Inflicts a scheduled fault and undoes it. */
export async function inflict(system: System, { number, fault, lastsMs }: ScheduledFault): Promise<Inflicted> {
  const fromMs = Date.now();
  if (fault.kind === "pauseRuns") {
    const confirmed = await pauseRuns(system, lastsMs);
    return { number, fault, fromMs, toMs: Date.now(), confirmed };
  }
  if (fault.kind === "holdRuns") {
    const held = await holdRuns(system, `chaos ${number}`, lastsMs);
    return { number, fault, fromMs, toMs: Date.now(), ...held };
  }
  await carryOut(system, fault, lastsMs);
  return { number, fault, fromMs, toMs: Date.now() };
}

/** Pauses all runs of the deployment, and resumes them. */
async function pauseRuns({ admin }: System, lastsMs: number): Promise<Span> {
  await admin.call("PUT", "/pause", { reason: "chaos" }, z.unknown());
  const fromMs = Date.now();
  await Bun.sleep(lastsMs);
  const toMs = Date.now();
  await admin.call("DELETE", "/pause", undefined, z.unknown());
  return { fromMs, toMs };
}

/** Opens a maintenance window for everything, and ends it early. Forgotten, it ends by itself a minute later. */
async function holdRuns(
  { admin }: System,
  name: string,
  lastsMs: number,
): Promise<Pick<Inflicted, "confirmed" | "windowIds">> {
  const at = (ms: number) => new Date(Date.now() + ms).toISOString();
  const startsAt = at(-MINUTE_MS);
  const window = { name, mode: "hold", everything: true, startsAt };
  await admin.call("POST", "/maintenance-windows", { ...window, endsAt: at(lastsMs + MINUTE_MS) }, z.unknown());
  const fromMs = Date.now();
  await Bun.sleep(lastsMs);
  const open = z.array(z.object({ id: z.string(), name: z.string() }));
  const mine = (await admin.call("GET", "/maintenance-windows?limit=100", undefined, open)).filter(
    (one) => one.name === name,
  );
  const toMs = Date.now();
  for (const { id } of mine) {
    await admin.call("PUT", `/maintenance-windows/${id}`, { ...window, endsAt: at(0) }, z.unknown());
  }
  return { confirmed: { fromMs, toMs }, windowIds: mine.map(({ id }) => id) };
}

async function carryOut(
  system: System,
  fault: Exclude<Fault, { kind: "pauseRuns" | "holdRuns" }>,
  lastsMs: number,
): Promise<void> {
  switch (fault.kind) {
    case "kill":
      await processOf(system, fault.target).kill();
      await Bun.sleep(lastsMs);
      return startAgain(system, fault.target);
    case "pause":
      return pause(processOf(system, fault.target), lastsMs);
    case "restart":
      await system.agents[fault.target].child.stop(RESTART_WITHIN_MS);
      return system.agents[fault.target].start();
    case "disable": {
      const { id } = system.agents[fault.target];
      await system.admin.call("POST", `/agents/${id}/disable`, undefined, z.unknown());
      await Bun.sleep(lastsMs);
      await system.admin.call("POST", `/agents/${id}/enable`, undefined, z.unknown());
      return;
    }
    case "regenerateKey":
      return regenerateKey(system, system.agents[fault.target]);
    case "move": {
      const agent = system.agents[fault.target];
      await moveTo(system, agent, agent.homePool === POOLS.main ? POOLS.annex : POOLS.main);
      await Bun.sleep(lastsMs);
      return moveTo(system, agent, agent.homePool);
    }
    case "moveConnection":
      await moveScriptsTo(system, POOLS.annex);
      await Bun.sleep(lastsMs);
      return moveScriptsTo(system, POOLS.main);
    case "evict":
      system.service.send(JSON.stringify({ evict: fault.objects, share: fault.share }));
      return;
    case "weather":
      system.links[fault.link].weather = WEATHERS[fault.weather];
      await Bun.sleep(lastsMs);
      return system.links[fault.link].heal();
    case "freeze":
      system.links[fault.link].freeze();
      await Bun.sleep(lastsMs);
      if (fault.ends === "break") system.links[fault.link].breakOff();
      return system.links[fault.link].heal();
    case "refuse":
      system.links[fault.link].refuse();
      await Bun.sleep(lastsMs);
      return system.links[fault.link].heal();
  }
}

export function processOf(system: System, name: ProcessName): Child {
  if (name === "service") return system.service;
  return name === "database" ? system.database.child : system.agents[name].child;
}

/** A port that was just released may be in use for a moment. */
export async function startAgain(system: System, name: ProcessName): Promise<void> {
  if (name !== "service" && name !== "database") return system.agents[name].start();
  const child = processOf(system, name);
  for (let tries = 1; !child.running; tries++) {
    try {
      await child.start();
    } catch (error) {
      await child.kill();
      if (tries === START_TRIES) throw error;
      await Bun.sleep(200);
    }
  }
}

/** Moves an agent the way a person has to: an agent with jobs must stay in its pool. */
export async function moveTo({ admin }: System, { id }: ChaosAgent, poolId: string): Promise<void> {
  await admin.call("POST", `/agents/${id}/disable`, undefined, z.unknown());
  for (;;) {
    try {
      await admin.call("PATCH", `/agents/${id}`, { poolId }, z.unknown());
      break;
    } catch (error) {
      // The agent has not finished, or a concurrent edit won.
      if (!(error instanceof Refused) || error.status !== 409) throw error;
      await Bun.sleep(200);
    }
  }
  await admin.call("POST", `/agents/${id}/enable`, undefined, z.unknown());
}

/** The moved connection's waiting jobs are ordered again in the other pool. */
async function moveScriptsTo({ admin }: System, poolId: string): Promise<void> {
  const named = z.array(z.object({ id: z.string(), name: z.string() }));
  const found = (await admin.call("GET", "/connections?limit=100", undefined, named)).find(
    ({ name }) => name === SCRIPTS_CONNECTION,
  );
  if (found === undefined) throw new Error("the connection of the scripts is gone");
  await admin.call("PATCH", `/connections/${found.id}`, { poolId }, z.unknown());
}

async function pause(child: Child, lastsMs: number): Promise<void> {
  child.signal("SIGSTOP");
  await Bun.sleep(lastsMs);
  child.signal("SIGCONT");
}

async function regenerateKey({ admin }: System, agent: ChaosAgent): Promise<void> {
  const shape = z.object({ apiKey: z.string() });
  const { apiKey } = await admin.call("POST", `/agents/${agent.id}/regenerate-key`, undefined, shape);
  agent.keys.push(apiKey);
  await agent.child.kill();
  await agent.start();
}
