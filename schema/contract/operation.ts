import type { z } from "zod";
import type { Permission } from "./people.ts";
import type { ProblemCode } from "./problem.ts";

/**
 * One operation of the API, as data: what routing, permissions, the 405 of a path and the OpenAPI description are all
 * made from (design 4). Operations stand in `schema/contract/api/`, one file a resource.
 */
export interface Operation {
  /** Names it in OpenAPI and in generated clients: `createWorkflow`. */
  readonly id: string;
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** The whole path with `{name}` for its parameters: `/api/v1/automation/workflows/{id}`. */
  readonly path: `/${string}`;
  /** The heading it stands under in the documentation. */
  readonly tag: string;
  /** One line, and what more there is to say. */
  readonly summary: string;
  readonly description?: string;
  /**
   * Who may call it: holders of a permission, `anyone` with valid credentials, or `public`: without any, or with
   * credentials of its own, which the operation checks itself.
   */
  readonly access: Permission | "anyone" | "public";
  readonly query?: z.ZodType;
  /** Sent as JSON, unless `bodyType` says otherwise. */
  readonly body?: z.ZodType;
  readonly bodyType?: string;
  readonly answer: Answer;
  /** Beside those that every operation of its `access` has: 400 with a query or body, 401, 403, 500, 503. */
  readonly errors?: readonly ProblemCode[];
  /** A POST that creates takes `Idempotency-Key`. `showsSecret`: its answer is never kept, and a repeat is a conflict. */
  readonly idempotent?: true | "showsSecret";
  /** Answers carry an `ETag`; with `If-Match`, a change is made only to the state that was seen. */
  readonly etag?: true;
}

/** What a success looks like on the wire. */
export type Answer =
  /** `{success: true, data}` */
  | { readonly kind: "data"; readonly status: 200 | 201 | 202; readonly data: z.ZodType }
  /** `{success: true, data: [...], nextCursor}` */
  | { readonly kind: "page"; readonly item: z.ZodType }
  /** `text/event-stream`: each event's name and what its data holds, as JSON. */
  | { readonly kind: "events"; readonly events: Readonly<Record<string, z.ZodType>> }
  /** Anything else: YAML, HTML, a redirect. */
  | { readonly kind: "raw"; readonly status: 200 | 204 | 302; readonly contentType: string };
