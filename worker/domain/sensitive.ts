import type { ExecutionTrigger } from "../../schema/contract/execution.ts";
import type { JsonObject, JsonValue } from "../../schema/contract/json.ts";
import { isJsonObject } from "../../schema/contract/json-object.ts";
import { MASK_MIN_CHARS } from "../../schema/contract/masking.ts";
import { mapValues } from "../../schema/contract/records.ts";
import type { Trigger } from "../../schema/contract/workflow.ts";
import { isIndex, ownValue } from "./own-value.ts";
import { parsePath, templatesOf } from "./template/parse.ts";
import type { Template } from "./template/parse.ts";
import { templatesIn } from "./template-texts.ts";
import { textOf } from "./template/value.ts";

/** What the API shows in place of the value of a sensitive input (docs/design/workflows.md#sensitive-inputs). */
export const HIDDEN = "***";

/**
 * The trigger of a new execution with the names of its workflow's sensitive inputs. A retry's trigger has values that
 * another version marked: they stay hidden.
 */
export function markSensitive(trigger: ExecutionTrigger, ofWorkflow: Trigger): ExecutionTrigger {
  if (!("variables" in trigger)) return trigger;
  const names = [...new Set([...(trigger.sensitive ?? []), ...markedIn(ofWorkflow)])];
  return names.length === 0 ? trigger : { ...trigger, sensitive: names };
}

/** Whether a path of a template has a value that the trigger marks, or one around it. */
export function readsSensitive(trigger: Trigger, path: readonly string[]): boolean {
  return isMarked(pathsOf(markedIn(trigger)), path);
}

function markedIn(trigger: Trigger): readonly string[] {
  if (trigger.type === "webhook") return trigger.sensitive ?? [];
  const inputs = trigger.type === "manual" ? (trigger.inputs ?? {}) : {};
  return Object.keys(inputs).filter((name) => inputs[name]?.sensitive === true);
}

/** The trigger as the API shows it. */
export function shownTrigger(trigger: ExecutionTrigger): ExecutionTrigger {
  if (!("variables" in trigger)) return trigger;
  const { variables } = trigger;
  const shown = sensitiveOf(trigger).reduce((rest: JsonValue, path) => hideAt(rest, path), variables);
  return { ...trigger, variables: isJsonObject(shown) ? shown : {} };
}

function hideAt(value: JsonValue, path: readonly string[]): JsonValue {
  const [name, ...below] = path;
  if (name === undefined) return HIDDEN;
  if (isOfEach(value, name)) return value.map((member) => hideAt(member, path));
  if (Array.isArray(value))
    return value.map((member, index) => (String(index) === name ? hideAt(member, below) : member));
  if (!isJsonObject(value)) return value;
  return mapValues(value, (member, key) => (key === name ? hideAt(member, below) : member));
}

/** Below a list, a name is that of each member: a sender decides how many there are. */
function isOfEach(value: JsonValue, name: string): value is JsonValue[] {
  return Array.isArray(value) && !isIndex(name);
}

/**
 * A rendered value without the sensitive values of the execution. `written` is the value with its templates: a text
 * that uses a sensitive input is hidden whole when the input's value cannot be found in it.
 */
export function hideSensitive(trigger: ExecutionTrigger, written: JsonValue, rendered: JsonValue): JsonValue {
  const paths = sensitiveOf(trigger);
  if (paths.length === 0) return rendered;
  return new Hider(paths, "variables" in trigger ? trigger.variables : {}).hide(written, rendered);
}

/** The paths below the variables. */
function sensitiveOf(trigger: ExecutionTrigger): (readonly string[])[] {
  const names = ("variables" in trigger ? trigger.sensitive : undefined) ?? [];
  return pathsOf(names);
}

function pathsOf(names: readonly string[]): (readonly string[])[] {
  return names.map((name) => parsePath(name) ?? [name]);
}

/** A path around a sensitive one has its value, too. */
function isMarked(paths: readonly (readonly string[])[], path: readonly string[]): boolean {
  const used = inVariables(path);
  if (used === null) return false;
  return paths.some((marked) => meets(marked, used));
}

/** Whether one of the paths leads to the value of the other, or through it. */
function meets(marked: readonly string[], used: readonly string[]): boolean {
  const [mark, ...below] = marked;
  const [name, ...rest] = used;
  if (mark === undefined || name === undefined) return true;
  return mark === name ? meets(below, rest) : isIndex(name) && meets(marked, rest);
}

