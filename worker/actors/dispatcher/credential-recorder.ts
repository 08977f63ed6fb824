import { logWarning } from "../../services/log.ts";
import type { Event } from "./events.ts";
import type { DispatcherPorts } from "./ports.ts";
import type { Agent } from "./state/agent.ts";
import type { DispatcherState } from "./state/state.ts";

/** Thousands of agents may come at once, as after an outage. */
const AT_ONCE = 8;
/** After so many it is libSQL that fails, not an agent. */
const FAILURES_MAX = 3;

/** Has libSQL record which credentials agents report. One call at a time for each agent: an older report must not overtake a newer one. */
export class CredentialRecorder {
  readonly #state: DispatcherState;
  readonly #ports: DispatcherPorts;
  readonly #apply: (event: Event<"credentialsRecorded">) => void;
  readonly #recording = new Set<string>();
  readonly #failed = new Set<string>();
  #round: Promise<void> | null = null;

  constructor(state: DispatcherState, ports: DispatcherPorts, apply: (event: Event<"credentialsRecorded">) => void) {
    this.#state = state;
    this.#ports = ports;
    this.#apply = apply;
  }

  /** Records what is not recorded yet. A round that is under way takes what has come meanwhile. Never throws. */
  async record(): Promise<void> {
    if (this.#state.timers.recordCredentialsFrom > this.#ports.now()) return;
    this.#round ??= this.#recordAll().finally(() => {
      this.#round = null;
      this.#failed.clear();
    });
    await this.#round;
  }

  async #recordAll(): Promise<void> {
    await Promise.all(Array.from({ length: AT_ONCE }, () => this.#recordSome()));
    // What came just as the round ended.
    if (this.#failed.size === 0 && this.#next() !== null) await this.#recordAll();
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
      if (!this.#recording.has(agentId) && !this.#failed.has(agentId)) return agent;
    }
    return null;
  }

  async #recordOf({ settings: { agentId }, credentials: reported }: Agent): Promise<void> {
    this.#recording.add(agentId);
    try {
      const recorded = await this.#ports.recordCredentials(agentId, reported);
      this.#recording.delete(agentId);
      this.#apply({ type: "credentialsRecorded", agentId, reported, recorded });
    } catch (error) {
      this.#recording.delete(agentId);
      this.#failed.add(agentId);
      logWarning("the credentials of an agent could not be recorded; it is tried again", {
        agentId,
        error: String(error),
      });
      this.#apply({ type: "credentialsRecorded", agentId, reported, recorded: null });
    }
  }
}
