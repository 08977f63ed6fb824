import type { ExecutionView } from "../../schema/contract/execution.ts";
import { notificationOutputSchema } from "../../schema/contract/notification.ts";
import type { NotificationOutput } from "../../schema/contract/notification.ts";
import type { NotifierRpc } from "../../worker/services/ports.ts";
import type { Bellhop } from "./bellhop.ts";
import { objectNamed } from "./bellhop-object.ts";
import { asDeclared } from "./declared-output.ts";
import { eventually } from "./eventually.ts";
import { acceptedId, createWebhookWorkflow, ended } from "./management.ts";

/** A workflow with one node that sends a notification. */
export function notificationWorkflow(bellhop: Bellhop, params: object, node: object = {}) {
  return createWebhookWorkflow(bellhop, {
    nodes: [{ id: "notify", type: "action", action: "notification.sendNotification", params, ...node }],
    edges: [],
  });
}

export async function startNotification(bellhop: Bellhop, params: object, node: object = {}): Promise<string> {
  return acceptedId(await (await notificationWorkflow(bellhop, params, node)).ring());
}

/** Runs it to its end. */
export async function notify(bellhop: Bellhop, params: object, node: object = {}) {
  const run = nodeOf(await ended(bellhop, await startNotification(bellhop, params, node)));
  return asDeclared("notification.sendNotification", { ...run, output: run.output === null ? null : outputOf(run) });
}

/** The time limit leaves no room for another attempt: a temporary failure ends with its first response. */
export const ONE_TRY = { timeoutSeconds: 1 };

/**
 * The same with ONE_TRY. On a busy machine the time can be over before the first response, which fails the node in
 * another way: then another run is made.
 */
export function notifyOnce(bellhop: Bellhop, params: object) {
  return eventually("a response within the time limit", async () => {
    const run = await notify(bellhop, params, ONE_TRY);
    return run.error?.code === "timed_out" ? null : run;
  });
}

/** The same with `to` and `message` from the call, so that they are not checked earlier. */
export async function notifyTemplated(
  bellhop: Bellhop,
  params: { channel: string; to: unknown; message: unknown },
  node: object = {},
) {
  const { to, message } = params;
  const templates = { ...params, to: "{{webhook.to}}", message: "{{webhook.message}}" };
  const workflow = await notificationWorkflow(bellhop, templates, node);
  return nodeOf(await ended(bellhop, await acceptedId(await workflow.ring({ variables: { to, message } }))));
}

export function nodeOf(execution: ExecutionView) {
  const [run] = execution.nodeRuns;
  if (run === undefined) throw new Error("the execution has no node run");
  return run;
}

export function outputOf(run: { output: unknown }): NotificationOutput {
  return notificationOutputSchema.parse(run.output);
}

/** A workflow's Notifier in the running workerd, as other objects reach it. */
export function notifierObject(bellhop: Bellhop, workflowId: string): Promise<NotifierRpc> {
  return objectNamed(bellhop, "NOTIFIER", `notifier:${workflowId}`);
}