/** A template's path below the variables of a run: `webhook` and `inputs` are all of them. Null for any other path. */
function inVariables(path: readonly string[]): readonly string[] | null {
  const [root, ...below] = path;
  if (root === "inputs" || root === "webhook") return below;
  return root === "incident" || root === "failed" ? path : null;
}

/** Of a hundred values or more. Every text is searched for each form, and a sender decides how long a list is. */
const FORMS_MAX = 400;

class Hider {
  readonly #paths: readonly (readonly string[])[];
  readonly #variables: JsonObject;
  /** Every text in the sensitive values, also in quotes. */
  readonly #texts: ReadonlySet<string>;
  /** The forms in which long ones occur in other texts, longest first. */
  readonly #forms: readonly string[];

  constructor(paths: readonly (readonly string[])[], variables: JsonObject) {
    this.#paths = paths;
    this.#variables = variables;
    const texts = paths.flatMap((path) => valuesAt(variables, path)).flatMap(textsIn);
    this.#texts = new Set(texts.flatMap((text) => [text, JSON.stringify(text)]));
    this.#forms = [...new Set(texts.flatMap(formsOf))].toSorted((a, b) => b.length - a.length);
  }

  hide(written: JsonValue, rendered: JsonValue): JsonValue {
    const templates = templatesIn(written).flatMap(({ parsed }) => templatesOf(parsed));
    if (templates.length === 0) return rendered;
    if (Array.isArray(written) && Array.isArray(rendered) && written.length === rendered.length) {
      return rendered.map((member, index) => this.hide(written[index] ?? null, member));
    }
    if (isJsonObject(written) && isJsonObject(rendered)) {
      return mapValues(rendered, (member, name) => this.hide(ownValue(written, [name]) ?? null, member));
    }
    const uses = templates.filter((template) => isMarked(this.#paths, template.path));
    if (uses.length === 0) return this.#replaceIn(rendered);
    return typeof rendered === "string" && this.#showsAll(uses, rendered) ? this.#replace(rendered) : HIDDEN;
  }

  /** Whether every use of a sensitive input can be found in the text, so that replacing its value hides it. */
  #showsAll(uses: readonly Template[], rendered: string): boolean {
    const values = uses.map(({ path, filters }) =>
      filters.length > 0 ? undefined : ownValue(this.#variables, inVariables(path) ?? []),
    );
    return values.every((value) => {
      const forms = typeof value === "string" ? [...new Set(formsOf(value))] : [];
      const found = forms.reduce((sum, form) => sum + rendered.split(form).length - 1, 0);
      return found >= values.filter((other) => other === value).length;
    });
  }

  #replaceIn(value: JsonValue): JsonValue {
    if (Array.isArray(value)) return value.map((member) => this.#replaceIn(member));
    if (isJsonObject(value)) return mapValues(value, (member) => this.#replaceIn(member));
    if (value === null) return value;
    if (this.#texts.has(textOf(value))) return HIDDEN;
    return typeof value === "string" ? this.#replace(value) : value;
  }

  /** With too many values to look for, the text is hidden whole. */
  #replace(text: string): string {
    if (this.#texts.has(text) || this.#forms.length > FORMS_MAX) return HIDDEN;
    const parts = this.#forms.reduce((texts, form) => texts.flatMap((part) => part.split(form)), [text]);
    return parts.join(HIDDEN);
  }
}

function valuesAt(value: JsonValue, path: readonly string[]): JsonValue[] {
  const [name, ...below] = path;
  if (name === undefined) return [value];
  if (isOfEach(value, name)) return value.flatMap((member) => valuesAt(member, path));
  const member = ownValue(value, [name]);
  return member === undefined ? [] : valuesAt(member, below);
}

function textsIn(value: JsonValue): string[] {
  if (Array.isArray(value)) return value.flatMap(textsIn);
  if (isJsonObject(value)) return Object.values(value).flatMap(textsIn);
  const text = value === null ? "" : textOf(value);
  return text === "" ? [] : [text];
}

/** The forms of a text: plain, in JSON and in an address. Short ones are left out, because they occur in ordinary words. */
function formsOf(text: string): string[] {
  return [text, text.trim(), JSON.stringify(text).slice(1, -1), encodeURIComponent(text.toWellFormed())].filter(
    (form) => form.length >= MASK_MIN_CHARS,
  );
}
