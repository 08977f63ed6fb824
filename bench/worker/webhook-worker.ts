import { DurableObject } from "cloudflare:workers";
import worker, { WebhookGate } from "../../worker/index.ts";
import type { Env } from "../../worker/env.ts";

/** The unchanged Worker, plus the floor and the held gate of the benchmark. */
export * from "../../worker/index.ts";

/** A gate that accepts and never starts: the cost of the 200 alone. */
export class HeldGate extends WebhookGate {
  protected override startExecutions(): Promise<void> {
    return Promise.resolve();
  }
}

/** The floor: a bare insert behind a bare route, the least cost of any durable answer. */
export class Floor extends DurableObject<Env> {
  constructor(state: DurableObjectState, env: Env) {
    super(state, env);
    state.storage.sql.exec("CREATE TABLE IF NOT EXISTS events (id INTEGER PRIMARY KEY, at INTEGER, body TEXT)");
  }

  insert(body: string): void {
    this.ctx.storage.sql.exec("INSERT INTO events (at, body) VALUES (?, ?)", Date.now(), body);
  }
}

interface BenchEnv extends Env {
  FLOOR: DurableObjectNamespace<Floor>;
}

export default {
  async fetch(request, env, context) {
    const name = /\/floor\/(\w+)$/u.exec(request.url)?.[1];
    if (name === undefined) return worker.fetch(request, env, context);
    await env.FLOOR.get(env.FLOOR.idFromName(name)).insert(await request.text());
    return Response.json({ success: true });
  },
} satisfies ExportedHandler<BenchEnv>;
