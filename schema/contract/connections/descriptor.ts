import { z } from "zod";
import type { CodeLanguage, Effect, OutputField } from "../action-types.ts";
import type { JsonObject } from "../json.ts";
import { once } from "../records.ts";
import type { IconName } from "./icons.ts";

/** One field of a form, with its schema. The texts are shown to people and written into the JSON Schema. */
export interface Field<S extends z.ZodType = z.ZodType> {
  readonly schema: S;
  readonly label: string;
  /** One line below the label. */
  readonly help?: string;
  readonly placeholder?: string;
}

/** A field of a connection's configuration. */
export interface ConfigField<S extends z.ZodType = z.ZodType> extends Field<S> {
  /** The labels of a choice's values; other values are shown as they are. */
  readonly choices?: Readonly<Record<string, { readonly label: string; readonly help?: string }>>;
  /** Whether the field applies with the other fields' values. Otherwise it is neither shown nor sent. */
  readonly when?: (config: Readonly<Record<string, unknown>>) => boolean;
  /** The value of a new connection, when the schema has no default. */
  readonly start?: string | number | boolean;
  /** The field in whose place this one is given: a configuration has one of the two. */
  readonly inPlaceOf?: string;
  /** True for a secret that the contract accepts in a configuration; the form only offers it as the credential. */
  readonly isSecret?: boolean;
  /** How a field that belongs to the target is shown to the person who confirms it. */
  readonly target?: {
    /** As part of a sentence: "user name". */
    readonly label: string;
    readonly values?: Readonly<Record<string, string>>;
    /** The meaning of a missing field. */
    readonly missing?: string;
  };
}

/** A field of a credential. */
export interface SecretField<S extends z.ZodType = z.ZodType> extends Field<S> {
  /** Has several lines, and is often in a file. */
  readonly isFile?: boolean;
  /** A user name: shown while a person types it, and not masked in results. */
  readonly isName?: boolean;
}

/** A parameter of an action. A parameter without `code` is data. */
export interface ParamField<S extends z.ZodType = z.ZodType> extends Field<S> {
  readonly code?: CodeLanguage;
}

type Fields<F extends Field> = Readonly<Record<string, F>>;
type ShapeOf<F extends Fields<Field>> = { -readonly [K in keyof F]: F[K]["schema"] };
type StrictObject<F extends Fields<Field>> = z.ZodObject<ShapeOf<F>, z.core.$strict>;

/**
 * Fields, and the strict schema of an object with these fields. The schema is created at its first use: otherwise an agent
 * would create the schemas of every connection type before its first poll.
 */
export interface FieldSet<F extends Fields<Field> = Fields<Field>, S extends z.ZodType = StrictObject<F>> {
  readonly fields: F;
  readonly schema: S;
}

/** `rule` checks the fields together. */
export function configFields<F extends Fields<ConfigField>>(
  fields: F,
  rule?: (config: z.output<StrictObject<F>>) => FieldProblem | null,
): FieldSet<F> {
  return fieldSet(fields, rule);
}

/** A conflict between fields: the path of one, and what to do. */
export interface FieldProblem {
  readonly path: readonly (string | number)[];
  readonly message: string;
  /** Whether the problem remains with any value of a template. */
  readonly always?: boolean;
}

/** `rule` checks the parameters together, in the service and in the agent. */
export function paramFields<F extends Fields<ParamField>>(
  fields: F,
  rule?: (params: z.output<StrictObject<F>>) => FieldProblem | null,
): FieldSet<F> {
  return fieldSet(fields, rule);
}

/** The sets of fields that a credential may have. */
export interface Secrets<S extends z.ZodType = z.ZodType> {
  /** Null: any names. */
  readonly forms: readonly FieldSet<Fields<SecretField>>[] | null;
  readonly schema: S;
}

export function secretForm<F extends Fields<SecretField>>(fields: F): Secrets<StrictObject<F>> {
  const form = fieldSet(fields);
  return {
    forms: [form],
    get schema() {
      return form.schema;
    },
  };
}

export function secretForms<F extends readonly [Fields<SecretField>, Fields<SecretField>, ...Fields<SecretField>[]]>(
  ...forms: F
): Secrets<z.ZodType<{ [K in keyof F]: z.output<StrictObject<F[K]>> }[number]>> {
  const sets = forms.map((fields) => fieldSet(fields));
  const union = once((): z.ZodType => z.union(sets.map((set) => set.schema)));
  return {
    forms: sets,
    get schema() {
      return union() as z.ZodType<{ [K in keyof F]: z.output<StrictObject<F[K]>> }[number]>;
    },
  };
}

