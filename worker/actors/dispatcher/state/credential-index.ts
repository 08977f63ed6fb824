import type { HeldCredentials } from "../../../domain/credential/judge-reported.ts";
import { SetMap } from "../../kit/set-map.ts";
import type { Agent } from "./agent.ts";

const NO_AGENTS: ReadonlySet<string> = new Set();

/** The agents that report a credential, by connection. */
export class CredentialIndex {
  readonly #holders = new SetMap<string>();
  /** Agents with a credential that is not for its connection's present target; almost always empty. */
  readonly #doubtful = new Set<Agent>();
  /** Connections that got their first holder or lost their last one. */
  readonly #turned = new Set<string>();

  /** The agents that report a connection's credential. */
  holdersOf(connectionId: string): ReadonlySet<string> {
    return this.#holders.get(connectionId) ?? NO_AGENTS;
  }

  /** The holders whose credential is for another target. */
  unusableHoldersOf(connectionId: string): Agent[] {
    return [...this.#doubtful].filter(({ unusable }) => unusable.has(connectionId));
  }

  /**
   * Drains the connections that got their first holder or lost their last one. Jobs of these connections that have not
   * been read have other requirements now.
   */
  takeTurned(): string[] {
    const turned = [...this.#turned];
    this.#turned.clear();
    return turned;
  }

  /** An agent reports `reported` instead of `former`. */
  replace(agentId: string, former: HeldCredentials, reported: HeldCredentials): void {
    for (const connectionId of former.keys()) {
      if (reported.has(connectionId)) continue;
      this.#holders.delete(connectionId, agentId);
      if (this.holdersOf(connectionId).size === 0) this.#turned.add(connectionId);
    }
    for (const connectionId of reported.keys()) {
      if (this.holdersOf(connectionId).size === 0) this.#turned.add(connectionId);
      this.#holders.add(connectionId, agentId);
    }
  }

  noteUnusable(agent: Agent): void {
    this.#doubtful[agent.unusable.size > 0 ? "add" : "delete"](agent);
  }
}
