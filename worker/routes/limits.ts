import * as api from "../../schema/contract/api/limits.ts";
import { endpoint, pathParam } from "../http/endpoint.ts";
import type { Endpoint } from "../http/endpoint.ts";
import { answerTagged, expectedRevisions } from "../http/etag.ts";
import { readBody } from "../http/parse.ts";
import { answer, answerPage, created } from "../http/respond.ts";
import { createLimit, deleteLimit, replaceLimit } from "../services/limits/change.ts";
import { getLimit, getLimitUses, listLimitViews } from "../services/limits/read.ts";

export const limitEndpoints: readonly Endpoint[] = [
  endpoint(api.listLimits, async (c) => answerPage(c, await listLimitViews(c.var.deps, c.req.query()))),
  endpoint(api.createLimit, async (c) =>
    created(c, await createLimit(c.var.deps, c.var.principal.actor, await readBody(c))),
  ),
  endpoint(api.getLimit, async (c) => answerTagged(c, await getLimit(c.var.deps, pathParam(c)))),
  endpoint(api.replaceLimit, async (c) => {
    const { deps, principal } = c.var;
    return answerTagged(
      c,
      await replaceLimit(deps, principal.actor, pathParam(c), await readBody(c), expectedRevisions(c)),
    );
  }),
  endpoint(api.deleteLimit, async (c) =>
    answer(c, await deleteLimit(c.var.deps, c.var.principal.actor, pathParam(c), expectedRevisions(c))),
  ),
  endpoint(api.getLimitUses, async (c) => answer(c, await getLimitUses(c.var.deps, pathParam(c)))),
];
