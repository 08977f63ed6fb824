import { jittered } from "../../agent/service/retry.ts";
import { WAKE_LIMITS } from "../../agent/wake/connection.ts";
import { POLL_INTERVAL_DEFAULT_SECONDS } from "../../schema/limits.ts";
import { onLanes, pick } from "../engine/figures.ts";
import type { BenchAgent } from "./bench-agent.ts";

const OPENING_AT_ONCE = 8;

/**
 * Idle agents, each with an open wake socket: they poll when the last answer allows it, ping as often as the agent
 * does, and send no heartbeats.
 */
export class IdleFleet {
  readonly #agents: readonly BenchAgent[];
  #isOver = false;
  #failure: unknown = null;
  /** The pings sent, and below, the wake sockets that ended before the fleet did. */
  pings = 0;
  socketsLost = 0;

  constructor(agents: readonly BenchAgent[]) {
    this.#agents = agents;
  }

  /** Resolves when all sockets are open. From then on the polls are spread over their interval. */
  async start(): Promise<void> {
    await onLanes(OPENING_AT_ONCE, this.#agents.length, async (index) => {
      const agent = pick(this.#agents, index);
      await agent.openWake();
      this.#follow(this.#pingOn(agent));
      const intervalMs = await pollOnce(agent);
      this.#follow(this.#pollOn(agent, intervalMs * Math.random()));
    });
  }

  get pongs(): number {
    return this.#agents.reduce((sum, { pongs }) => sum + pongs, 0);
  }

  /** Throws the first failure of a call. */
  check(): void {
    if (this.#failure !== null) throw this.#failure;
  }

  stop(): void {
    this.#isOver = true;
    for (const agent of this.#agents) agent.closeWake();
  }

  async #pollOn(agent: BenchAgent, firstAfterMs: number): Promise<void> {
    let waitMs = firstAfterMs;
    while (await this.#goesOnAfter(waitMs)) {
      if (!agent.hasWake) {
        this.socketsLost += 1;
        await agent.heartbeat();
        await agent.openWake();
      }
      waitMs = jittered(await pollOnce(agent), Math.random);
    }
  }

  async #pingOn(agent: BenchAgent): Promise<void> {
    while (await this.#goesOnAfter(jittered(WAKE_LIMITS.pingEveryMs, Math.random))) {
      if (!agent.hasWake) continue;
      this.pings += 1;
      agent.ping();
    }
  }

  async #goesOnAfter(waitMs: number): Promise<boolean> {
    await Bun.sleep(waitMs);
    return !this.#isOver;
  }

  #follow(work: Promise<void>): void {
    work.catch((error: unknown) => {
      if (!this.#isOver) this.#failure ??= error;
    });
  }
}

/** Returns the interval until the next poll, in milliseconds. */
async function pollOnce(agent: BenchAgent): Promise<number> {
  return 1_000 * ((await agent.poll()) ?? POLL_INTERVAL_DEFAULT_SECONDS);
}
