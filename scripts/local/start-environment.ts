import { AGENT_SETTINGS, agentReader } from "../../schema/settings/agent.ts";
import { misspelt } from "../../schema/settings/misspelt.ts";
import { LOG_LEVELS, oneOf, showing } from "../../schema/settings/parse.ts";
import { SERVICE_SETTINGS } from "../../schema/settings/service.ts";
import { defaulting, namesOf, readerOf } from "../../schema/settings/setting.ts";
import { workerSettings } from "./worker-settings.ts";

type Environment = Readonly<Record<string, string | undefined>>;

const OWN = ["PORT", "BELLHOP_STATE", "BELLHOP_LOCAL_AGENT", "DATABASE"];
const LOCAL_AGENT = { BELLHOP_LOCAL_AGENT: defaulting("on", "off starts no agent", showing(oneOf(["on", "off"]))) };
/** The service's own error leaves out the value, because a public page shows the error. */
const SERVICE = {
  ...SERVICE_SETTINGS,
  LOG_LEVEL: { ...SERVICE_SETTINGS.LOG_LEVEL, parse: showing(oneOf(LOG_LEVELS)) },
};
/** The settings of an agent that reach the one of `npm start`. */
const PASSED = ["POLL_INTERVAL", "ALLOW_PRIVATE_NETWORK", "HTTPS_PROXY"] as const;

/** What `npm start` takes of its environment for its agent, and what is wrong with it, in the agent's own words. */
export function localAgentSettings(environment: Environment) {
  const problems: string[] = [];
  const withAgent = readerOf(LOCAL_AGENT, environment, problems).read("BELLHOP_LOCAL_AGENT") === "on";
  const agent = agentReader(environment, problems);
  if (withAgent) for (const name of PASSED) agent.read(name);
  return {
    withAgent,
    settings: {
      // On one machine a poll costs nothing worth waiting for.
      POLL_INTERVAL: agent.text("POLL_INTERVAL") ?? "1",
      ALLOW_PRIVATE_NETWORK: agent.text("ALLOW_PRIVATE_NETWORK") ?? "false",
    },
    problems: problems.map((problem) => `${problem}.`),
  };
}

/** A sentence for each wrong setting of the service. Notification channels report theirs when the service runs. */
export function serviceProblems(environment: Environment): string[] {
  const problems: string[] = [];
  const reader = readerOf(SERVICE, workerSettings(environment), problems);
  for (const name of namesOf(SERVICE)) if (!name.startsWith("NOTIFY_")) reader.read(name);
  return problems.map((problem) => `${problem}.`);
}

/** A sentence for each variable that is nearly a setting of `npm start`, of the service or of an agent. */
export function misspeltSettings(environment: Environment): string[] {
  const settings = [...OWN, ...Object.keys(SERVICE_SETTINGS), ...Object.keys(AGENT_SETTINGS)];
  return misspelt(Object.keys(environment), settings).map(
    ({ name, meant }) => `${name} is not a setting and has no effect. If ${meant} is meant, rename it and start again.`,
  );
}
