import * as api from "../../schema/contract/api/audit.ts";
import { endpoint } from "../http/endpoint.ts";
import type { Endpoint } from "../http/endpoint.ts";
import { answerPage } from "../http/respond.ts";
import { listAuditEntries } from "../services/audit/list.ts";

export const auditEndpoints: readonly Endpoint[] = [
  endpoint(api.listAudit, async (c) => answerPage(c, await listAuditEntries(c.var.deps, c.req.query()))),
];
