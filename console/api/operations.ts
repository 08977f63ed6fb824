import type * as agents from "../../schema/contract/api/agents.ts";
import type * as audit from "../../schema/contract/api/audit.ts";
import type * as auth from "../../schema/contract/api/auth.ts";
import type * as connections from "../../schema/contract/api/connections.ts";
import type * as credentials from "../../schema/contract/api/credentials.ts";
import type * as executions from "../../schema/contract/api/executions.ts";
import type * as incidents from "../../schema/contract/api/incidents.ts";
import type * as integrations from "../../schema/contract/api/integrations.ts";
import type * as jobs from "../../schema/contract/api/jobs.ts";
import type * as limits from "../../schema/contract/api/limits.ts";
import type * as maintenance from "../../schema/contract/api/maintenance.ts";
import type * as notificationRules from "../../schema/contract/api/notification-rules.ts";
import type * as notifications from "../../schema/contract/api/notifications.ts";
import type * as overview from "../../schema/contract/api/overview.ts";
import type * as pause from "../../schema/contract/api/pause.ts";
import type * as pools from "../../schema/contract/api/pools.ts";
import type * as retention from "../../schema/contract/api/retention.ts";
import type * as schedules from "../../schema/contract/api/schedules.ts";
import type * as statistics from "../../schema/contract/api/statistics.ts";
import type * as users from "../../schema/contract/api/users.ts";
import type * as workflowCode from "../../schema/contract/api/workflow-code.ts";
import type * as workflows from "../../schema/contract/api/workflows.ts";
import type { z } from "zod";
import type { Operation } from "../../schema/contract/operation.ts";

/**
 * The operations of the public API that the console calls, as types only. A path and a method give the types of the
 * input and the answer without loading a schema.
 */
type Modules =
  | typeof agents
  | typeof audit
  | typeof auth
  | typeof connections
  | typeof credentials
  | typeof executions
  | typeof incidents
  | typeof integrations
  | typeof jobs
  | typeof limits
  | typeof maintenance
  | typeof notificationRules
  | typeof notifications
  | typeof overview
  | typeof pause
  | typeof pools
  | typeof retention
  | typeof schedules
  | typeof statistics
  | typeof users
  | typeof workflowCode
  | typeof workflows;
type Values<M> = M extends unknown ? M[keyof M] : never;
type AnyOperation = Extract<Values<Modules>, Operation>;

/** By method and path: the compiler looks an operation up instead of comparing all of them. */
type Table = { [O in AnyOperation as `${O["method"]} ${O["path"]}`]: O };

export type Method = AnyOperation["method"];
export type PathOf<M extends Method> = Extract<AnyOperation, { method: M }>["path"];
type Key<M extends Method, P extends string> = `${M} ${P}` & keyof Table;

/** Paths whose answer is a page of a list. */
export type PagedPath = Extract<AnyOperation, { method: "GET"; answer: { kind: "page" } }>["path"];

type Names<P> = P extends `${string}{${infer Name}}${infer Rest}` ? Name | Names<Rest> : never;
type PathPart<P> = [Names<P>] extends [never] ? { path?: undefined } : { path: Record<Names<P>, string> };
type QueryPart<O> = O extends { query: infer Q extends z.ZodType } ? { query?: z.input<Q> } : { query?: undefined };
/** YAML is sent as the text of the file. */
type BodyPart<O> = O extends { bodyType: "application/yaml" }
  ? { body: string }
  : O extends { body: infer B extends z.ZodType }
    ? { body: z.input<B> }
    : { body?: undefined };

type Inputs = { [K in keyof Table]: PathPart<Table[K]["path"]> & QueryPart<Table[K]> & BodyPart<Table[K]> };
type Outputs = { [K in keyof Table]: AnswerOf<Table[K]> };
type Laters = { [K in keyof Table]: LaterOf<Table[K]> };
type Items = {
  [K in keyof Table]: Table[K] extends { answer: { item: infer I extends z.ZodType } } ? z.output<I> : never;
};

/** The input of the operation with this method and path. */
export type Input<M extends Method, P extends string> = Inputs[Key<M, P>];
/** The content of its answer: `data` of one resource, or a page of a list. */
export type Output<M extends Method, P extends string> = Outputs[Key<M, P>];
/** The content of its 202 answer; never for operations without one. */
export type Later<M extends Method, P extends string> = Laters[Key<M, P>];
/** The type of a list's items. */
export type Item<P extends PagedPath> = Items[Key<"GET", P>];

export interface Page<T> {
  items: T[];
  nextCursor: string | null;
}

type AnswerOf<O> = O extends { answer: { kind: "data"; data: infer D extends z.ZodType } }
  ? z.output<D>
  : O extends { answer: { kind: "page"; item: infer I extends z.ZodType } }
    ? Page<z.output<I>>
    : string;
type LaterOf<O> = O extends { answer: { later: infer L extends z.ZodType } } ? z.output<L> : never;
