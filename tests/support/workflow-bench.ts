import { z } from "zod";
import type { ExecutionView } from "../../schema/contract/execution.ts";
import type { JsonObject } from "../../schema/contract/json.ts";
import { startBellhop } from "./bellhop.ts";
import type { Bellhop } from "./bellhop.ts";
import { eventually } from "./eventually.ts";
import { call, createConnection, ended, getExecution } from "./management.ts";
import { WorkingAgent } from "./working-agent.ts";

const started = z.object({ executionId: z.string(), status: z.string(), startedAt: z.string() });
const withId = z.object({ id: z.string() });

/** For tests of workflows: a service, a pool with a working agent, and a script connection there. */
export class WorkflowBench {
  private constructor(
    readonly bellhop: Bellhop,
    readonly agent: WorkingAgent,
    readonly connectionId: string,
  ) {}

  static async start(options?: { bindings?: Record<string, string> }): Promise<WorkflowBench> {
    const bellhop = await startBellhop(options);
    const agent = await WorkingAgent.start(bellhop, "p");
    return new WorkflowBench(bellhop, agent, await createConnection(bellhop, { type: "script", poolId: "p" }));
  }

  async stop(): Promise<void> {
    await this.agent.stop();
    await this.bellhop.stop();
  }

  /** A script that does nothing; the agent sees the rendered `value` as its `X`. */
  action(id: string, value = id, more: JsonObject = {}): JsonObject {
    const params = { script: "true", env: { X: value } };
    return { id, type: "action", action: "script.bash", connectionId: this.connectionId, params, ...more };
  }

  async publish(definition: unknown, trigger: unknown = { type: "manual" }): Promise<string> {
    const { id } = await this.call("POST", "/workflows", { name: "a workflow", trigger, definition }, withId);
    await this.call("POST", `/workflows/${id}/publish`);
    return id;
  }

  /** Replaces a workflow's draft and publishes it. */
  async republish(id: string, definition: unknown): Promise<void> {
    await this.call("PUT", `/workflows/${id}`, { name: "a workflow", trigger: { type: "manual" }, definition });
    await this.call("POST", `/workflows/${id}/publish`);
  }

  /** Starts a workflow by hand; returns the execution's id. */
  async execute(workflowId: string, variables: JsonObject = {}): Promise<string> {
    return (await this.call("POST", `/workflows/${workflowId}/execute`, { variables }, started)).executionId;
  }

  async run(definition: unknown, variables: JsonObject = {}): Promise<string> {
    return this.execute(await this.publish(definition), variables);
  }

  async retry(executionId: string, body: JsonObject): Promise<string> {
    return (await this.call("POST", `/executions/${executionId}/retry`, body, started)).executionId;
  }

  cancel(executionId: string): Promise<unknown> {
    return this.call("POST", `/executions/${executionId}/cancel`);
  }

  get(executionId: string): Promise<ExecutionView> {
    return getExecution(this.bellhop, executionId);
  }

  ended(executionId: string): Promise<ExecutionView> {
    return ended(this.bellhop, executionId);
  }

  waiting(executionId: string, nodeId: string) {
    return eventually(`${nodeId} to wait`, async () => {
      const { nodeRuns } = await this.get(executionId);
      return nodeRuns.find((run) => run.nodeId === nodeId && run.status === "waiting") ?? null;
    });
  }

  call<T = unknown>(method: string, path: string, body?: unknown, shape?: z.ZodType<T>): Promise<T> {
    return call(this.bellhop, method, path, body, shape ?? anything<T>());
  }
}

export function nodeRun(execution: ExecutionView, nodeId: string, ...iteration: number[]) {
  const found = execution.nodeRuns.find(
    (candidate) => candidate.nodeId === nodeId && (candidate.iteration ?? []).join() === iteration.join(),
  );
  if (found === undefined) throw new Error(`no node run of ${nodeId} at ${iteration.join()}`);
  return found;
}

function anything<T>(): z.ZodType<T> {
  return z.any();
}
