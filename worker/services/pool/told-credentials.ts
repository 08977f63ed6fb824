import type { ToldVersions } from "../../domain/credential/judge-told.ts";

const NOBODY: ReadonlySet<string> = new Set();

interface Told {
  settings: { agentId: string };
  credentials: ToldVersions;
  credentialsPassedOn: boolean;
  hasTold: boolean;
}

/** What agents say they have: by connection those that have its credential, and those of which libSQL does not know yet. */
export class ToldCredentials {
  readonly #holders = new Map<string, Set<string>>();
  readonly #untold = new Set<string>();
  /** Connections whose credential somebody has now and nobody had before, or the other way round. */
  readonly #turned = new Set<string>();

  /** The agents of which libSQL is to be told. */
  get untold(): ReadonlySet<string> {
    return this.#untold;
  }

  /** Called whenever an agent is stored. */
  noteUntold({ settings, credentialsPassedOn }: Pick<Told, "settings" | "credentialsPassedOn">): void {
    if (credentialsPassedOn) this.#untold.delete(settings.agentId);
    else this.#untold.add(settings.agentId);
  }

  /** Once each: what is not read yet of jobs of these connections shows otherwise now. */
  takeTurned(): string[] {
    const turned = [...this.#turned];
    this.#turned.clear();
    return turned;
  }

  holdersOf(connectionId: string): ReadonlySet<string> {
    return this.#holders.get(connectionId) ?? NOBODY;
  }

  /** An agent says `told`, where it said `former` before. */
  hold(agentId: string, former: ToldVersions, told: ToldVersions): void {
    for (const connectionId of former.keys()) {
      const holders = this.#holders.get(connectionId);
      holders?.delete(agentId);
      if (holders?.size !== 0) continue;
      this.#holders.delete(connectionId);
      this.#turned.add(connectionId);
    }
    for (const connectionId of told.keys()) {
      const holders = this.#holders.get(connectionId);
      if (holders === undefined) {
        this.#holders.set(connectionId, new Set([agentId]));
        this.#turned.add(connectionId);
      } else holders.add(agentId);
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
