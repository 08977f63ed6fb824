import { agentKeySchema } from "../contract/agent.ts";
import {
  ADMIN_PORT_DEFAULT,
  CONCURRENT_JOBS_DEFAULT,
  CONCURRENT_JOBS_MAX,
  HEARTBEAT_INTERVAL_DEFAULT_SECONDS,
  OFFLINE_AFTER_MS,
  POLL_INTERVAL_DEFAULT_SECONDS,
} from "../limits.ts";
import { parseApiUrl, parseProxyUrl, parseServiceUrl } from "./agent-url.ts";
import { anyText, LOG_LEVEL_DEFAULT, LOG_LEVELS, oneOf, showing, textLike, valid, wholeNumber } from "./parse.ts";
import type { Parse } from "./parse.ts";
import { declare, readerOf } from "./setting.ts";

/** LOG_FORMAT. */
const LOG_FORMATS = ["json", "text"] as const;

const OFFLINE_AFTER_SECONDS = OFFLINE_AFTER_MS / 1_000;
const POLL_INTERVAL_MIN_SECONDS = 0.1;
const POLL_INTERVAL_MAX_SECONDS = 3_600;
const SLACK_API_URL_DEFAULT = "https://slack.com/api";
export const KEY_FORM_PROBLEM =
  "must have the form bh<10 characters>_<43 characters>: copy the whole key, without quotes";

const filePath = textLike(
  /^(?:\/|\\\\|[A-Za-z]:[\\/])[^\0]*$/u,
  "must be a whole path, such as /etc/bellhop/agent.key",
);
const trueOrFalse = words({ true: true, "1": true, false: false, "0": false }, "must be true or false (or 1 or 0)");
/** Both spellings count; in what order, each program decides for itself. */
const httpsProxy = {
  kind: "secret",
  help: "the proxy to the service, if one is needed, as http://proxy.example.com:3128; lower case counts, too",
  default: null,
  parse: parseProxyUrl,
} as const;
const httpProxy = {
  kind: "secret",
  help: "the proxy to plain http addresses, for http connections and jobs",
  default: null,
  parse: anyText,
} as const;
const noProxy = { kind: "var", help: "hosts that are reached without a proxy", default: null, parse: anyText } as const;

