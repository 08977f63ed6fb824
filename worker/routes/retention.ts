import * as api from "../../schema/contract/api/retention.ts";
import { endpoint } from "../http/endpoint.ts";
import type { Endpoint } from "../http/endpoint.ts";
import { answerTagged, expectedRevisions } from "../http/etag.ts";
import { readBody } from "../http/parse.ts";
import { answer } from "../http/respond.ts";
import { setRetention } from "../services/retention/change.ts";
import { previewRetention } from "../services/retention/preview.ts";
import { readRetention } from "../services/retention/read.ts";

export const retentionEndpoints: readonly Endpoint[] = [
  endpoint(api.readRetention, async (c) => answerTagged(c, await readRetention(c.var.deps))),
  endpoint(api.setRetention, async (c) =>
    answerTagged(c, await setRetention(c.var.deps, c.var.principal, await readBody(c), expectedRevisions(c))),
  ),
  endpoint(api.previewRetention, async (c) => answer(c, await previewRetention(c.var.deps, c.req.query()))),
];
