import { logWarning } from "../../services/log.ts";
import type { Event } from "./events.ts";
import type { DispatcherPorts } from "./ports.ts";
import type { Agent } from "./state/agent.ts";
import type { DispatcherState } from "./state/state.ts";

const RETRY_AFTER_MS = 15_000;
/** Should the object end in the middle of a round, the next one begins this long after. */
const SAFETY_MS = 30_000;
/** Thousands of agents may come at once, as after an outage. */
const AT_ONCE = 8;
/** After so many it is libSQL that fails, not an agent. */
const FAILURES_MAX = 3;

/**
 * Has libSQL record which credentials agents report. One call at a time for each agent: an older report must not overtake
 * a newer one.
 */
export class CredentialRecorder {
  readonly #state: DispatcherState;
  readonly #ports: DispatcherPorts;
  readonly #recorded: (event: Event<"credentialsRecorded">) => void;
  readonly #inFlight = new Set<string>();
  readonly #failed = new Set<string>();
  #round: Promise<void> | null = null;
  #nextAt = 0;

  constructor(state: DispatcherState, ports: DispatcherPorts, recorded: (event: Event<"credentialsRecorded">) => void) {
    this.#state = state;
    this.#ports = ports;
    this.#recorded = recorded;
  }

  /** When what is not recorded yet is to be recorded (epoch ms); null when nothing is. */
  dueAt(): number | null {
    return this.#state.agents.unrecorded.size === 0 ? null : this.#nextAt;
  }

  /** Records what is not recorded yet. A round that is under way takes what has come meanwhile. Never throws. */
  async record(): Promise<void> {
    if (this.#round === null) {
      if (this.#nextAt > this.#ports.now()) return;
      this.#round = this.#recordAll();
    }
    await this.#round;
  }

  async #recordAll(): Promise<void> {
    const now = this.#ports.now;
    this.#nextAt = now() + SAFETY_MS;
    // The second look is for what came just as the round ended.
    while (this.#next() !== null) await Promise.all(Array.from({ length: AT_ONCE }, () => this.#recordSome()));
    this.#nextAt = this.#failed.size === 0 ? 0 : now() + RETRY_AFTER_MS;
    this.#failed.clear();
    this.#round = null;
  }

  async #recordSome(): Promise<void> {
    for (let agent = this.#next(); agent !== null; agent = this.#next()) await this.#recordOf(agent);
  }

  #next(): Agent | null {
    const { agents } = this.#state;
    if (this.#failed.size >= FAILURES_MAX) return null;
    for (const agentId of agents.unrecorded) {
      const agent = agents.get(agentId);
      if (agent === undefined || agent.settings.removed) continue;
      if (!this.#inFlight.has(agentId) && !this.#failed.has(agentId)) return agent;
    }
    return null;
  }

  async #recordOf({ settings: { agentId }, credentials: reported }: Agent): Promise<void> {
    this.#inFlight.add(agentId);
    try {
      const recorded = await this.#ports.recordCredentials(agentId, reported);
      this.#recorded({ type: "credentialsRecorded", agentId, reported, recorded });
    } catch (error) {
      this.#failed.add(agentId);
      const fields = { agentId, error: String(error) };
      logWarning("the credentials of an agent could not be recorded; it is tried again", fields);
    } finally {
      this.#inFlight.delete(agentId);
    }
  }
}
