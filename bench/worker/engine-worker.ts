import { DurableObject } from "cloudflare:workers";
import worker from "../../worker/index.ts";
import { createDeps } from "../../worker/services/deps.ts";
import { writeBatch } from "../../worker/store/database.ts";
import type { Env } from "../../worker/env.ts";

/** The unchanged Worker, plus the floor of the engine's benchmark. */
export * from "../../worker/index.ts";

/** The floor: bare inserts into an object's storage and bare write batches of one insert, without the engine. */
export class EngineFloor extends DurableObject<Env> {
  constructor(state: DurableObjectState, env: Env) {
    super(state, env);
    state.storage.sql.exec("CREATE TABLE IF NOT EXISTS events (id INTEGER PRIMARY KEY, at INTEGER, body TEXT)");
  }

  async work(objectInserts: number, batches: number, body: string): Promise<void> {
    for (let i = 0; i < objectInserts; i += 1) {
      this.ctx.storage.sql.exec("INSERT INTO events (at, body) VALUES (?, ?)", Date.now(), body);
    }
    const db = createDeps(this.env).db;
    for (let i = 0; i < batches; i += 1) await writeBatch(db, [insertInto(body)]);
  }
}

/** The benchmark makes this table. */
function insertInto(body: string) {
  return { toSQL: () => ({ sql: "INSERT INTO bench_floor (at, body) VALUES (?, ?)", params: [Date.now(), body] }) };
}

interface BenchEnv extends Env {
  FLOOR: DurableObjectNamespace<EngineFloor>;
}

/** `POST /floor/<object>?inserts=1&batches=2` */
export default {
  async fetch(request, env, context) {
    const { pathname, searchParams } = new URL(request.url);
    const name = /^\/floor\/(\w+)$/u.exec(pathname)?.[1];
    if (name === undefined) return worker.fetch(request, env, context);
    const count = (param: string) => Number(searchParams.get(param) ?? 0);
    const floor = env.FLOOR.get(env.FLOOR.idFromName(name));
    await floor.work(count("inserts"), count("batches"), await request.text());
    return Response.json({ success: true });
  },
  scheduled: worker.scheduled,
} satisfies ExportedHandler<BenchEnv>;
