import * as api from "../../schema/contract/api/workflow-code.ts";
import {
  WORKFLOW_FILE_CONTENT_TYPES,
  WORKFLOW_FILE_MAX_BYTES,
  WORKFLOW_FILE_SCHEMA_PATH,
} from "../../schema/contract/workflow-file.ts";
import { workflowFileJsonSchema } from "../../schema/contract/workflow-file-json-schema.ts";
import { endpoint, pathParam } from "../http/endpoint.ts";
import type { Endpoint } from "../http/endpoint.ts";
import { expectedRevisions } from "../http/etag.ts";
import { answer, created } from "../http/respond.ts";
import { readTextBody } from "../http/text-body.ts";
import { exportWorkflow } from "../services/workflows/export.ts";
import { importWorkflow } from "../services/workflows/import.ts";
import { publicOrigin } from "../http/origin.ts";

const SCHEMA_CACHE_CONTROL = "public, max-age=3600";
const LIMITS = { maxBytes: WORKFLOW_FILE_MAX_BYTES, contentTypes: WORKFLOW_FILE_CONTENT_TYPES };
const schemas = new Map<string, string>();

/** Workflows as files. */
export const workflowCodeEndpoints: readonly Endpoint[] = [
  endpoint(api.exportWorkflow, async (c) => {
    const origin = publicOrigin(c);
    const { text, fileName } = await exportWorkflow(c.var.deps, pathParam(c), origin);
    return c.body(text, 200, {
      "Content-Type": "application/yaml; charset=utf-8",
      "Content-Disposition": `attachment; filename="${fileName}"`,
    });
  }),
  endpoint(api.importWorkflow, async (c) => {
    const text = await readTextBody(c.req.raw, LIMITS);
    const request = { query: c.req.query(), text, expected: expectedRevisions(c) };
    const imported = await importWorkflow(c.var.deps, c.var.principal, request);
    switch (imported.type) {
      case "created":
        return created(c, imported.workflow);
      case "replaced":
        return answer(c, imported.workflow);
      case "checked":
        return answer(c, imported.check);
    }
  }),
  endpoint(api.getWorkflowFileSchema, (c) =>
    c.body(schemaText(publicOrigin(c)), 200, {
      "Content-Type": "application/schema+json",
      "Cache-Control": SCHEMA_CACHE_CONTROL,
      // Editors in browsers read the schema from other origins. It contains nothing secret.
      "Access-Control-Allow-Origin": "*",
    }),
  ),
];

/** Made once for each origin. A deployment has few origins. */
function schemaText(origin: string): string {
  const known = schemas.get(origin);
  if (known !== undefined) return known;
  const text = JSON.stringify(workflowFileJsonSchema(`${origin}${WORKFLOW_FILE_SCHEMA_PATH}`));
  if (schemas.size >= 10) schemas.clear();
  schemas.set(origin, text);
  return text;
}
