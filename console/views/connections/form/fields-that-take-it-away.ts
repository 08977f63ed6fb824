import { connectionTargetSchema } from "../../../../schema/contract/connection.ts";
import { targetOf } from "../../../../schema/contract/credential-target.ts";
import type { CredentialTarget } from "../../../../schema/contract/credential-target.ts";
import type { JsonObject } from "../../../../schema/contract/json.ts";
import type { ConnectionView } from "../../../../schema/contract/management.ts";
import { changedTargetFields } from "../../../../schema/contract/target-words.ts";
import { isHeld } from "../credential/status-words.ts";
import { toConfig } from "./form-values.ts";
import type { FormValues } from "./form-values.ts";

/**
 * The changed fields after which the delivered credential is not used any more. None while no agent has a credential, or while the form cannot be
 * saved.
 */
export function fieldsThatTakeItAway(
  { type, config, credentials }: Pick<ConnectionView, "type" | "config" | "credentials">,
  values: Pick<FormValues, "config">,
): string[] {
  const [before, after] = [targetFor(type, config), targetFor(type, toConfig(type, values.config))];
  if (before === null || after === null || !credentials.some(isHeld)) return [];
  return changedTargetFields(before, after);
}

function targetFor(type: ConnectionView["type"], config: JsonObject): CredentialTarget | null {
  const { data } = connectionTargetSchema.safeParse({ type, config });
  return data === undefined ? null : targetOf(data);
}
