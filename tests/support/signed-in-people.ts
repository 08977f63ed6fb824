import { z } from "zod";
import { executionSchema } from "../../schema/contract/execution.ts";
import type { NodeRunView } from "../../schema/contract/execution.ts";
import type { JsonObject } from "../../schema/contract/json.ts";
import type { Role } from "../../schema/contract/people.ts";
import type { Service } from "./bellhop.ts";
import { eventually } from "./eventually.ts";
import { createUser, signedIn, succeeded } from "./people.ts";

const API = "/api/v1/automation";
const withId = z.object({ id: z.string() });
const started = z.object({ executionId: z.string() });

/** Sends a caller's request; the path begins below `/api/v1/automation`. */
export type Send = (method: string, path: string, body?: unknown) => Promise<Response>;

export interface SignedInPerson {
  id: string;
  email: string;
  /** This person's browser. */
  browser: Awaited<ReturnType<typeof signedIn>>;
  send: Send;
}

export async function signInPerson(bellhop: Service, role: Role = "editor"): Promise<SignedInPerson> {
  const { id, email } = await createUser(bellhop, { role });
  const browser = await signedIn(bellhop, { email });
  return { id, email, browser, send: (method, path, body) => browser.call(method, `${API}${path}`, body) };
}

export async function saveAs(send: Send, definition: unknown, trigger: unknown = { type: "manual" }): Promise<string> {
  return (await succeeded(await send("POST", "/workflows", { name: "asks", trigger, definition }), withId)).id;
}

export async function replaceAs(send: Send, id: string, definition: unknown): Promise<void> {
  const body = { name: "asks", trigger: { type: "manual" }, definition };
  await succeeded(await send("PUT", `/workflows/${id}`, body), withId);
}

export async function publishAs(send: Send, id: string): Promise<string> {
  return (await succeeded(await send("POST", `/workflows/${id}/publish`), withId)).id;
}

export async function executeAs(send: Send, id: string): Promise<string> {
  return (await succeeded(await send("POST", `/workflows/${id}/execute`, {}), started)).executionId;
}

export async function retryAs(send: Send, executionId: string, body: JsonObject = {}): Promise<string> {
  return (await succeeded(await send("POST", `/executions/${executionId}/retry`, body), started)).executionId;
}

/** The node run that waits for an answer. */
export function asking(bellhop: Service, executionId: string, nodeId = "ask"): Promise<NodeRunView> {
  return eventually(`${nodeId} of ${executionId} to wait`, async () => {
    const execution = await executionOf(bellhop, executionId);
    return execution.nodeRuns.find((run) => run.nodeId === nodeId && run.status === "waiting") ?? null;
  });
}

/** The execution that a node of type workflow started. */
export function childOf(bellhop: Service, executionId: string, nodeId = "sub"): Promise<string> {
  return eventually(`${nodeId} of ${executionId} to start a workflow`, async () => {
    const execution = await executionOf(bellhop, executionId);
    return execution.nodeRuns.find((run) => run.nodeId === nodeId)?.childExecutionId ?? null;
  });
}

export async function executionOf(bellhop: Service, executionId: string) {
  return succeeded(await bellhop.api("GET", `${API}/executions/${executionId}`), executionSchema);
}

/** Answers the waiting node run. */
export async function answerAs(
  bellhop: Service,
  send: Send,
  executionId: string,
  decision: "approved" | "rejected" = "approved",
): Promise<Response> {
  const { id: nodeRunId } = await asking(bellhop, executionId);
  return send("POST", `/executions/${executionId}/approve`, { nodeRunId, decision });
}
