import type { z } from "zod";
import type { Tag } from "./api/tags.ts";
import type { IdKind } from "./ids.ts";
import type { JsonValue } from "./json.ts";
import type { Permission } from "./people.ts";
import type { ProblemCode } from "./problem.ts";

/**
 * One operation of the API, as data. Routing, permissions, the 405 of a path and the OpenAPI description derive from it
 * (docs/design/http-api.md#operations). Operations are in `schema/contract/api/`, one file per resource.
 */
export interface Operation {
  /** Its name in OpenAPI and in generated clients: `createWorkflow`. */
  readonly id: string;
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** The whole path with `{name}` for its parameters: `/api/v1/automation/workflows/{id}`. */
  readonly path: `/${string}`;
  /** Its heading in the documentation. */
  readonly tag: Tag;
  /** One line; `description` has more. */
  readonly summary: string;
  readonly description?: string;
  /**
   * Who may call it: holders of a permission, `anyone` with valid credentials, or `public`: without credentials, or
   * with other ones that the operation checks itself.
   */
  readonly access: Permission | "anyone" | "public";
  /** The credentials that a `public` operation checks itself. */
  readonly security?: "webhookSecret" | "agentKey";
  /** Additional headers; `Idempotency-Key`, `If-Match` and `If-None-Match` follow from the fields below. */
  readonly headers?: readonly RequestHeader[];
  readonly query?: z.ZodType;
  /** Sent as JSON, unless `bodyType` says otherwise. */
  readonly body?: z.ZodType;
  readonly bodyType?: string;
  /** An example body for the documentation; without one, it is generated from the shape. */
  readonly example?: JsonValue;
  readonly answer: Answer;
  /** In addition to the errors of every operation with this `access`: 400 with a query or body, 401, 403, 500, 503. */
  readonly errors?: readonly ProblemCode[];
  /**
   * A POST that creates takes `Idempotency-Key`. `showsSecret`: its answer is not stored, and a repeat is a conflict.
   */
  readonly idempotent?: true | "showsSecret";
  /**
   * The kind of the one object that it creates with `deps.newId`. With an `Idempotency-Key`, a repeat after a lost
   * answer gives the object the same id, so that it is not created twice.
   */
  readonly creates?: IdKind;
  /** For `showsSecret`: how to get another secret after the answer with it was lost. */
  readonly lostSecret?: string;
  /** Answers have an `ETag`; with `If-Match`, a change applies only to the state that the caller read. */
  readonly etag?: true;
}

export interface RequestHeader {
  readonly name: string;
  readonly description: string;
  readonly required?: true;
}

/** A successful answer on the wire. */
export type Answer =
  /** `{success: true, data}` */
  | {
      readonly kind: "data";
      readonly status: 200 | 201 | 202;
      readonly data: z.ZodType;
      /** 202 with this shape instead, when the work continues after the answer. */
      readonly later?: z.ZodType;
      /** The same data with this status, when no object had to be created. */
      readonly alsoStatus?: 200;
    }
  /** `{success: true, data: [...], nextCursor}` */
  | { readonly kind: "page"; readonly item: z.ZodType }
  /** `text/event-stream`: the events' names, and the shapes of their JSON data. */
  | { readonly kind: "events"; readonly events: Readonly<Record<string, z.ZodType>> }
  /** `application/x-ndjson`: one JSON text a line, as many as there are. A broken connection ends it early. */
  | { readonly kind: "lines"; readonly line: z.ZodType }
  /** 101: the connection becomes a WebSocket. */
  | { readonly kind: "upgrade" }
  /** Any other content: YAML, HTML, a redirect, JSON of another shape. */
  | {
      readonly kind: "raw";
      readonly status: 200 | 202 | 204 | 302;
      readonly contentType: string;
      /** The shape of JSON content. */
      readonly schema?: z.ZodType;
      /** 503: a negative answer with the same content; 206: a part of the content, for `Range`. */
      readonly alsoStatus?: 206 | 503;
    };
