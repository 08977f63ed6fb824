import { agentKeySchema } from "../contract/agent.ts";
import {
  ADMIN_PORT_DEFAULT,
  CONCURRENT_JOBS_DEFAULT,
  CONCURRENT_JOBS_MAX,
  HEARTBEAT_INTERVAL_DEFAULT_SECONDS,
  OFFLINE_AFTER_MS,
  POLL_INTERVAL_DEFAULT_SECONDS,
} from "../limits.ts";
import { parseAnyProxy, parseApiUrl, parseProxyUrl, parseServiceUrl } from "./agent-url.ts";
import {
  anyText,
  LOG_LEVEL_DEFAULT,
  LOG_LEVELS,
  oneOf,
  releaseKey,
  showing,
  textLike,
  valid,
  wholeNumber,
} from "./parse.ts";
import type { Parse } from "./parse.ts";
import { defaulting, readerOf, secret, variable } from "./setting.ts";

/** The values of LOG_FORMAT. */
const LOG_FORMATS = ["json", "text"] as const;

const OFFLINE_AFTER_SECONDS = OFFLINE_AFTER_MS / 1_000;
const POLL_INTERVAL_MIN_SECONDS = 0.1;
const POLL_INTERVAL_MAX_SECONDS = 3_600;
const SLACK_API_URL_DEFAULT = "https://slack.com/api";
export const KEY_FORM_PROBLEM =
  "must have the form bh<10 characters>_<43 characters>: copy the whole key, without quotes";

const PATH_PROBLEM = "must be an absolute path on this machine, such as /etc/bellhop/agent.key";
/** Of any platform: `problemOfPath` knows which it is. */
const filePath = textLike(/^(?:\/|\\\\|[A-Za-z]:[\\/])[^\0]*$/u, PATH_PROBLEM);
const trueOrFalse = words({ true: true, "1": true, false: false, "0": false }, "must be true or false (or 1 or 0)");
/** Both spellings count; each program decides which one wins. */
const httpsProxy = secret(
  "the proxy to the service, if one is needed, as http://proxy.example.com:3128; lower case works, too",
  parseProxyUrl,
);
const httpProxy = secret("the proxy for plain http addresses, of http connections and jobs", parseAnyProxy);
const allProxy = secret("the proxy to the service when HTTPS_PROXY is not set; actions do not use it", parseAnyProxy);
const noProxy = variable("hosts that need no proxy", anyText);

