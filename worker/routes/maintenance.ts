import * as api from "../../schema/contract/api/maintenance.ts";
import { afterwards } from "../http/afterwards.ts";
import { endpoint, pathParam } from "../http/endpoint.ts";
import type { Endpoint } from "../http/endpoint.ts";
import { answerTagged, expectedRevisions } from "../http/etag.ts";
import { readBody } from "../http/parse.ts";
import { answer, answerPage, created } from "../http/respond.ts";
import { beginAllSuppressed, beginSuppressed } from "../services/maintenance/begin.ts";
import { deleteMaintenanceWindow, replaceMaintenanceWindow } from "../services/maintenance/change.ts";
import { createMaintenanceWindow } from "../services/maintenance/create.ts";
import { getMaintenanceWindow } from "../services/maintenance/get.ts";
import { listMaintenanceWindowViews } from "../services/maintenance/list.ts";
import { releaseSoon } from "../services/maintenance/release.ts";
import { listSuppressedViews } from "../services/maintenance/suppressed.ts";

export const maintenanceEndpoints: readonly Endpoint[] = [
  endpoint(api.listMaintenanceWindows, async (c) =>
    answerPage(c, await listMaintenanceWindowViews(c.var.deps, c.req.query())),
  ),
  endpoint(api.createMaintenanceWindow, async (c) =>
    created(c, await createMaintenanceWindow(c.var.deps, c.var.principal.actor, await readBody(c))),
  ),
  endpoint(api.getMaintenanceWindow, async (c) =>
    answerTagged(c, await getMaintenanceWindow(c.var.deps, pathParam(c))),
  ),
  endpoint(api.replaceMaintenanceWindow, async (c) => {
    const { deps, principal } = c.var;
    const input = await readBody(c);
    const window = await replaceMaintenanceWindow(deps, principal.actor, pathParam(c), input, expectedRevisions(c));
    // What a changed window no longer holds begins without waiting for the tick.
    afterwards(c, releaseSoon(deps));
    return answerTagged(c, window);
  }),
  endpoint(api.deleteMaintenanceWindow, async (c) => {
    const { deps, principal } = c.var;
    const deleted = await deleteMaintenanceWindow(deps, principal.actor, pathParam(c), expectedRevisions(c));
    afterwards(c, releaseSoon(deps));
    return answer(c, deleted);
  }),
  endpoint(api.listSuppressed, async (c) =>
    answerPage(c, await listSuppressedViews(c.var.deps, pathParam(c), c.req.query())),
  ),
  endpoint(api.beginAllSuppressed, async (c) =>
    answer(c, await beginAllSuppressed(c.var.deps, c.var.principal, pathParam(c), await readBody(c))),
  ),
  endpoint(api.beginExecution, async (c) =>
    answer(c, await beginSuppressed(c.var.deps, c.var.principal, pathParam(c))),
  ),
];
