import type { ToldVersions } from "../../domain/credential/judge-told.ts";

const NOBODY: ReadonlySet<string> = new Set();

interface Told {
  settings: { agentId: string };
  credentials: ToldVersions;
  credentialsPassedOn: boolean;
  hasTold: boolean;
}

/** By connection, the agents that say they have its credential. */
export class CredentialHolders {
  readonly #holders = new Map<string, Set<string>>();

  of(connectionId: string): ReadonlySet<string> {
    return this.#holders.get(connectionId) ?? NOBODY;
  }

  /** An agent says `told`, where it said `former` before. */
  hold(agentId: string, former: ToldVersions, told: ToldVersions): void {
    for (const connectionId of former.keys()) {
      const holders = this.#holders.get(connectionId);
      holders?.delete(agentId);
      if (holders?.size === 0) this.#holders.delete(connectionId);
    }
    for (const connectionId of told.keys()) {
      const holders = this.#holders.get(connectionId) ?? new Set();
      this.#holders.set(connectionId, holders.add(agentId));
    }
  }

  /** What an agent said counts no more until it says so again; there is nothing to pass on meanwhile. */
  forget(agent: Told): void {
    this.hold(agent.settings.agentId, agent.credentials, new Map());
    agent.credentials = new Map();
    agent.credentialsPassedOn = true;
    agent.hasTold = false;
  }
}
