import { updateIntegrationSchema } from "../../../schema/contract/integration.ts";
import type { IntegrationView } from "../../../schema/contract/integration.ts";
import { writeBatch } from "../../store/database.ts";
import { isConflict } from "../../store/errors.ts";
import { findIntegration, updateIntegrationRow } from "../../store/integrations.ts";
import { recordIfChanged } from "../audit-record.ts";
import type { Deps } from "../deps.ts";
import { notFound } from "../not-found.ts";
import { parseInput } from "../parse.ts";
import { toIntegrationView } from "./view.ts";

/** Changes an integration's name or its words for severities, from the next delivery on. */
export async function updateIntegration(
  deps: Deps,
  actor: string,
  id: string,
  input: unknown,
): Promise<IntegrationView> {
  const { name, severities } = parseInput(updateIntegrationSchema, input);
  const row = await findIntegration(deps.db, id);
  if (row === null) throw notFound("integration", id);
  const after = { ...row, name: name ?? row.name, severities: severities ?? row.severities };
  const changes = { name: after.name, severities: after.severities };
  const audit = { actor, verb: "update", subjectType: "integration", subjectId: id, detail: changes } as const;
  try {
    await writeBatch(deps.db, [updateIntegrationRow(deps.db, id, changes), recordIfChanged(deps, audit)]);
  } catch (error) {
    // Another request deleted it at the same moment.
    if (isConflict(error)) throw notFound("integration", id);
    throw error;
  }
  return toIntegrationView(after);
}
