import type { JsonValue } from "../../../schema/contract/json.ts";
import { ownValue } from "../own-value.ts";

/**
 * What `incident.<path>` stands for. A tag's name may hold dots, as in `incident.tags.app.kubernetes.io/name`: the whole
 * rest is looked up as one name first (specification, "Workflow": `tags.<key>`).
 */
export function incidentValue(incident: JsonValue | undefined, path: readonly string[]): JsonValue | undefined {
  const [field, ...rest] = path;
  if (field !== "tags" || rest.length < 2) return ownValue(incident, path);
  return ownValue(incident, ["tags", rest.join(".")]) ?? ownValue(incident, path);
}
