import type { HeldCredentials } from "../../../domain/credential/judge-told.ts";
import { SetMap } from "../../kit/set-map.ts";
import type { Agent } from "./agent.ts";

const NO_AGENTS: ReadonlySet<string> = new Set();

/** Which agents report which credentials, by connection. */
export class CredentialIndex {
  readonly #holders = new SetMap<string>();
  /** Agents with a credential that is not for its connection's present target; almost always none. */
  readonly #doubtful = new Set<Agent>();
  /** Connections whose first holder came, or whose last one went. */
  readonly #turned = new Set<string>();

  /** The agents that report a connection's credential. */
  holdersOf(connectionId: string): ReadonlySet<string> {
    return this.#holders.get(connectionId) ?? NO_AGENTS;
  }

  /** Those among them whose credential is for another target. Costs nothing where there are none. */
  unusableHoldersOf(connectionId: string): Agent[] {
    return [...this.#doubtful].filter(({ unusable }) => unusable.has(connectionId));
  }

  /** Once each: jobs of these connections that were not read yet need something else now. */
  takeTurned(): string[] {
    const turned = [...this.#turned];
    this.#turned.clear();
    return turned;
  }

  /** An agent reports `reported`, where it reported `former` before. */
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
