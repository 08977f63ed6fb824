import { connectionTargetSchema } from "../../../../schema/contract/connection.ts";
import { canonicalTarget, targetOf } from "../../../../schema/contract/credential-target.ts";
import type { CredentialTarget } from "../../../../schema/contract/credential-target.ts";
import type { ConnectionView } from "../../../../schema/contract/management.ts";
import { sealedWorkflows } from "../../../../schema/contract/usable-by.ts";
import { changedTargetFields } from "../../../../schema/contract/target-labels.ts";
import { isHeld } from "../credential/status-labels.ts";
import { toConfig } from "./form-values.ts";
import type { FormValues } from "./form-values.ts";

export interface TargetEdit {
  /** The changed fields that make a delivered credential unusable. */
  takenBy: string[];
  /** Whether a delivered credential that is unusable now matches the form's target. */
  isGivenBack: boolean;
}

/** How saving the form affects the credentials of agents. No effect while the form is invalid. */
export function targetEditOf(
  { type, config, usableBy, credentials }: Pick<ConnectionView, "type" | "config" | "usableBy" | "credentials">,
  values: Pick<FormValues, "config">,
): TargetEdit {
  const [before, after] = [
    targetFor({ type, config, usableBy }),
    targetFor({ type, config: toConfig(type, values.config), usableBy }),
  ];
  if (before === null || after === null) return { takenBy: [], isGivenBack: false };
  const changed = changedTargetFields(before, after);
  const isFor = ({ target }: { target?: CredentialTarget | null | undefined }) =>
    target !== undefined && target !== null && canonicalTarget(target) === canonicalTarget(after);
  const held = credentials.filter(isHeld);
  const isUsedNow = held.some(({ target }) => target === undefined);
  return { takenBy: isUsedNow ? changed : [], isGivenBack: changed.length > 0 && held.some(isFor) };
}

function targetFor({
  type,
  config,
  usableBy,
}: Pick<ConnectionView, "type" | "config" | "usableBy">): CredentialTarget | null {
  const { data } = connectionTargetSchema.safeParse({ type, config });
  return data === undefined ? null : targetOf(data, sealedWorkflows(usableBy));
}