type ConfigFields = FieldSet<Fields<ConfigField>, z.ZodType>;
type ParamFields = FieldSet<Fields<ParamField>>;

/** One action of a connection type. */
export interface ActionDescriptor<P extends ParamFields = ParamFields> {
  readonly label: string;
  /** The effect of running it twice; `effectOf` when its parameters decide. */
  readonly effect: Effect;
  readonly effectOf?: (params: Readonly<Record<string, unknown>>) => Effect;
  /** False for parameters with which it runs no code, although its type does. */
  readonly runsCode?: (params: Readonly<Record<string, unknown>>) => boolean;
  /** The language of its code, when its parameters decide. */
  readonly languageOf?: (params: Readonly<Record<string, unknown>>) => CodeLanguage | "unknown";
  readonly params: P;
  /** The parameter whose members travel as named values in the job's `values`, not in the code. */
  readonly namedValues?: "env" | "parameters";
  /** The fields of `nodes.<id>.output`, by name. */
  readonly output: Readonly<Record<string, OutputField>>;
  readonly example: JsonObject;
}

/** The one description of a connection type. Everything else about it derives from this. */
export interface ConnectionDescriptor<C extends ConfigFields = ConfigFields> {
  readonly label: string;
  /** What workflows do with it. */
  readonly does: string;
  /** What a person needs to set it up. */
  readonly needs: string;
  readonly icon: IconName;
  readonly config: C;
  /** Null for a type without a credential. */
  readonly secrets: Secrets | null;
  /** The field of the configuration that chooses the form: for each value the name of a form, or null for no secrets. */
  readonly secretsBy?: { readonly field: string; readonly names: Readonly<Record<string, string | null>> };
  /** Whether an agent needs the credential before dispatch gives it a job. */
  needsCredential(config: z.output<C["schema"]>): boolean;
  /** A possible mistake in a configuration that can be saved; null without one. */
  mistakeIn?(config: z.output<C["schema"]>): FieldProblem | null;
  /** The fields that decide where the credential goes, normalized. */
  target(config: z.output<C["schema"]>): JsonObject;
  /** The meaning of a target without fields. */
  readonly targetWithoutFields?: string;
  /** Whether its actions run an author's code, or change objects that an author names. Needs `code:write`. */
  readonly runsCode: boolean;
  /** The checks of its connection test, in order. A test may omit some. */
  readonly stages: readonly string[];
  /** A type whose actions run on this one as well. */
  readonly runsActionsOf?: string;
  readonly actions: Readonly<Record<string, ActionDescriptor>>;
  /** A configuration with every field, and a credential of each form. */
  readonly example: { readonly config: JsonObject; readonly secrets: readonly Readonly<Record<string, string>>[] };
}

/** Checks a descriptor and keeps the exact types of its fields and actions. */
export function connectionType<
  C extends ConfigFields,
  S extends Secrets | null,
  // Looser than the descriptor's type, so that an incomplete action is the only error.
  const A extends Readonly<Record<string, Pick<ActionDescriptor, "params">>>,
>(
  descriptor: ConnectionDescriptor<C> & { readonly secrets: S; readonly actions: A },
): Omit<ConnectionDescriptor<C>, "secrets" | "actions"> & {
  readonly secrets: S;
  readonly actions: { readonly [N in keyof A]: A[N] & Omit<ActionDescriptor, "params"> };
} {
  return descriptor;
}

function fieldSet<F extends Fields<Field>>(
  fields: F,
  rule?: (values: z.output<StrictObject<F>>) => FieldProblem | null,
): FieldSet<F> {
  const described = once(() => {
    const shape = Object.entries(fields).map(([name, { schema, label, help }]) => [
      name,
      schema.meta({ ...schema.meta(), title: label, ...(help === undefined ? {} : { description: help }) }),
    ]);
    const schema = z.strictObject(Object.fromEntries(shape) as ShapeOf<F>);
    if (rule === undefined) return schema;
    return schema.superRefine((values, context) => {
      const problem = rule(values);
      if (problem === null) return;
      const { path, message, always = false } = problem;
      context.addIssue({ code: "custom", path: [...path], message, params: { always } });
    });
  });
  return {
    fields,
    get schema() {
      return described();
    },
  };
}
