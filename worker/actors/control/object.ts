import { DurableObject } from "cloudflare:workers";
import { AUDIT_EXPORT_LAG_MS } from "../../../schema/limits.ts";
import type { Pause } from "../../domain/control.ts";
import type { Env } from "../../env.ts";
import type { AuditRow } from "../../services/audit-record.ts";
import { createDeps } from "../../services/deps.ts";
import type { ControlRpc } from "../../services/ports.ts";
import { insertAuditOnce } from "../../store/audit.ts";
import { writeBatch } from "../../store/database.ts";
import { withTimeout } from "../kit/with-timeout.ts";
import { Control } from "./control.ts";

const RECORD_LIMIT_MS = 20_000;

/** One object for the whole deployment: the pause of all runs (docs/design/dispatch.md#pause). */
export class ServiceControl extends DurableObject<Env> implements ControlRpc {
  #control!: Control;

  constructor(state: DurableObjectState, env: Env) {
    super(state, env);
    const { storage } = state;
    const { db, now, newId } = createDeps(env);
    const recordAudit = async (row: AuditRow) => {
      // libSQL may have been away for long. With its former id, an export that continues would miss the entry.
      const isLate = now() - row.at > AUDIT_EXPORT_LAG_MS / 2;
      const entry = insertAuditOnce(db, isLate ? { ...row, id: newId("audit") } : row);
      await withTimeout(RECORD_LIMIT_MS, "recording the pause", writeBatch(db, [entry]));
    };
    const background = (work: Promise<unknown>) => state.waitUntil(work);
    void state.blockConcurrencyWhile(async () => {
      this.#control = new Control({ storage, armedAt: await storage.getAlarm(), now, recordAudit, background });
    });
  }

  async read() {
    return this.#control.state;
  }

  async pause(pause: Pause, audit: AuditRow) {
    return this.#control.pause(pause, audit);
  }

  async resume(audit: AuditRow) {
    return this.#control.resume(audit);
  }

  override alarm(): Promise<void> {
    return this.#control.onAlarm();
  }
}
