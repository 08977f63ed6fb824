import type { z } from "zod";
import type { Answer, Operation } from "../../../schema/contract/operation.ts";
import { PROBLEM_STATUS } from "../../../schema/contract/problem.ts";
import type { ProblemCode } from "../../../schema/contract/problem.ts";
import { operationErrors } from "./operation-errors.ts";
import { parametersOf } from "./parameters.ts";
import { headerObjects } from "./problems.ts";
import { sampleOf } from "./sample.ts";
import type { SchemaBook } from "./schema-book.ts";
import type { JsonSchema, MediaObject, OperationObject, ResponseObject } from "./types.ts";

/** An operation as OpenAPI describes it. `problem` gives the reference to the answer for codes of one status. */
export function operationObject(
  operation: Operation,
  book: SchemaBook,
  problem: (codes: readonly ProblemCode[]) => { $ref: string },
): OperationObject {
  const responses: OperationObject["responses"] = successResponses(operation, book);
  const byStatus = Map.groupBy(operationErrors(operation), (code) => PROBLEM_STATUS[code]);
  for (const [status, codes] of [...byStatus].sort(([a], [b]) => a - b)) {
    const said = responses[status];
    responses[status] = said === undefined ? problem(codes) : said;
  }
  return {
    operationId: operation.id,
    tags: [operation.tag],
    summary: operation.summary,
    ...(operation.description === undefined ? {} : { description: operation.description }),
    security: securityOf(operation),
    parameters: parametersOf(operation, book),
    ...(operation.body === undefined ? {} : { requestBody: requestBody(operation, operation.body, book) }),
    responses,
  };
}

function securityOf({ access, security }: Operation): OperationObject["security"] {
  if (access === "public") return security === undefined ? [] : [{ [security]: [] }];
  const roles = access === "anyone" ? [] : [access];
  return [{ bearer: roles }, { session: roles }];
}

function requestBody({ bodyType, example }: Operation, body: z.ZodType, book: SchemaBook) {
  const schema = book.input(body);
  const media: MediaObject = { schema, example: example ?? sampleOf(schema, book.resolve) };
  return { required: !body.safeParse({}).success, content: { [bodyType ?? "application/json"]: media } };
}

function successResponses(operation: Operation, book: SchemaBook): Record<string, ResponseObject> {
  const { answer, etag, idempotent, method } = operation;
  const headers = {
    ...(etag === true && method !== "DELETE" ? { ETag: "The tag of the state that the answer shows." } : {}),
    ...(idempotent === true
      ? { "Idempotent-Replayed": "`true` when this is the answer that the key was given before." }
      : {}),
  };
  return {
    ...answerResponses(answer, book, headerObjects(headers)),
    ...(etag === true && method === "GET" ? { 304: { description: "It is as `If-None-Match` says." } } : {}),
  };
}

function answerResponses(
  answer: Answer,
  book: SchemaBook,
  headers: NonNullable<ResponseObject["headers"]>,
): Record<string, ResponseObject> {
  const json = (description: string, schema: JsonSchema): ResponseObject => ({
    description,
    ...(Object.keys(headers).length === 0 ? {} : { headers }),
    content: { "application/json": { schema, example: sampleOf(schema, book.resolve) } },
  });
  switch (answer.kind) {
    case "data":
      return {
        [answer.status]: json(SAID[answer.status], envelope({ data: book.output(answer.data) })),
        ...(answer.alsoStatus === undefined
          ? {}
          : { [answer.alsoStatus]: json("It was there already.", envelope({ data: book.output(answer.data) })) }),
        ...(answer.later === undefined ? {} : { 202: json(SAID[202], envelope({ data: book.output(answer.later) })) }),
      };
    case "page": {
      const data = { type: "array", items: book.output(answer.item) } as const;
      return { 200: json("A page of the list.", envelope({ data, nextCursor: NEXT_CURSOR })) };
    }
    case "events": {
      const events = Object.fromEntries(
        Object.entries(answer.events).map(([name, schema]) => [name, book.output(schema)]),
      );
      const media: MediaObject = { schema: { type: "string" }, "x-events": events };
      return {
        200: { description: "Server-sent events, until the caller hangs up.", content: { "text/event-stream": media } },
      };
    }
    case "upgrade":
      return { 101: { description: "From now on a WebSocket." } };
    case "raw":
      return rawResponses(answer, book, headers);
  }
}

function rawResponses(
  answer: Extract<Answer, { kind: "raw" }>,
  book: SchemaBook,
  headers: NonNullable<ResponseObject["headers"]>,
): Record<string, ResponseObject> {
  const { status, alsoStatus, contentType, schema } = answer;
  if (status === 302) {
    return { 302: { description: "Go on there.", headers: headerObjects({ Location: "Where to go on." }) } };
  }
  if (status === 204) return { 204: { description: "Done." } };
  const media: MediaObject = { schema: schema === undefined ? anyOf(contentType) : book.output(schema) };
  const content = { [contentType.split(";")[0] ?? contentType]: media };
  return {
    [status]: { description: SAID[status], ...(Object.keys(headers).length === 0 ? {} : { headers }), content },
    ...(alsoStatus === undefined ? {} : { [alsoStatus]: { description: ALSO_SAID[alsoStatus], content } }),
  };
}

/** What has no schema is text, or any JSON. */
function anyOf(contentType: string): JsonSchema {
  return contentType.includes("json") ? {} : { type: "string" };
}

const SAID = {
  200: "Done.",
  201: "Created.",
  202: "Accepted: the work goes on after the answer.",
} as const;

const ALSO_SAID = {
  206: "The part that `Range` asks for.",
  503: "Not now; the same shape says why.",
} as const;

const NEXT_CURSOR: JsonSchema = {
  type: ["string", "null"],
  description: "What to send as `cursor` for the next page; null on the last one.",
};

function envelope(fields: Record<string, JsonSchema>): JsonSchema {
  return {
    type: "object",
    properties: { success: { type: "boolean", const: true }, ...fields },
    required: ["success", ...Object.keys(fields)],
  };
}
