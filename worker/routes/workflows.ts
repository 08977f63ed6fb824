import * as api from "../../schema/contract/api/workflows.ts";
import { afterwards } from "../http/afterwards.ts";
import { endpoint, pathParam } from "../http/endpoint.ts";
import type { Endpoint } from "../http/endpoint.ts";
import { answerTagged, expectedRevisions } from "../http/etag.ts";
import { readBody, readVariablesBody } from "../http/parse.ts";
import { answer, answerPage, created } from "../http/respond.ts";
import { createWorkflow } from "../services/workflows/create.ts";
import { releaseSoon } from "../services/maintenance/release.ts";
import { deleteWorkflow } from "../services/workflows/delete.ts";
import { executeWorkflow } from "../services/workflows/execute.ts";
import { getWorkflow } from "../services/workflows/get.ts";
import { listWorkflowVersions } from "../services/workflows/list-versions.ts";
import { listWorkflowViews } from "../services/workflows/list.ts";
import { publishWorkflow } from "../services/workflows/publish.ts";
import { replaceWorkflow } from "../services/workflows/replace.ts";
import { restoreWorkflow } from "../services/workflows/restore.ts";
import { activateWorkflow, deactivateWorkflow } from "../services/workflows/set-active.ts";
import { unpublishWorkflow } from "../services/workflows/unpublish.ts";
import { validateWorkflow } from "../services/workflows/validate.ts";
import { changeWebhook } from "../services/workflows/change-webhook.ts";
import { listWebhookDeliveries } from "../services/workflows/webhook-deliveries.ts";
import { makeWebhookKey, replaceWebhookSecret } from "../services/workflows/webhook-key.ts";

export const workflowEndpoints: readonly Endpoint[] = [
  endpoint(api.validateWorkflow, async (c) => answer(c, await validateWorkflow(c.var.deps, await readBody(c)))),
  endpoint(api.listWorkflows, async (c) => answerPage(c, await listWorkflowViews(c.var.deps, c.req.query()))),
  endpoint(api.createWorkflow, async (c) =>
    created(c, await createWorkflow(c.var.deps, c.var.principal, await readBody(c))),
  ),
  endpoint(api.getWorkflow, async (c) => answerTagged(c, await getWorkflow(c.var.deps, pathParam(c)))),
  endpoint(api.replaceWorkflow, async (c) =>
    answerTagged(
      c,
      await replaceWorkflow(c.var.deps, c.var.principal, pathParam(c), await readBody(c), expectedRevisions(c)),
    ),
  ),
  endpoint(api.deleteWorkflow, async (c) => {
    const { deps, principal } = c.var;
    const deleted = await deleteWorkflow(deps, principal.actor, pathParam(c), c.req.query(), expectedRevisions(c));
    // Its runs that have not begun end without waiting for the tick.
    afterwards(c, releaseSoon(deps));
    return answer(c, deleted);
  }),
  endpoint(api.restoreWorkflow, async (c) =>
    answer(c, await restoreWorkflow(c.var.deps, c.var.principal.actor, pathParam(c))),
  ),
  endpoint(api.listWorkflowVersions, async (c) =>
    answerPage(c, await listWorkflowVersions(c.var.deps, pathParam(c), c.req.query())),
  ),
  endpoint(api.publishWorkflow, async (c) =>
    answerTagged(
      c,
      await publishWorkflow(c.var.deps, c.var.principal, pathParam(c), await readBody(c), expectedRevisions(c)),
    ),
  ),
  endpoint(api.unpublishWorkflow, async (c) => {
    const { deps, principal } = c.var;
    const workflow = await unpublishWorkflow(deps, principal.actor, pathParam(c), expectedRevisions(c));
    afterwards(c, releaseSoon(deps));
    return answerTagged(c, workflow);
  }),
  endpoint(api.activateWorkflow, async (c) =>
    answerTagged(c, await activateWorkflow(c.var.deps, c.var.principal.actor, pathParam(c), expectedRevisions(c))),
  ),
  endpoint(api.deactivateWorkflow, async (c) => {
    const { deps, principal } = c.var;
    const workflow = await deactivateWorkflow(deps, principal.actor, pathParam(c), expectedRevisions(c));
    afterwards(c, releaseSoon(deps));
    return answerTagged(c, workflow);
  }),
  endpoint(api.makeWebhookKey, async (c) => {
    const origin = new URL(c.req.url).origin;
    const { deps, principal } = c.var;
    return created(c, await makeWebhookKey(deps, principal.actor, pathParam(c), await readBody(c), origin));
  }),
  endpoint(api.replaceWebhookSecret, async (c) => {
    const origin = new URL(c.req.url).origin;
    const { deps, principal } = c.var;
    return created(c, await replaceWebhookSecret(deps, principal.actor, pathParam(c), await readBody(c), origin));
  }),
  endpoint(api.changeWebhook, async (c) =>
    answer(c, await changeWebhook(c.var.deps, c.var.principal.actor, pathParam(c), await readBody(c))),
  ),
  endpoint(api.listWebhookDeliveries, async (c) =>
    answerPage(c, { items: await listWebhookDeliveries(c.var.deps, pathParam(c)), nextCursor: null }),
  ),
  endpoint(api.executeWorkflow, async (c) => {
    const started = await executeWorkflow(c.var.deps, c.var.principal, pathParam(c), await readVariablesBody(c));
    c.set("logFields", { executionId: started.executionId });
    return created(c, started);
  }),
];
