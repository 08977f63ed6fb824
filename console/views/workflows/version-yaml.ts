import { writeYaml } from "../../../worker/domain/workflow-file/write-yaml.ts";
import type { JsonObject, JsonValue } from "../../../schema/contract/json.ts";
import type { Content } from "./changes.ts";
import type { Names } from "./labels.ts";

/**
 * A version as the file that an export makes of it, but for its name and description, which are no part of versions. What
 * it points to is named beneath, so that an id says something.
 */
export function versionYaml({ trigger, definition }: Content, names: Names): string {
  const file: { trigger: JsonValue; definition: JsonValue } = JSON.parse(JSON.stringify({ trigger, definition }));
  const ids = new Set(textsOf(file));
  const named = (all: ReadonlyMap<string, string>): JsonObject =>
    Object.fromEntries([...all].filter(([id]) => ids.has(id)).sort(([a], [b]) => (a < b ? -1 : 1)));
  const [connections, workflows] = [named(names.connections), named(names.workflows)];
  const text = writeYaml({
    trigger: file.trigger,
    definition: file.definition,
    ...(Object.keys(connections).length === 0 ? {} : { connections }),
    ...(Object.keys(workflows).length === 0 ? {} : { workflows }),
  });
  // An empty last line would be a line of its own to whoever compares.
  return text.trimEnd();
}

function textsOf(value: JsonValue): string[] {
  if (typeof value === "string") return [value];
  if (typeof value !== "object" || value === null) return [];
  return Object.values(value).flatMap((member) => textsOf(member));
}
