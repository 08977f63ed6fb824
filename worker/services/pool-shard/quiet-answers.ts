import { createHash } from "node:crypto";
import { SHARD_ANSWER_KEPT_MS } from "../../../schema/limits.ts";

interface Kept<T> {
  /** Rises with whatever may make an answer wrong: one that was asked for before is not kept. */
  turn: number;
  answer: { question: string; value: T; until: number } | null;
}

/**
 * What a Pool has answered and would answer again, by agent: that there is nothing to do. In memory alone: who starts
 * without it asks the Pool.
 */
export class QuietAnswers<T extends object> {
  readonly #agents = new Map<string, Kept<T>>();

  /** The answer to the same question as before; null when the Pool must be asked. */
  find(agentId: string, question: string, now: number): T | null {
    const answer = this.#agents.get(agentId)?.answer ?? null;
    return answer !== null && answer.question === question && now < answer.until ? answer.value : null;
  }

  /** The Pool is about to be asked; `keep` takes its answer unless something came between. */
  asking(agentId: string): { keep(question: string, value: T, now: number): void } {
    const kept = this.#agents.get(agentId) ?? { turn: 0, answer: null };
    this.#agents.set(agentId, kept);
    const turn = ++kept.turn;
    kept.answer = null;
    return {
      keep: (question, value, now) => {
        if (kept.turn === turn) kept.answer = { question, value, until: now + SHARD_ANSWER_KEPT_MS };
      },
    };
  }

  /** The Pool may have something new for this agent. */
  forget(agentId: string): void {
    const kept = this.#agents.get(agentId);
    if (kept === undefined) return;
    kept.turn++;
    kept.answer = null;
  }
}

/** Told apart by its digest: what an agent says of its credentials can be long. */
export function questionOf(...parts: unknown[]): string {
  return createHash("sha256").update(JSON.stringify(parts)).digest("base64");
}
