import * as api from "../../schema/contract/api/audit.ts";
import { NDJSON } from "../../schema/contract/ndjson.ts";
import { endpoint } from "../http/endpoint.ts";
import type { Endpoint } from "../http/endpoint.ts";
import { answerPage } from "../http/respond.ts";
import { streamAccess } from "../http/stream-access.ts";
import { streamOf } from "../http/stream-of.ts";
import { exportAudit } from "../services/audit/export.ts";
import { listAuditEntries } from "../services/audit/list.ts";

export const auditEndpoints: readonly Endpoint[] = [
  endpoint(api.listAudit, async (c) => answerPage(c, await listAuditEntries(c.var.deps, c.req.query()))),
  endpoint(api.exportAudit, async (c) => {
    const lines = await exportAudit(c.var.deps, c.req.query(), streamAccess(c, api.exportAudit));
    return c.body(
      streamOf(lines, (page) => page),
      200,
      { "Content-Type": NDJSON, "Content-Disposition": 'attachment; filename="audit.ndjson"' },
    );
  }),
];
