import type { IntegrationView } from "../../../schema/contract/integration.ts";
import type { IntegrationRow } from "../../store/integrations.ts";

/** An integration as the API shows it, without its key. */
export function toIntegrationView(row: IntegrationRow): IntegrationView {
  return { id: row.id, name: row.name, kind: row.kind, createdAt: new Date(row.createdAt).toISOString() };
}
