import type { z } from "zod";
import { createIntegrationSchema } from "../../../schema/contract/integration.ts";
import type { createdIntegrationSchema } from "../../../schema/contract/integration.ts";
import { writeBatch } from "../../store/database.ts";
import { insertIntegration } from "../../store/integrations.ts";
import type { IntegrationRow } from "../../store/integrations.ts";
import { record } from "../audit-record.ts";
import type { Deps } from "../deps.ts";
import { mintIntegrationKey } from "../keys.ts";
import { parseInput } from "../parse.ts";
import { hashKey } from "./key-hash.ts";
import { toIntegrationView } from "./view.ts";

export type CreatedIntegration = z.infer<typeof createdIntegrationSchema>;

/**
 * Makes an integration and its key, shown only now, with the address to configure at the source. `origin` is this
 * deployment's address.
 */
export async function createIntegration(
  deps: Deps,
  actor: string,
  input: unknown,
  origin: string,
): Promise<CreatedIntegration> {
  const { name, kind } = parseInput(createIntegrationSchema, input);
  const { prefix, key } = mintIntegrationKey(deps.settings.secret);
  const url = new URL(`/api/v1/integrations/${kind}/${key}`, origin).href;
  const row: IntegrationRow = {
    id: deps.newId("integration"),
    name,
    kind,
    severities: {},
    keyPrefix: prefix,
    keyHash: hashKey(key),
    createdAt: deps.now(),
  };
  await writeBatch(deps.db, [
    insertIntegration(deps.db, row),
    record(deps, { actor, verb: "create", subjectType: "integration", subjectId: row.id, detail: { name, kind } }),
  ]);
  return { integration: toIntegrationView(row), key, url };
}
