import type { ConditionGroup } from "../../../schema/contract/condition.ts";
import type { JsonValue } from "../../../schema/contract/json.ts";
import type { Node } from "../../../schema/contract/workflow.ts";
import { templatesIn } from "../template-texts.ts";
import { fieldTemplate, templatesOf } from "../template/parse.ts";
import type { Template } from "../template/parse.ts";
import type { Steps } from "../steps.ts";

/** A condition names a path without braces. */
const OPEN_CHARS = "{{".length;

export interface Reference {
  /** The path below the node: `params.command`. */
  readonly at: string;
  readonly template: Template;
  /** Where the template's source begins in the text, if not at `template.at`. */
  readonly start?: number;
  /** In the check of a forEach, where `foreach` has other names. */
  readonly inCheck?: boolean;
}

/** Every template of a node. */
export function referencesOf(node: Node, steps?: Steps): Reference[] {
  switch (node.type) {
    case "action":
      return [...inData(node.target, "target", steps), ...inData(node.params, "params", steps)];
    case "condition":
      return inGroup(node.when, "when", steps);
    case "forEach":
      return [
        ...inData(node.items, "items", steps),
        ...(node.check === undefined
          ? []
          : inGroup(node.check, "check", steps).map((found) => ({ ...found, inCheck: true }))),
      ];
    case "approval":
      return inData(node.message, "message", steps);
    case "workflow":
      return inData(node.variables ?? {}, "variables", steps);
    case "delay":
    case "errorHandler":
      return [];
  }
}

function inGroup({ conditions }: ConditionGroup, at: string, steps?: Steps): Reference[] {
  return conditions.flatMap((member, index) => {
    const place = `${at}.conditions.${index}`;
    if ("conditions" in member) return inGroup(member, place, steps);
    const template = fieldTemplate(member.field);
    const field =
      template === null
        ? []
        : [{ at: `${place}.field`, template, ...(member.field.includes("{{") ? {} : { start: -OPEN_CHARS }) }];
    return [...field, ...inData(member.value, `${place}.value`, steps)];
  });
}

function inData(value: JsonValue | undefined, at: string, steps?: Steps): Reference[] {
  return templatesIn(value, at, steps).flatMap(({ at: place, parsed }) =>
    templatesOf(parsed).map((template) => ({ at: place, template })),
  );
}
