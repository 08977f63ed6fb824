import { DurableObject } from "cloudflare:workers";
import type { Env } from "../../env.ts";
import { createDeps } from "../../services/deps.ts";
import type { AlerterRpc } from "../../services/ports.ts";
import { Alerter as AlerterAtWork } from "./alerter.ts";
import { createAlerterPorts } from "./ports.ts";

/** One object for the whole deployment: what rules have noticed, and its messages (docs/design/notifications.md). */
export class Alerter extends DurableObject<Env> implements AlerterRpc {
  #alerter!: AlerterAtWork;

  constructor(state: DurableObjectState, env: Env) {
    super(state, env);
    const { storage } = state;
    const ports = createAlerterPorts(createDeps(env));
    const background = (work: Promise<unknown>) => state.waitUntil(work);
    void state.blockConcurrencyWhile(async () => {
      this.#alerter = new AlerterAtWork({ storage, armedAt: await storage.getAlarm(), ports, background });
    });
  }

  tick(now: number): Promise<void> {
    return this.#alerter.tick(now);
  }

  async nudge(): Promise<void> {
    this.#alerter.nudge();
  }

  async refresh(): Promise<void> {
    this.#alerter.refresh();
  }

  async notices(ruleId: string) {
    return this.#alerter.notices(ruleId);
  }

  async collected(ruleId: string) {
    return this.#alerter.collected(ruleId);
  }

  async summary() {
    return this.#alerter.summary();
  }

  override alarm(): Promise<void> {
    return this.#alerter.onAlarm();
  }
}
