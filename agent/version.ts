/** Set by `scripts/build-agent.ts` from package.json; absent when the sources run without a build. */
declare const BELLHOP_AGENT_VERSION: string | undefined;

export const AGENT_VERSION = typeof BELLHOP_AGENT_VERSION === "string" ? BELLHOP_AGENT_VERSION : "0.0.0-development";

export const VERSION_LINE = `bellhop-agent ${AGENT_VERSION}`;