/** Every setting of the agent, in the order of `--help`, which derives from it. */
export const AGENT_SETTINGS = declare({
  AGENT_API_URL: {
    kind: "var",
    help: "the deployment's address, such as https://bellhop.example.com (required; plain http only to this machine)",
    give: "the address of your Bellhop deployment, such as https://bellhop.example.com",
    default: null,
    parse: parseServiceUrl,
  },
  AGENT_API_KEY: {
    kind: "secret",
    help: "the agent's key, shown when the agent was created (required)",
    give: "the key that was shown when the agent was created or its key was regenerated, or set AGENT_API_KEY_FILE to a file that holds it",
    default: null,
    // The value is never repeated: it may be a real key with one character too many.
    parse: (text) => valid(agentKeySchema.safeParse(text).data, KEY_FORM_PROBLEM),
  },
  AGENT_API_KEY_FILE: {
    kind: "var",
    help: "a file that holds it instead, such as a systemd credential",
    default: null,
    parse: showing(filePath),
  },
  AGENT_NAME: {
    kind: "var",
    help: "the agent's name; the host name when unset",
    default: null,
    parse: textLike(/^\P{Cc}{1,255}$/u, "must have 1 to 255 characters, none of them control characters"),
  },
  POLL_INTERVAL: {
    kind: "var",
    help: `seconds between two polls for jobs, ${POLL_INTERVAL_MIN_SECONDS} to ${POLL_INTERVAL_MAX_SECONDS} (${POLL_INTERVAL_DEFAULT_SECONDS}); the service may allow an agent without work more while its wake socket is open`,
    default: POLL_INTERVAL_DEFAULT_SECONDS,
    parse: seconds(
      (value) => value >= POLL_INTERVAL_MIN_SECONDS && value <= POLL_INTERVAL_MAX_SECONDS,
      `from ${POLL_INTERVAL_MIN_SECONDS} to ${POLL_INTERVAL_MAX_SECONDS}`,
    ),
  },
  WAKE_SOCKET: {
    kind: "var",
    help: "off: jobs are fetched at POLL_INTERVAL alone (on)",
    default: true,
    parse: words({ on: true, off: false }, "must be on or off"),
  },
  HEARTBEAT_INTERVAL: {
    kind: "var",
    help: `seconds between two heartbeats, 1 to under ${OFFLINE_AFTER_SECONDS} (${HEARTBEAT_INTERVAL_DEFAULT_SECONDS}); none are sent without work or news while the service allows fewer polls`,
    default: HEARTBEAT_INTERVAL_DEFAULT_SECONDS,
    parse: seconds(
      (value) => value >= 1 && value < OFFLINE_AFTER_SECONDS,
      `of at least 1 and under ${OFFLINE_AFTER_SECONDS}, after which an agent counts as offline`,
    ),
  },
  MAX_CONCURRENT_JOBS: {
    kind: "var",
    help: `jobs that run side by side, 1 to ${CONCURRENT_JOBS_MAX} (${CONCURRENT_JOBS_DEFAULT})`,
    default: CONCURRENT_JOBS_DEFAULT,
    parse: showing(wholeNumber(1, CONCURRENT_JOBS_MAX)),
  },
  ADMIN_PORT: {
    kind: "var",
    help: `port of the admin API on 127.0.0.1; 0 takes any free one (${ADMIN_PORT_DEFAULT})`,
    default: ADMIN_PORT_DEFAULT,
    parse: showing(wholeNumber(0, 65_535)),
  },
  ADMIN_TOKEN: {
    kind: "secret",
    help: "bearer token of the admin API, which opens the vault; made and kept in the file admin-token beside the vault when unset",
    default: null,
    parse: textLike(
      /^[\x21-\x7e]{1,1024}$/u,
      "must have 1 to 1024 visible characters without spaces, and better many, for it opens the vault: make one with openssl rand -hex 32, or leave it unset and one is made",
    ),
  },
  VAULT_PATH: {
    kind: "var",
    help: "the encrypted vault; the journal lies beside it (Linux: $XDG_STATE_HOME/bellhop/vault.json or ~/.local/state/bellhop/vault.json, Windows: %LOCALAPPDATA%\\Bellhop\\vault.json)",
    default: null,
    parse: textLike(/^[^\0]*[^\0\\/]$/u, "must name a file, such as /var/lib/bellhop/vault.json"),
  },
  LOG_LEVEL: {
    kind: "var",
    help: `DEBUG, INFO, WARNING or ERROR (${LOG_LEVEL_DEFAULT}); the log goes to standard error`,
    default: LOG_LEVEL_DEFAULT,
    parse: showing(oneOf(LOG_LEVELS)),
  },
  LOG_FORMAT: {
    kind: "var",
    help: "json or text; text on a terminal and json everywhere else when unset",
    default: null,
    parse: showing(oneOf(LOG_FORMATS)),
  },
  ALLOW_PRIVATE_NETWORK: {
    kind: "var",
    help: "true lets http connections reach private addresses (false); other types always may",
    default: false,
    parse: trueOrFalse,
  },
  ALLOW_OS_RESTART: {
    kind: "var",
    help: "true lets os.restartOS restart this machine (false)",
    default: false,
    parse: trueOrFalse,
  },
  JOB_USER: {
    kind: "var",
    help: "started as root: the account that jobs run as, by name or number; an account for each running job when unset; off: the agent's own",
    default: null,
    parse: showing(
      textLike(/^(?:[a-z_][a-z0-9_-]{0,31}|\d{1,9})$/u, "must be the name or the number of an account, or off"),
    ),
  },
  JOB_SOCKET: {
    kind: "var",
    help: "directory of the sockets that systemd starts the processes of jobs behind; service install sets it",
    default: null,
    parse: showing(filePath),
  },
  SLACK_API_URL: {
    kind: "var",
    help: `the Slack Web API (${SLACK_API_URL_DEFAULT}), such as https://slack-gov.com/api`,
    default: SLACK_API_URL_DEFAULT,
    parse: parseApiUrl,
  },
  AGENT_RELEASE_KEY: {
    kind: "var",
    help: "what update checks releases with, for an executable that was built without a key",
    default: null,
    parse: anyText,
  },
  HTTPS_PROXY: httpsProxy,
  https_proxy: httpsProxy,
  HTTP_PROXY: httpProxy,
  http_proxy: httpProxy,
  NO_PROXY: noProxy,
  no_proxy: noProxy,
  NODE_EXTRA_CA_CERTS: {
    kind: "var",
    help: "a PEM file with further authorities to trust, for a private one",
    default: null,
    parse: anyText,
  },
});

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

/** Words in any case, by what they mean. */
function words(meanings: Readonly<Record<string, boolean>>, problem: string): Parse<boolean> {
  return showing((text) => valid(new Map(Object.entries(meanings)).get(text.toLowerCase()), problem));
}
