import { DurableObject } from "cloudflare:workers";
import type { Env } from "../../env.ts";
import { createDeps } from "../../services/deps.ts";
import { StepFeed, stepSource } from "./step-feed.ts";
import { realClock } from "../../services/executions/index.ts";
import type { FeedPage, FeedRpc } from "../../services/ports.ts";

/** One object for every follower of all executions, so that each query to libSQL runs once. Stores nothing. */
export class ExecutionFeed extends DurableObject<Env> implements FeedRpc {
  readonly #feed: StepFeed;

  constructor(state: DurableObjectState, env: Env) {
    super(state, env);
    this.#feed = new StepFeed(stepSource(createDeps(env)), realClock);
  }

  async next(after: number | null): Promise<FeedPage> {
    return this.#feed.next(after);
  }
}
