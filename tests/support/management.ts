import { z } from "zod";
import { executionSchema } from "../../schema/contract/execution.ts";
import type { ExecutionView } from "../../schema/contract/execution.ts";
import type { Bellhop as WholeBellhop } from "./bellhop.ts";
import { eventually } from "./eventually.ts";
import { NEW_CONNECTION } from "./new-connection.ts";

/** A service, started in any way. */
type Bellhop = Pick<WholeBellhop, "url" | "api">;

/** Common steps through the management API. Each call fails the test when it is refused. */
const withId = z.object({ id: z.string() });

export async function call<T>(
  bellhop: Bellhop,
  method: string,
  path: string,
  body: unknown,
  shape: z.ZodType<T>,
): Promise<T> {
  const response = await bellhop.api(method, `/api/v1/automation${path}`, body);
  const answer: unknown = await response.json();
  if (!response.ok) throw new Error(`${method} ${path} answered ${response.status}: ${JSON.stringify(answer)}`);
  return z.object({ success: z.literal(true), data: shape }).parse(answer).data;
}

export function createAgent(bellhop: Bellhop, input: { name?: string; poolId?: string } = {}) {
  return call(
    bellhop,
    "POST",
    "/agents",
    { name: "an agent", ...input },
    z.object({ agent: withId, apiKey: z.string() }),
  );
}

export async function createConnection(
  bellhop: Bellhop,
  input: { type: string; config?: unknown; poolId?: string; agentId?: string },
): Promise<string> {
  const connection = await call(
    bellhop,
    "POST",
    "/connections",
    { name: `a ${input.type} connection`, config: {}, ...input },
    withId,
  );
  return connection.id;
}

export interface Webhook {
  workflowId: string;
  webhookKey: string;
  webhookSecret: string;
  /** Calls the webhook; a body is sent as JSON. */
  ring(body?: unknown, headers?: Record<string, string>): Promise<Response>;
}

/** A published, active workflow with a webhook trigger. */
export async function createWebhookWorkflow(bellhop: Bellhop, definition: unknown): Promise<Webhook> {
  const workflow = await call(
    bellhop,
    "POST",
    "/workflows",
    { name: "a workflow", trigger: { type: "webhook" }, definition },
    withId,
  );
  const key = await call(
    bellhop,
    "POST",
    `/workflows/${workflow.id}/webhook-key`,
    undefined,
    z.object({ webhookKey: z.string(), webhookSecret: z.string() }),
  );
  await call(bellhop, "POST", `/workflows/${workflow.id}/publish`, undefined, z.unknown());
  await call(bellhop, "POST", `/workflows/${workflow.id}/activate`, undefined, z.unknown());
  return {
    workflowId: workflow.id,
    ...key,
    ring: (body, headers = {}) =>
      fetch(`${bellhop.url}/api/v1/automation/webhooks/${key.webhookKey}`, {
        ...NEW_CONNECTION,
        method: "POST",
        headers: {
          Authorization: `Bearer ${key.webhookSecret}`,
          ...(body === undefined ? {} : { "Content-Type": "application/json" }),
          ...headers,
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      }),
  };
}

export async function acceptedId(response: Response): Promise<string> {
  if (response.status !== 200) throw new Error(`the webhook was answered ${response.status}: ${await response.text()}`);
  return z.object({ data: z.object({ executionId: z.string() }) }).parse(await response.json()).data.executionId;
}

export function getExecution(bellhop: Bellhop, executionId: string): Promise<ExecutionView> {
  return call(bellhop, "GET", `/executions/${executionId}`, undefined, executionSchema);
}

/** The execution, after its end. */
export function ended(bellhop: Bellhop, executionId: string): Promise<ExecutionView> {
  return eventually(`execution ${executionId} to end`, async () => {
    const execution = await getExecution(bellhop, executionId);
    if (execution.status !== "running") return execution;
    // A test that gives up shows its steps.
    const steps = execution.nodeRuns.map(({ nodeId, status, waiting }) => ({ nodeId, status, waiting }));
    throw new Error(`it is running: ${JSON.stringify(steps)}`);
  });
}

/** Actions in sequence, each with its parameters. */
export function chain(
  nodes: { id: string; action: string; connectionId: string; params: unknown; timeoutSeconds?: number }[],
) {
  return {
    nodes: nodes.map((node) => ({ type: "action", ...node })),
    edges: nodes.slice(1).map((node, index) => ({ from: nodes[index]?.id, to: node.id, on: "success" })),
  };
}
