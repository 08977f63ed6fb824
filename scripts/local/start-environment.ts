import { AGENT_SETTINGS } from "../../schema/settings/agent.ts";
import { misspelt } from "../../schema/settings/misspelt.ts";
import { SERVICE_SETTINGS } from "../../schema/settings/service.ts";

const OWN = ["PORT", "BELLHOP_STATE", "BELLHOP_LOCAL_AGENT"];

/** A sentence for each variable that is nearly a setting of `npm start`, of the service or of an agent. */
export function misspeltSettings(environment: Readonly<Record<string, string | undefined>>): string[] {
  const settings = [...OWN, ...Object.keys(SERVICE_SETTINGS), ...Object.keys(AGENT_SETTINGS)];
  return misspelt(Object.keys(environment), settings).map(
    ({ name, meant }) => `${name} is no setting and has no effect. Write ${meant}, if that is meant, and start again.`,
  );
}
