import { z } from "zod";
import type { Operation } from "../operation.ts";

const tag = "This description";

export const getOpenApi = {
  id: "getOpenApi",
  method: "GET",
  path: "/api/v1/openapi.json",
  tag,
  summary: "This description, as OpenAPI 3.1",
  access: "public",
  answer: {
    kind: "raw",
    status: 200,
    contentType: "application/json",
    schema: z.looseObject({ openapi: z.string(), paths: z.record(z.string(), z.unknown()) }),
  },
  etag: true,
} as const satisfies Operation;

export const showDocs = {
  id: "showDocs",
  method: "GET",
  path: "/docs",
  tag,
  summary: "This description, for people",
  access: "public",
  answer: { kind: "raw", status: 200, contentType: "text/html" },
  etag: true,
} as const satisfies Operation;
