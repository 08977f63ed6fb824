import type { IntegrationView } from "../../../schema/contract/integration.ts";
import type { IntegrationRow } from "../../store/integrations.ts";

/** An integration as the API shows it, without its key. */
export function toIntegrationView(row: IntegrationRow): IntegrationView {
  const { id, name, kind, severities } = row;
  return { id, name, kind, severities, createdAt: new Date(row.createdAt).toISOString() };
}
