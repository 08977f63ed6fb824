import { Hono } from "hono";
import type { AppEnv } from "../http/app-types.ts";
import { requirePermission } from "../http/authenticate.ts";
import { only } from "../http/methods.ts";
import { readBody, readVariablesBody } from "../http/parse.ts";
import { answer, answerPage, created } from "../http/respond.ts";
import { createWorkflow } from "../services/workflows/create.ts";
import { deleteWorkflow } from "../services/workflows/delete.ts";
import { executeWorkflow } from "../services/workflows/execute.ts";
import { getWorkflow } from "../services/workflows/get.ts";
import { listWorkflowVersions } from "../services/workflows/list-versions.ts";
import { listWorkflowViews } from "../services/workflows/list.ts";
import { publishWorkflow } from "../services/workflows/publish.ts";
import { replaceWorkflow } from "../services/workflows/replace.ts";
import { activateWorkflow, deactivateWorkflow } from "../services/workflows/set-active.ts";
import { unpublishWorkflow } from "../services/workflows/unpublish.ts";
import { validateWorkflow } from "../services/workflows/validate.ts";
import { makeWebhookKey } from "../services/workflows/webhook-key.ts";

/** `/api/v1/automation/workflows` (design 4, "Management"). */
export const workflowsRoutes = new Hono<AppEnv>();

const mayRead = requirePermission("automation:read");
const mayWrite = requirePermission("automation:write");
const mayExecute = requirePermission("automation:execute");

workflowsRoutes.get("/", mayRead, async (c) => answerPage(c, await listWorkflowViews(c.var.deps, c.req.query())));
workflowsRoutes.post("/", mayWrite, async (c) =>
  created(c, await createWorkflow(c.var.deps, c.var.principal.actor, await readBody(c))),
);
workflowsRoutes.all("/", only("GET", "POST"));

workflowsRoutes.post("/validate", mayRead, async (c) =>
  answer(c, await validateWorkflow(c.var.deps, await readBody(c))),
);
workflowsRoutes.all("/validate", only("POST"));

workflowsRoutes.get("/:id", mayRead, async (c) => answer(c, await getWorkflow(c.var.deps, c.req.param("id"))));
workflowsRoutes.put("/:id", mayWrite, async (c) =>
  answer(c, await replaceWorkflow(c.var.deps, c.var.principal.actor, c.req.param("id"), await readBody(c))),
);
workflowsRoutes.delete("/:id", mayWrite, async (c) =>
  answer(c, await deleteWorkflow(c.var.deps, c.var.principal.actor, c.req.param("id"))),
);
workflowsRoutes.all("/:id", only("GET", "PUT", "DELETE"));

workflowsRoutes.get("/:id/versions", mayRead, async (c) =>
  answerPage(c, await listWorkflowVersions(c.var.deps, c.req.param("id"), c.req.query())),
);
workflowsRoutes.all("/:id/versions", only("GET"));

const VERBS = {
  publish: publishWorkflow,
  unpublish: unpublishWorkflow,
  activate: activateWorkflow,
  deactivate: deactivateWorkflow,
} as const;
for (const [verb, perform] of Object.entries(VERBS)) {
  workflowsRoutes.post(`/:id/${verb}`, mayWrite, async (c) =>
    answer(c, await perform(c.var.deps, c.var.principal.actor, c.req.param("id"))),
  );
  workflowsRoutes.all(`/:id/${verb}`, only("POST"));
}

workflowsRoutes.post("/:id/webhook-key", mayWrite, async (c) => {
  const origin = new URL(c.req.url).origin;
  return created(c, await makeWebhookKey(c.var.deps, c.var.principal.actor, c.req.param("id"), origin));
});
workflowsRoutes.all("/:id/webhook-key", only("POST"));

workflowsRoutes.post("/:id/execute", mayExecute, async (c) =>
  created(c, await executeWorkflow(c.var.deps, c.var.principal.actor, c.req.param("id"), await readVariablesBody(c))),
);
workflowsRoutes.all("/:id/execute", only("POST"));
