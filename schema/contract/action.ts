import { z } from "zod";
import type { CodeLanguage, Effect } from "./action-types.ts";
import { CONNECTION_TYPES, descriptorOf } from "./connection.ts";
import type { ConnectionType } from "./connection.ts";
import type { ActionDescriptor } from "./connections/descriptor.ts";
import type { CONNECTIONS } from "./connections/index.ts";
import { nearestValue } from "./nearest-value.ts";

export { effectSchema } from "./action-types.ts";
export type { CodeLanguage, Effect } from "./action-types.ts";

type Connections = typeof CONNECTIONS;
/** The actions of a connection type. */
export type ActionOf<T extends ConnectionType> = keyof Connections[T]["actions"] & string;
export type ActionName = { [T in ConnectionType]: ActionOf<T> }[ConnectionType];
type DescriptorOf<A extends ActionName> = {
  [T in ConnectionType]: A extends keyof Connections[T]["actions"] ? Connections[T]["actions"][A] : never;
}[ConnectionType];
type SchemaOf<D> = D extends { params: { schema: infer S extends z.ZodType } } ? S : never;
export type ActionParams<A extends ActionName> = z.output<SchemaOf<DescriptorOf<A>>>;

/** An action with its type. `params` checks a job's parameters; `code` names the parameters that are code. */
export interface ActionContract extends Omit<ActionDescriptor, "params"> {
  readonly connectionType: ConnectionType;
  readonly fields: ActionDescriptor["params"]["fields"];
  readonly params: ActionDescriptor["params"]["schema"];
  readonly code: Readonly<Record<string, CodeLanguage>>;
}

/** Every action of every connection type, by name. */
export const ACTIONS = Object.fromEntries(
  CONNECTION_TYPES.flatMap((connectionType) =>
    Object.entries(descriptorOf(connectionType).actions).map(([name, action]) => [
      name,
      contractOf(connectionType, action),
    ]),
  ),
) as { readonly [A in ActionName]: Omit<ActionContract, "params"> & { readonly params: SchemaOf<DescriptorOf<A>> } };

function contractOf(connectionType: ConnectionType, { params, ...action }: ActionDescriptor): ActionContract {
  const code = Object.entries(params.fields).flatMap(([name, field]) =>
    field.code === undefined ? [] : [[name, field.code]],
  );
  return {
    ...action,
    connectionType,
    fields: params.fields,
    get params() {
      return params.schema;
    },
    code: Object.fromEntries(code),
  };
}

export function isActionName(value: string): value is ActionName {
  return Object.hasOwn(ACTIONS, value);
}

export const actionNameSchema = z.string().refine(isActionName, { error: ({ input }) => noAction(input) });

/**
 * An answer does not list the names of all actions: for a known type it lists that type's names, with a guess first.
 */
function noAction(given: unknown): string {
  const names = Object.keys(ACTIONS);
  const prefix = typeof given === "string" ? given.toLowerCase().slice(0, given.indexOf(".") + 1) : "";
  const ofType = prefix === "" ? [] : names.filter((name) => name.startsWith(prefix));
  const meant = nearestValue(names, given);
  const guess = meant === null ? "is not an action" : `is not an action. Did you mean ${meant}?`;
  if (ofType.length === 0) return `${guess}${meant === null ? ": the" : " The"} actions are ${names.join(", ")}`;
  const known = `with ${prefix} use ${ofType.length === 1 ? "" : "one of "}${ofType.join(", ")}`;
  return meant === null ? `${guess}: ${known}` : `${guess} W${known.slice(1)}`;
}

/** The effect of running this action with these parameters twice. */
export function effectOf(action: ActionName, params: Readonly<Record<string, unknown>>): Effect {
  const { effect, effectOf } = ACTIONS[action];
  return effectOf?.(params) ?? effect;
}

/** Whether an action may run on a connection of this type. */
export function runsOn(action: ActionName, type: ConnectionType): boolean {
  const own = ACTIONS[action].connectionType;
  return own === type || own === descriptorOf(type).runsActionsOf;
}

/** The actions that belong to these connection types. */
export function actionsOn(types: readonly ConnectionType[]): ActionName[] {
  return Object.keys(ACTIONS)
    .filter(isActionName)
    .filter((action) => types.includes(ACTIONS[action].connectionType));
}

/** The custom connection in an action's `secretsFrom`; null without one. */
export function secretsFromOf(action: ActionName, params: Readonly<Record<string, unknown>>): string | null {
  const id = Object.hasOwn(ACTIONS[action].fields, "secretsFrom") ? params["secretsFrom"] : undefined;
  return typeof id === "string" ? id : null;
}

/**
 * The language of a code parameter, which may depend on others: a remote script's depends on its `interpreter`. Null
 * for data.
 */
export function codeLanguage(
  action: ActionName,
  param: string,
  params: Readonly<Record<string, unknown>>,
): CodeLanguage | "unknown" | null {
  const { code, languageOf } = ACTIONS[action];
  const language = (Object.hasOwn(code, param) ? code[param] : null) ?? null;
  return language === null ? null : (languageOf?.(params) ?? language);
}
