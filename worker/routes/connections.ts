import * as api from "../../schema/contract/api/connections.ts";
import * as credentials from "../../schema/contract/api/credentials.ts";
import { endpoint, pathParam } from "../http/endpoint.ts";
import type { Endpoint } from "../http/endpoint.ts";
import { answerTagged, expectedRevisions } from "../http/etag.ts";
import { readBody } from "../http/parse.ts";
import { accepted, answer, answerPage, created } from "../http/respond.ts";
import { createConnection } from "../services/connections/create.ts";
import { deleteConnection } from "../services/connections/delete.ts";
import { getLastTest } from "../services/connections/last-test.ts";
import { getConnection } from "../services/connections/get.ts";
import { listConnectionViews } from "../services/connections/list.ts";
import { setConnectionEnabled } from "../services/connections/set-enabled.ts";
import { testConnection } from "../services/connections/test.ts";
import { deliverCredentials } from "../services/credentials/deliver.ts";
import { withdrawCredential } from "../services/credentials/withdraw.ts";
import { listRecipients } from "../services/credentials/recipients.ts";
import { updateConnection } from "../services/connections/update.ts";
import { isForced } from "../services/require-unused.ts";

export const connectionEndpoints: readonly Endpoint[] = [
  endpoint(api.listConnections, async (c) => answerPage(c, await listConnectionViews(c.var.deps, c.req.query()))),
  endpoint(api.createConnection, async (c) =>
    created(c, await createConnection(c.var.deps, c.var.principal, await readBody(c))),
  ),
  endpoint(api.getConnection, async (c) => answerTagged(c, await getConnection(c.var.deps, pathParam(c)))),
  endpoint(api.updateConnection, async (c) =>
    answerTagged(
      c,
      await updateConnection(c.var.deps, c.var.principal, pathParam(c), await readBody(c), expectedRevisions(c)),
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
  endpoint(credentials.listRecipients, async (c) => answer(c, await listRecipients(c.var.deps, pathParam(c)))),
  endpoint(credentials.deliverCredentials, async (c) =>
    accepted(c, await deliverCredentials(c.var.deps, c.var.principal.actor, pathParam(c), await readBody(c))),
  ),
  endpoint(credentials.withdrawCredentials, async (c) =>
    accepted(c, await withdrawCredential(c.var.deps, c.var.principal.actor, pathParam(c))),
  ),
  endpoint(credentials.getConnectionTest, async (c) => answer(c, await getLastTest(c.var.deps, pathParam(c)))),
  endpoint(credentials.testConnection, async (c) => {
    const outcome = await testConnection(c.var.deps, c.var.principal, pathParam(c), c.req.query());
    return "ended" in outcome ? answer(c, outcome.ended) : accepted(c, outcome);
  }),
];
