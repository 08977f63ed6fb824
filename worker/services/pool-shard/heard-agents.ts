import type { AgentCaller, HeardAgent } from "../ports.ts";

/** When agents called since their Pool was last told. */
export class HeardAgents {
  #heard = new Map<string, HeardAgent>();

  /** `now` is epoch ms. */
  hear({ agentId, instanceId }: AgentCaller, call: "poll" | "heartbeat", now: number): void {
    const former = this.#heard.get(agentId);
    const isSame = former?.instanceId === instanceId;
    this.#heard.set(agentId, {
      agentId,
      instanceId,
      pollAt: call === "poll" ? now : isSame ? former.pollAt : null,
      heartbeatAt: call === "heartbeat" ? now : isSame ? former.heartbeatAt : null,
    });
  }

  take(): HeardAgent[] {
    const taken = [...this.#heard.values()];
    this.#heard = new Map();
    return taken;
  }

  /** They could not be told; what was heard since then stays. */
  giveBack(taken: readonly HeardAgent[]): void {
    for (const before of taken) {
      const since = this.#heard.get(before.agentId);
      if (since === undefined) this.#heard.set(before.agentId, before);
      else if (since.instanceId === before.instanceId) {
        since.pollAt ??= before.pollAt;
        since.heartbeatAt ??= before.heartbeatAt;
      }
    }
  }
}
