import { ENROLMENT_CODE_VARIABLE, enrolmentCodeSchema } from "../../schema/contract/agent.ts";
import type { Environment } from "../config.ts";
import { CommandRefused } from "../credentials/refused.ts";
import { EXIT } from "../exit-codes.ts";

/** The enrolment code of the environment; null without one. Throws CommandRefused, without the value. */
export function enrolmentCodeIn(env: Environment): string | null {
  const text = env[ENROLMENT_CODE_VARIABLE]?.trim() ?? "";
  return text === "" ? null : requireEnrolmentCode(text, ENROLMENT_CODE_VARIABLE);
}

export function requireEnrolmentCode(text: string, from: string): string {
  const { data, error } = enrolmentCodeSchema.safeParse(text);
  if (error === undefined) return data;
  throw new CommandRefused(EXIT.badInput, `${from} ${error.issues[0]?.message ?? ""}`);
}
