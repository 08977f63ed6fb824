import { AGENT_SETTINGS } from "../schema/settings/agent.ts";
import { VERSION_LINE } from "./version.ts";

const NAME_CHARS = 23;
const LINE_CHARS = 106;

export const HELP = `${VERSION_LINE}
Runs the actions of Bellhop workflows on this machine and inside its network. It only calls out, by HTTPS.

Usage:
  bellhop-agent [run]       run the agent until SIGTERM or Ctrl-C; run --help has its options
  bellhop-agent doctor      check the installation: configuration, network, vault, host; what to do about each
  bellhop-agent service install | uninstall | status
                            the agent as a service of this machine; service --help says more
  bellhop-agent enrol       exchange an enrolment code for the agent's key; enrol --help says more
  bellhop-agent update      replace this executable with the deployment's release; update --help says more
  bellhop-agent credentials set | bind | list | delete
                            the secrets in this machine's vault; credentials --help says more
  bellhop-agent fingerprint [--env-file <path>]
                            the fingerprint of this agent's key, to compare before credentials are delivered
  bellhop-agent --version   print the version
  bellhop-agent --help      print this

Environment:
${environment()}

Admin API (Authorization: Bearer <token>):
  GET /v1/status · GET /v1/credentials · PUT, DELETE /v1/credentials/{connectionId}
  POST /v1/credentials/{connectionId}/bind, /v1/credentials/{connectionId}/resolve · GET /metrics
  While the agent is down, any user may listen on its port. credentials, doctor and service status make
  GET /v1/proof prove that it is the agent before they send the token; curl does not.

Exit codes:
  0   done; run: shut down in order           73  the vault's directory cannot be written
  1   failed                                  75  another agent uses the same vault and journal
  64  wrong command or option                 76  another process registered as this agent
  65  wrong input                             77  this user may not do that
  69  something required is missing           78  the configuration is wrong
  70  the agent hung, and ended itself
`;

/** One entry for each setting, wrapped. The lower-case spellings of the proxy variables are left out. */
function environment(): string {
  const shown = Object.entries(AGENT_SETTINGS).filter(([name]) => name === name.toUpperCase());
  return shown.map(([name, { help }]) => `  ${name.padEnd(NAME_CHARS)}${wrapped(help)}`).join("\n");
}

function wrapped(text: string): string {
  const lines = text.match(new RegExp(`\\S.{0,${LINE_CHARS - NAME_CHARS}}(?=\\s|$)`, "gu")) ?? [];
  return lines.join(`\n${" ".repeat(NAME_CHARS + 2)}`);
}
