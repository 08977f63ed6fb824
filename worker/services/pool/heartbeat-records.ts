import { HEARTBEATS_RECORDED_EVERY_MS } from "../../../schema/limits.ts";

const RETRY_AFTER_MS = 15_000;

/** The agents whose heartbeat libSQL does not know yet, and when it is told: a row for each heartbeat would be dear. */
export class HeartbeatRecords {
  readonly #unrecorded = new Set<string>();
  /** When libSQL was last told (epoch ms); 0 when never. */
  #recordedAt: number;
  #notBefore = 0;

  constructor(recordedAt: number) {
    this.#recordedAt = recordedAt;
  }

  get recordedAt(): number {
    return this.#recordedAt;
  }

  /** When libSQL is to be told (epoch ms); null when it knows all. */
  get dueAt(): number | null {
    if (this.#unrecorded.size === 0) return null;
    return Math.max(this.#recordedAt + HEARTBEATS_RECORDED_EVERY_MS, this.#notBefore);
  }

  heard(agentId: string): void {
    this.#unrecorded.add(agentId);
  }

  /** What is recorded now. */
  take(): string[] {
    const taken = [...this.#unrecorded];
    this.#unrecorded.clear();
    return taken;
  }

  succeeded(now: number): void {
    this.#recordedAt = now;
  }

  failed(agentIds: readonly string[], now: number): void {
    for (const agentId of agentIds) this.#unrecorded.add(agentId);
    this.#notBefore = now + RETRY_AFTER_MS;
  }
}
