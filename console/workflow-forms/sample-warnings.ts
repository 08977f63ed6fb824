import type { JsonObject } from "../../schema/contract/json.ts";
import { isJsonObject } from "../../schema/contract/json-object.ts";
import type { WorkflowInput } from "../../schema/contract/management.ts";
import type { FieldError } from "../../schema/contract/problem.ts";
import { misspeltFix } from "../../worker/domain/graph/misspelt.ts";
import { referencesOf } from "../../worker/domain/graph/node-references.ts";
import { graphsOf } from "../../worker/domain/graph/walk.ts";
import { Steps } from "../../worker/domain/steps.ts";
import { templatesIn } from "../../worker/domain/template-texts.ts";
import { ownValue } from "../../worker/domain/own-value.ts";
import { templatesOf } from "../../worker/domain/template/parse.ts";
import type { Template } from "../../worker/domain/template/parse.ts";
import { workflowForms } from "../strings/en/workflow-forms.ts";

interface Use {
  at: string;
  template: Template;
  start: number;
}

/**
 * Warnings about paths of a webhook's body that a real or sample request does not have, while it has one with almost
 * the same name. Other missing paths may be parts that only some requests have.
 */
export function sampleWarnings(
  { trigger, definition }: Pick<WorkflowInput, "trigger" | "definition">,
  request: JsonObject | null,
): FieldError[] {
  if (request === null || trigger.type !== "webhook" || trigger.payload !== "body") return [];
  const valueAt = (path: readonly string[]) => ownValue(request, path.slice(1));
  const names = {
    after: (path: readonly string[]) => {
      const above = path.length < 2 ? undefined : valueAt(path);
      return isJsonObject(above) ? Object.keys(above) : [];
    },
    problemOf: (path: readonly string[]) => (valueAt(path) === undefined ? workflowForms.noSuchValue : null),
  };
  return usesIn(definition).flatMap(({ at, template, start }) => {
    const { path, source } = template;
    if (path[0] !== "webhook" || path[1] !== "body" || names.problemOf(path) === null) return [];
    const fix = misspeltFix(template, at, start, names, new Steps(Infinity));
    return fix === null ? [] : [{ path: at, message: `${source}: ${workflowForms.noSuchValue}`, fix }];
  });
}

function usesIn(definition: WorkflowInput["definition"]): Use[] {
  const { concurrency, limits = [] } = definition;
  const inNodes = graphsOf(definition).flatMap(({ graph, at }) =>
    graph.nodes.flatMap((node, index) =>
      referencesOf(node).map(({ at: field, template, start = template.at }) => ({
        at: `definition.${at}nodes.${index}.${field}`,
        template,
        start,
      })),
    ),
  );
  return [
    ...inNodes,
    ...inKey("definition.concurrency.key", concurrency?.key),
    ...limits.flatMap(({ key }, index) => inKey(`definition.limits.${index}.key`, key)),
  ];
}

function inKey(at: string, key: string | undefined): Use[] {
  return templatesIn(key).flatMap(({ parsed }) =>
    templatesOf(parsed).map((template) => ({ at, template, start: template.at })),
  );
}
