import { writeYaml } from "../../../worker/domain/workflow-file/write-yaml.ts";
import type { JsonObject, JsonValue } from "../../../schema/contract/json.ts";
import type { Content } from "./changes.ts";
import type { Names } from "./labels.ts";

/**
 * A version as YAML, in the format of an export. Name and description are missing because versions do not have them.
 * The names of connections, workflows and limits follow below, to explain the ids.
 */
export function versionYaml({ trigger, definition }: Content, names: Names): string {
  const file: { trigger: JsonValue; definition: JsonValue } = JSON.parse(JSON.stringify({ trigger, definition }));
  const ids = new Set(textsOf(file));
  const named = (all: ReadonlyMap<string, string>): JsonObject =>
    Object.fromEntries([...all].filter(([id]) => ids.has(id)).sort(([a], [b]) => (a < b ? -1 : 1)));
  const [connections, workflows, limits] = [named(names.connections), named(names.workflows), named(names.limits)];
  const text = writeYaml({
    trigger: file.trigger,
    definition: file.definition,
    ...(Object.keys(connections).length === 0 ? {} : { connections }),
    ...(Object.keys(workflows).length === 0 ? {} : { workflows }),
    ...(Object.keys(limits).length === 0 ? {} : { limits }),
  });
  // A diff would show an empty last line as a separate line.
  return text.trimEnd();
}

function textsOf(value: JsonValue): string[] {
  if (typeof value === "string") return [value];
  if (typeof value !== "object" || value === null) return [];
  return Object.values(value).flatMap((member) => textsOf(member));
}
