import { AGENT_VERSION } from "./version.ts";

export const VERSION_LINE = `bellhop-agent ${AGENT_VERSION}`;

export const HELP = `${VERSION_LINE}
Runs the actions of Bellhop workflows on this machine and inside its network. It only calls out, by HTTPS.

Usage:
  bellhop-agent [run]       run the agent until SIGTERM or Ctrl-C; run --help has its options
  bellhop-agent doctor      look at the installation: configuration, network, vault, host; what to do about each
  bellhop-agent service install | uninstall | status
                            the agent as a service of this machine; service --help says more
  bellhop-agent update      replace this executable by the deployment's release; update --help says more
  bellhop-agent credentials set | bind | list | delete
                            the secrets in this machine's vault; credentials --help says more
  bellhop-agent fingerprint [--env-file <path>]
                            the fingerprint of this agent's key, to compare before credentials are delivered
  bellhop-agent --version   print the version
  bellhop-agent --help      print this

Environment:
  AGENT_API_URL          the deployment's address, such as https://bellhop.example.com (required;
                         plain http only to this machine)
  AGENT_API_KEY          the agent's key, shown when the agent was created (required)
  AGENT_API_KEY_FILE     a file that holds it instead, such as a systemd credential
  AGENT_NAME             the agent's name; the host name when unset
  POLL_INTERVAL          seconds between two polls for jobs, 0.1 to 3600 (5); the service may allow an
                         agent without work more while its wake socket is open
  WAKE_SOCKET            off: jobs are fetched at POLL_INTERVAL alone (on)
  HEARTBEAT_INTERVAL     seconds between two heartbeats, 1 to under 90 (30); none are sent without work
                         or news while the service allows fewer polls
  MAX_CONCURRENT_JOBS    jobs that run side by side, 1 to 50 (5)
  ADMIN_PORT             port of the admin API on 127.0.0.1; 0 takes any free one (9191)
  ADMIN_TOKEN            bearer token of the admin API, which opens the vault; made and kept in the
                         file admin-token beside the vault when unset
  VAULT_PATH             the encrypted vault; the journal lies beside it
                         (Linux: $XDG_STATE_HOME/bellhop/vault.json or ~/.local/state/bellhop/vault.json,
                         Windows: %LOCALAPPDATA%\\Bellhop\\vault.json)
  LOG_LEVEL              DEBUG, INFO, WARNING or ERROR (INFO); the log goes to standard error
  LOG_FORMAT             json or text; text on a terminal and json everywhere else when unset
  ALLOW_PRIVATE_NETWORK  true lets http connections reach private addresses (false); other types always may
  ALLOW_OS_RESTART       true lets os.restartOS restart this machine (false)
  JOB_USER               started as root: the account that jobs run as, by name or number; an account for each
                         running job when unset; off: the agent's own
  JOB_SOCKET             directory of the sockets that systemd starts the processes of jobs behind; service install sets it
  SLACK_API_URL          the Slack Web API (https://slack.com/api), such as https://slack-gov.com/api
  AGENT_RELEASE_KEY      what update checks releases with, for an executable that was built without a key
  HTTPS_PROXY, NO_PROXY  the proxy to the service, if one is needed
  NODE_EXTRA_CA_CERTS    a PEM file with further authorities to trust, for a private one

Admin API (Authorization: Bearer <token>):
  GET /v1/status · GET /v1/credentials · PUT, DELETE /v1/credentials/{connectionId}
  POST /v1/credentials/{connectionId}/bind, /v1/credentials/{connectionId}/resolve · GET /metrics
  While the agent is down, any user may listen on its port. credentials, doctor and service status have
  GET /v1/proof show that it is the agent before they send the token; curl does not.

Exit codes:
  0   done; run: shut down in order           73  the vault's directory cannot be written
  1   failed                                  75  another agent uses the same vault and journal
  64  wrong command or option                 76  another process registered as this agent
  65  wrong input                             77  this user may not do that
  69  what is needed is not there             78  the configuration is wrong
  70  the agent hung, and ended itself
`;
