import type { z } from "zod";
import { NDJSON } from "../../../schema/contract/ndjson.ts";
import type { Answer, Operation } from "../../../schema/contract/operation.ts";
import { PROBLEM_STATUS } from "../../../schema/contract/problem.ts";
import type { ProblemCode } from "../../../schema/contract/problem.ts";
import { operationErrors } from "./operation-errors.ts";
import { parametersOf } from "./parameters.ts";
import { headerObjects } from "./problems.ts";
import { sampleOf } from "./sample.ts";
import type { SchemaRegistry } from "./schema-registry.ts";
import type { JsonSchema, OperationObject, ResponseObject } from "./types.ts";

/** An operation in OpenAPI. `problem` returns the reference to the response for codes of one status. */
export function operationObject(
  operation: Operation,
  registry: SchemaRegistry,
  problem: (codes: readonly ProblemCode[]) => { $ref: string },
): OperationObject {
  const { id, tag, summary, description, body } = operation;
  const answers = successResponses(operation, registry);
  const byStatus = Map.groupBy(operationErrors(operation), (code) => PROBLEM_STATUS[code]);
  const problems = [...byStatus].filter(([status]) => answers[status] === undefined);
  return {
    operationId: id,
    tags: [tag],
    summary,
    description,
    security: securityOf(operation),
    parameters: parametersOf(operation, registry),
    requestBody: body && requestBody(operation, body, registry),
    responses: { ...answers, ...Object.fromEntries(problems.map(([status, codes]) => [status, problem(codes)])) },
  };
}

function securityOf({ access, security }: Operation): OperationObject["security"] {
  if (access === "public") return security === undefined ? [] : [{ [security]: [] }];
  const roles = access === "anyone" ? [] : [access];
  return [{ bearer: roles }, { session: roles }];
}

function requestBody({ bodyType, example }: Operation, body: z.ZodType, registry: SchemaRegistry) {
  const schema = registry.input(body);
  const media = { schema, example: example ?? sampleOf(schema, registry.resolve) };
  return { required: !body.safeParse({}).success, content: { [bodyType ?? "application/json"]: media } };
}

function successResponses(operation: Operation, registry: SchemaRegistry): Record<string, ResponseObject> {
  const { answer, etag, idempotent, method } = operation;
  const headers = headerObjects({
    ...(etag === true && method !== "DELETE" ? { ETag: "The tag of the state that the answer shows." } : {}),
    ...(idempotent === true ? { "Idempotent-Replayed": "`true` if this answer was given to the key before." } : {}),
  });
  return {
    ...answerResponses(answer, registry, headers),
    ...(etag === true && method === "GET" ? { 304: { description: "`If-None-Match` is still current." } } : {}),
  };
}

function answerResponses(
  answer: Answer,
  registry: SchemaRegistry,
  headers: ResponseObject["headers"],
): Record<string, ResponseObject> {
  const json = (description: string, fields: Record<string, JsonSchema>): ResponseObject => {
    const schema: JsonSchema = {
      type: "object",
      properties: { success: { type: "boolean", const: true }, ...fields },
      required: ["success", ...Object.keys(fields)],
    };
    return {
      description,
      headers,
      content: { "application/json": { schema, example: sampleOf(schema, registry.resolve) } },
    };
  };
  switch (answer.kind) {
    case "data": {
      const { status, alsoStatus, later } = answer;
      const data = registry.output(answer.data);
      return {
        [status]: json(SAID[status], { data }),
        ...(alsoStatus === undefined ? {} : { [alsoStatus]: json("It existed already.", { data }) }),
        ...(later === undefined ? {} : { 202: json(SAID[202], { data: registry.output(later) }) }),
      };
    }
    case "page": {
      const data: JsonSchema = { type: "array", items: registry.output(answer.item) };
      return { 200: json("A page of the list.", { data, nextCursor: NEXT_CURSOR }) };
    }
    case "events": {
      const events = Object.entries(answer.events).map(([name, schema]) => [name, registry.output(schema)]);
      const media = { schema: { type: "string" } as const, "x-events": Object.fromEntries(events) };
      return {
        200: { description: "Server-sent events, until the caller hangs up.", content: { "text/event-stream": media } },
      };
    }
    case "lines": {
      const media = { schema: TEXT, "x-line": registry.output(answer.line) };
      return { 200: { description: "One JSON text a line.", content: { [NDJSON]: media } } };
    }
    case "upgrade":
      return { 101: { description: "The connection becomes a WebSocket." } };
    case "raw": {
      const { status, alsoStatus, contentType, schema } = answer;
      if (status === 302)
        return {
          302: { description: "Continue at `Location`.", headers: headerObjects({ Location: "Where to continue." }) },
        };
      if (status === 204) return { 204: { description: "Done." } };
      // Without a schema the content is text, or any JSON.
      const media = { schema: schema ? registry.output(schema) : contentType.includes("json") ? {} : TEXT };
      const content = { [contentType.split(";")[0] ?? contentType]: media };
      return {
        [status]: { description: SAID[status], headers, content },
        ...(alsoStatus === undefined ? {} : { [alsoStatus]: { description: ALSO_SAID[alsoStatus], content } }),
      };
    }
  }
}

const SAID = { 200: "Done.", 201: "Created.", 202: "Accepted: the work continues after the answer." } as const;
const ALSO_SAID = { 206: "The part in `Range`.", 503: "Not ready; the same shape says why." } as const;
const TEXT: JsonSchema = { type: "string" };
const NEXT_CURSOR: JsonSchema = {
  type: ["string", "null"],
  description: "Send it as `cursor` for the next page; null on the last page.",
};
