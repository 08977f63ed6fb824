import { isSameHeld } from "../../domain/credential/judge-told.ts";
import type { HeldCredentials } from "../../domain/credential/judge-told.ts";

const NOBODY: ReadonlySet<string> = new Set();

interface Told {
  settings: { agentId: string };
  credentials: HeldCredentials;
  unusable: ReadonlySet<string>;
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
  hold(agentId: string, former: HeldCredentials, told: HeldCredentials): void {
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

  /** Notes what an agent reports. True when that is news, and is to be stored. */
  take(agent: Told, told: HeldCredentials): boolean {
    const { credentials, unusable } = agent;
    const isSame = (connectionId: string) => {
      const [before, now] = [credentials.get(connectionId), told.get(connectionId)];
      return before !== undefined && now !== undefined && isSameHeld(before, now);
    };
    // Its first word here is news, also when it has nothing: in another Pool it may have had something.
    const isKnown = agent.hasTold && told.size === credentials.size;
    if (isKnown && [...told.keys()].every(isSame)) return false;
    this.hold(agent.settings.agentId, credentials, told);
    agent.credentials = told;
    // One that has changed may be usable now. Until libSQL has answered, each delivery judges it (`judgeTargets`).
    agent.unusable = new Set([...unusable].filter(isSame));
    agent.credentialsPassedOn = false;
    agent.hasTold = true;
    return true;
  }

  /** What an agent said counts no more until it says so again; there is nothing to pass on meanwhile. */
  forget(agent: Told): void {
    this.hold(agent.settings.agentId, agent.credentials, new Map());
    agent.credentials = new Map();
    agent.unusable = new Set();
    agent.credentialsPassedOn = true;
    agent.hasTold = false;
  }
}
