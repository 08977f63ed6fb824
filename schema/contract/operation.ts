import type { z } from "zod";
import type { Tag } from "./api/tags.ts";
import type { IdKind } from "./ids.ts";
import type { JsonValue } from "./json.ts";
import type { Permission } from "./people.ts";
import type { ProblemCode } from "./problem.ts";

/**
 * One operation of the API, as data: what routing, permissions, the 405 of a path and the OpenAPI description are all
 * made from (docs/design/http-api.md#operations). Operations stand in `schema/contract/api/`, one file a resource.
 */
export interface Operation {
  /** Names it in OpenAPI and in generated clients: `createWorkflow`. */
  readonly id: string;
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** The whole path with `{name}` for its parameters: `/api/v1/automation/workflows/{id}`. */
  readonly path: `/${string}`;
  /** The heading it stands under in the documentation. */
  readonly tag: Tag;
  /** One line, and what more there is to say. */
  readonly summary: string;
  readonly description?: string;
  /**
   * Who may call it: holders of a permission, `anyone` with valid credentials, or `public`: without any, or with
   * credentials of its own, which the operation checks itself.
   */
  readonly access: Permission | "anyone" | "public";
  /** The credentials that a `public` operation checks itself. */
  readonly security?: "webhookSecret" | "agentKey";
  /** Headers of its own; `Idempotency-Key`, `If-Match` and `If-None-Match` follow from what stands below. */
  readonly headers?: readonly RequestHeader[];
  readonly query?: z.ZodType;
  /** Sent as JSON, unless `bodyType` says otherwise. */
  readonly body?: z.ZodType;
  readonly bodyType?: string;
  /** A body as somebody might send it, for the documentation; one is made up from the shape when there is none. */
  readonly example?: JsonValue;
  readonly answer: Answer;
  /** Beside those that every operation of its `access` has: 400 with a query or body, 401, 403, 500, 503. */
  readonly errors?: readonly ProblemCode[];
  /** A POST that creates takes `Idempotency-Key`. `showsSecret`: its answer is never kept, and a repeat is a conflict. */
  readonly idempotent?: true | "showsSecret";
  /**
   * Of what kind the one thing is that it creates by `deps.newId`. Under an `Idempotency-Key` a repeat after a lost
   * answer gives it the same id, so that it is not created twice.
   */
  readonly creates?: IdKind;
  /** For `showsSecret`: how to get another secret when the answer with it was lost. */
  readonly lostSecret?: string;
  /** Answers carry an `ETag`; with `If-Match`, a change is made only to the state that was seen. */
  readonly etag?: true;
}

export interface RequestHeader {
  readonly name: string;
  readonly description: string;
  readonly required?: true;
}

/** What a success looks like on the wire. */
export type Answer =
  /** `{success: true, data}` */
  | {
      readonly kind: "data";
      readonly status: 200 | 201 | 202;
      readonly data: z.ZodType;
      /** 202 with this instead, when the work goes on after the answer. */
      readonly later?: z.ZodType;
      /** The same data with this status, when there was nothing to create. */
      readonly alsoStatus?: 200;
    }
  /** `{success: true, data: [...], nextCursor}` */
  | { readonly kind: "page"; readonly item: z.ZodType }
  /** `text/event-stream`: each event's name and what its data holds, as JSON. */
  | { readonly kind: "events"; readonly events: Readonly<Record<string, z.ZodType>> }
  /** 101: from then on a WebSocket. */
  | { readonly kind: "upgrade" }
  /** Anything else: YAML, HTML, a redirect, JSON of another shape. */
  | {
      readonly kind: "raw";
      readonly status: 200 | 202 | 204 | 302;
      readonly contentType: string;
      /** What JSON holds. */
      readonly schema?: z.ZodType;
      /** 503 says no, with the same content; 206 has a part of it, as `Range` asks. */
      readonly alsoStatus?: 206 | 503;
    };
