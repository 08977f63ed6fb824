import type { z } from "zod";
import type { JsonValue } from "../../../schema/contract/json.ts";

/** The parts of OpenAPI 3.1 that this service uses (https://spec.openapis.org/oas/v3.1.1). */
export type JsonSchema = z.core.JSONSchema.BaseSchema;

export interface OpenApiDocument {
  openapi: "3.1.1";
  info: { title: string; version: string; description: string; license: { name: string; identifier: string } };
  servers: { url: string }[];
  tags: { name: string; description: string }[];
  paths: Record<string, Record<string, OperationObject>>;
  components: {
    schemas: Record<string, JsonSchema>;
    responses: Record<string, ResponseObject>;
    securitySchemes: Record<string, Record<string, string>>;
  };
}

export interface OperationObject {
  operationId: string;
  tags: string[];
  summary: string;
  description?: string;
  security: Record<string, string[]>[];
  parameters: ParameterObject[];
  requestBody?: { required: boolean; content: Record<string, MediaObject> };
  responses: Record<string, ResponseObject | { $ref: string }>;
}

export interface ParameterObject {
  name: string;
  in: "path" | "query" | "header";
  required: boolean;
  description?: string;
  schema: JsonSchema;
  example?: JsonValue;
}

export interface ResponseObject {
  description: string;
  headers?: Record<string, { description: string; schema: JsonSchema }>;
  content?: Record<string, MediaObject>;
}

export interface MediaObject {
  schema: JsonSchema;
  example?: JsonValue;
  examples?: Record<string, { summary: string; value: JsonValue }>;
  /** The events of a `text/event-stream`, by name. */
  "x-events"?: Record<string, JsonSchema>;
  /** A line of `application/x-ndjson`. */
  "x-line"?: JsonSchema;
}
