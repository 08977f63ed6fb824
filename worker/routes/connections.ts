import * as api from "../../schema/contract/api/connections.ts";
import { endpoint, pathParam } from "../http/endpoint.ts";
import type { Endpoint } from "../http/endpoint.ts";
import { answerTagged, expectedRevisions } from "../http/etag.ts";
import { readBody } from "../http/parse.ts";
import { answer, answerPage, created } from "../http/respond.ts";
import { createConnection } from "../services/connections/create.ts";
import { deleteConnection } from "../services/connections/delete.ts";
import { getConnection } from "../services/connections/get.ts";
import { listConnectionViews } from "../services/connections/list.ts";
import { setConnectionEnabled } from "../services/connections/set-enabled.ts";
import { updateConnection } from "../services/connections/update.ts";
import { isForced } from "../services/workflows/require-unused.ts";

export const connectionEndpoints: readonly Endpoint[] = [
  endpoint(api.listConnections, async (c) => answerPage(c, await listConnectionViews(c.var.deps, c.req.query()))),
  endpoint(api.createConnection, async (c) =>
    created(c, await createConnection(c.var.deps, c.var.principal.actor, await readBody(c))),
  ),
  endpoint(api.getConnection, async (c) => answerTagged(c, await getConnection(c.var.deps, pathParam(c)))),
  endpoint(api.updateConnection, async (c) =>
    answerTagged(
      c,
      await updateConnection(c.var.deps, c.var.principal.actor, pathParam(c), await readBody(c), expectedRevisions(c)),
    ),
  ),
  endpoint(api.deleteConnection, async (c) =>
    answer(
      c,
      await deleteConnection(c.var.deps, c.var.principal.actor, pathParam(c), {
        expected: expectedRevisions(c),
        isForced: isForced(c.req.query()),
      }),
    ),
  ),
  endpoint(api.enableConnection, async (c) =>
    answerTagged(
      c,
      await setConnectionEnabled(c.var.deps, c.var.principal.actor, pathParam(c), true, expectedRevisions(c)),
    ),
  ),
  endpoint(api.disableConnection, async (c) =>
    answerTagged(
      c,
      await setConnectionEnabled(c.var.deps, c.var.principal.actor, pathParam(c), false, expectedRevisions(c)),
    ),
  ),
];