/** Every setting of the agent, in the order of `--help`, which derives from it. */
export const AGENT_SETTINGS = {
  AGENT_API_URL: variable(
    "the deployment's address, such as https://bellhop.example.com (required; plain http only to this machine)",
    parseServiceUrl,
    { give: "the address of your Bellhop deployment, such as https://bellhop.example.com" },
  ),
  // The value is never repeated: it may be a real key with one character too many.
  AGENT_API_KEY: secret(
    "the agent's key, shown when the agent was created (required)",
    (text) => valid(agentKeySchema.safeParse(text).data, KEY_FORM_PROBLEM),
    {
      give: "the key that was shown when the agent was created or its key was regenerated, or set AGENT_API_KEY_FILE to a file with the key",
    },
  ),
  // Not repeated either: a key is easily set here instead.
  AGENT_API_KEY_FILE: variable("a file with the key, instead of AGENT_API_KEY, such as a systemd credential", filePath),
  AGENT_NAME: variable(
    "the agent's name (the host name)",
    textLike(/^\P{Cc}{1,255}$/u, "must have 1 to 255 characters, none of them control characters"),
  ),
  POLL_INTERVAL: defaulting(
    POLL_INTERVAL_DEFAULT_SECONDS,
    `seconds between two polls for jobs, ${POLL_INTERVAL_MIN_SECONDS} to ${POLL_INTERVAL_MAX_SECONDS} (${POLL_INTERVAL_DEFAULT_SECONDS}); with an open wake socket, the service may allow an idle agent longer intervals`,
    seconds(
      (value) => value >= POLL_INTERVAL_MIN_SECONDS && value <= POLL_INTERVAL_MAX_SECONDS,
      `from ${POLL_INTERVAL_MIN_SECONDS} to ${POLL_INTERVAL_MAX_SECONDS}`,
    ),
  ),
  WAKE_SOCKET: defaulting(
    true,
    "off: the agent fetches jobs only every POLL_INTERVAL (on)",
    words({ on: true, off: false }, "must be on or off"),
  ),
  HEARTBEAT_INTERVAL: defaulting(
    HEARTBEAT_INTERVAL_DEFAULT_SECONDS,
    `seconds between two heartbeats, 1 to under ${OFFLINE_AFTER_SECONDS} (${HEARTBEAT_INTERVAL_DEFAULT_SECONDS}); an agent without work or news sends none while the service allows fewer polls`,
    seconds(
      (value) => value >= 1 && value < OFFLINE_AFTER_SECONDS,
      `of at least 1 and under ${OFFLINE_AFTER_SECONDS}, after which an agent counts as offline`,
    ),
  ),
  MAX_CONCURRENT_JOBS: defaulting(
    CONCURRENT_JOBS_DEFAULT,
    `jobs that run at the same time, 1 to ${CONCURRENT_JOBS_MAX} (${CONCURRENT_JOBS_DEFAULT})`,
    showing(wholeNumber(1, CONCURRENT_JOBS_MAX)),
  ),
  ADMIN_PORT: defaulting(
    ADMIN_PORT_DEFAULT,
    `port of the admin API on 127.0.0.1; 0 takes any free one (${ADMIN_PORT_DEFAULT})`,
    showing(wholeNumber(0, 65_535)),
  ),
  ADMIN_TOKEN: secret(
    "bearer token of the admin API, which opens the vault; when unset, the agent creates one in the file admin-token next to the vault",
    textLike(
      /^[\x21-\x7e]{1,1024}$/u,
      "must have 1 to 1024 visible characters without spaces. It opens the vault, so make a long one with openssl rand -hex 32, or leave it unset",
    ),
  ),
  VAULT_PATH: variable(
    "the encrypted vault; the journal is next to it (Linux: $XDG_STATE_HOME/bellhop/vault.json or ~/.local/state/bellhop/vault.json, Windows: %LOCALAPPDATA%\\Bellhop\\vault.json)",
    textLike(/^[^\0]*[^\0\\/]$/u, "must name a file, such as /var/lib/bellhop/vault.json"),
  ),
  LOG_LEVEL: defaulting(
    LOG_LEVEL_DEFAULT,
    `DEBUG, INFO, WARNING or ERROR (${LOG_LEVEL_DEFAULT}); the log goes to standard error`,
    showing(oneOf(LOG_LEVELS)),
  ),
  LOG_FORMAT: variable("json or text (text on a terminal, otherwise json)", showing(oneOf(LOG_FORMATS))),
  ALLOW_PRIVATE_NETWORK: defaulting(
    false,
    "true lets http connections reach private addresses (false); other types always may",
    trueOrFalse,
  ),
  ALLOW_OS_RESTART: defaulting(false, "true lets os.restartOS restart this machine (false)", trueOrFalse),
  JOB_USER: variable(
    "for an agent that starts as root: the account of jobs, by name or number; off: the agent's own account; unset: a separate account for each running job",
    showing(textLike(/^(?:[a-z_][a-z0-9_-]{0,31}|\d{1,9})$/u, "must be the name or the number of an account, or off")),
  ),
  JOB_SOCKET: variable(
    "directory of the sockets through which systemd starts the processes of jobs; service install sets it",
    showing(textLike(/^\/[^\0]*$/u, "must be an absolute path, such as /run/bellhop-agent")),
  ),
  SLACK_API_URL: defaulting(
    SLACK_API_URL_DEFAULT,
    `the Slack Web API (${SLACK_API_URL_DEFAULT}), such as https://slack-gov.com/api`,
    parseApiUrl({ example: SLACK_API_URL_DEFAULT, login: "the token is in the connection's credential" }),
  ),
  AGENT_RELEASE_KEY: variable(
    "the key that update checks releases with, for an executable that was built without one",
    releaseKey,
  ),
  HTTPS_PROXY: httpsProxy,
  https_proxy: httpsProxy,
  HTTP_PROXY: httpProxy,
  http_proxy: httpProxy,
  ALL_PROXY: allProxy,
  all_proxy: allProxy,
  NO_PROXY: noProxy,
  no_proxy: noProxy,
  NODE_EXTRA_CA_CERTS: variable(
    "a PEM file with further certificate authorities to trust, such as a private one",
    anyText,
  ),
};

/** The problem of an absolute path of another platform; null for a path of this platform. */
export function problemOfPath(path: string, platform: string): string | null {
  return path.startsWith("/") === (platform !== "win32") ? null : PATH_PROBLEM;
}

/** Addresses of proxies: only their passwords are secret. */
export const PROXY_SETTINGS = [
  "HTTPS_PROXY",
  "https_proxy",
  "HTTP_PROXY",
  "http_proxy",
  "ALL_PROXY",
  "all_proxy",
] as const;

export type AgentReader = ReturnType<typeof agentReader>;

export function agentReader(environment: object, problems: string[] = []) {
  return readerOf(AGENT_SETTINGS, environment, problems);
}

function seconds(isRight: (value: number) => boolean, range: string): Parse<number> {
  return showing((text) => {
    const value = /^\d{1,6}(\.\d{1,3})?$/u.test(text) ? Number(text) : Number.NaN;
    return valid(isRight(value) ? value : null, `must be a number of seconds ${range}`);
  });
}

/** Words in any case, with their meanings. */
function words(meanings: Readonly<Record<string, boolean>>, problem: string): Parse<boolean> {
  return showing((text) => valid(new Map(Object.entries(meanings)).get(text.toLowerCase()), problem));
}
