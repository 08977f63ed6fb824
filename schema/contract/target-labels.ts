import { CONNECTION_TYPES, descriptorOf, isConnectionType } from "./connection.ts";
import type { ConnectionType } from "./connection.ts";
import type { ConfigField } from "./connections/descriptor.ts";
import { canonicalTarget } from "./credential-target.ts";
import type { CredentialTarget } from "./credential-target.ts";
import type { JsonValue } from "./json.ts";
import { objectOf } from "./json-object.ts";

/** One field of a target, for the person who confirms it. */
export interface TargetLine {
  label: string;
  /** A list has one entry in each line, so that none hides among many. */
  value: string;
}

type TargetField = NonNullable<ConfigField["target"]>;

/** By name: a field name has the same label in every type. */
const FIELDS: Readonly<Record<string, TargetField>> = Object.fromEntries(
  CONNECTION_TYPES.flatMap((type) => Object.entries(targetFields(type))),
);

const UNSEEN = /[\p{C}\p{Zl}\p{Zp}]/gu;

/** The lines of a target for a person, in the order of the configuration's fields. */
export function targetLines(target: CredentialTarget): TargetLine[] {
  return target.flatMap((entry) => {
    const fields = fieldsOf(entry);
    const type = isConnectionType(entry["type"]) ? entry["type"] : null;
    const known = type === null ? {} : targetFields(type);
    const hasPlace = [...fields.keys()].some((name) => name !== "workflows");
    const general = hasPlace || type === null ? undefined : descriptorOf(type).targetWithoutFields;
    const missing = Object.entries(known).flatMap(([name, { label, missing, when }]) =>
      missing === undefined || fields.has(name) || when?.(entry) === false
        ? []
        : [{ label: heading(label), value: missing }],
    );
    return [
      { label: "Type", value: textOf(entry["type"]) },
      ...(general === undefined ? [] : [{ label: "Used for", value: general }]),
      ...[...fields].map(([name, value]) => ({
        label: heading(labelOf(name)),
        value: valueOf(own(known, name), name, value),
      })),
      ...missing,
    ];
  });
}

/** The names of the fields in which two targets differ; for a custom connection as `fields.<name>`. */
export function changedTargetFields(before: CredentialTarget, after: CredentialTarget): string[] {
  const [one, other] = [allFields(before), allFields(after)];
  const names = new Set([...one.keys(), ...other.keys()]);
  return [...names].filter((name) => one.get(name) !== other.get(name));
}

/** These names within a sentence: "host and port". */
export function targetFieldLabel(names: readonly string[]): string {
  const words = names.map(labelOf);
  return words.length < 2 ? (words[0] ?? "target") : `${words.slice(0, -1).join(", ")} and ${words.at(-1)}`;
}

function targetFields(type: ConnectionType): Record<string, TargetField & Pick<ConfigField, "when">> {
  const fields: Readonly<Record<string, ConfigField>> = descriptorOf(type).config.fields;
  return Object.fromEntries(
    Object.entries(fields).flatMap(([name, { target, when }]) =>
      target === undefined ? [] : [[name, when === undefined ? target : { ...target, when }]],
    ),
  );
}

function allFields(target: CredentialTarget): Map<string, string> {
  return new Map(target.flatMap((entry) => [...fieldsOf(entry)]).map(([name, value]) => [name, compared(value)]));
}

function compared(value: JsonValue): string {
  return canonicalTarget([{ value }]);
}

function fieldsOf({ type: _type, ...entry }: CredentialTarget[number]): Map<string, JsonValue> {
  const { fields, ...others } = entry;
  const free = objectOf(fields);
  const named = Object.entries(free).map(([name, value]): [string, JsonValue] => [`fields.${name}`, value]);
  return new Map([...Object.entries(others), ...named]);
}

function labelOf(name: string): string {
  if (name === "workflows") return "list of workflows";
  return (
    own(FIELDS, name)?.label ??
    (name.startsWith("fields.") ? `field ${textOf(name.slice("fields.".length))}` : textOf(name))
  );
}

function heading(label: string): string {
  return label.charAt(0).toUpperCase() + label.slice(1);
}

function valueOf(field: TargetField | undefined, name: string, value: JsonValue): string {
  if (name === "workflows" && Array.isArray(value)) return value.map(textOf).join(", ") || "none: no workflow";
  if (field !== undefined && Array.isArray(value)) return value.map(textOf).join("\n");
  const text = textOf(value);
  return own(field?.values ?? {}, text) ?? text;
}

/**
 * Characters that move the cursor, end the line or reverse the text are escaped: the values come from an editor of the
 * connection.
 */
function textOf(value: JsonValue | undefined): string {
  const text = typeof value === "string" ? value : JSON.stringify(value ?? null);
  return text.replace(UNSEEN, (sign) => `\\u{${(sign.codePointAt(0) ?? 0).toString(16)}}`);
}

/** Own properties only: names come from the service, and one such as `constructor` is not in the table. */
function own<T>(table: Readonly<Record<string, T>>, key: string): T | undefined {
  return Object.hasOwn(table, key) ? table[key] : undefined;
}
