import { expect, test } from "bun:test";
import { localAgentSettings, misspeltSettings, serviceProblems } from "../../scripts/local/start-environment.ts";

test("npm start reports each variable that resembles a setting of the service, of its agent or of npm start", () => {
  const problems = misspeltSettings({
    METRIC_TOKEN: "a-secret",
    OIDC_ISSUR: "x",
    POLL_INTERVL: "9",
    BELLHOP_LOCAL_AGNET: "off",
    LOG_LEVEL: "DEBUG",
    HTTP_PROXY: "http://proxy.example.com",
    FTP_PROXY: "http://proxy.example.com",
    DB_USER: "ada",
    npm_config_loglevel: "notice",
  });
  expect(problems).toEqual([
    "METRIC_TOKEN is not a setting and has no effect. If METRICS_TOKEN is meant, rename it and start again.",
    "OIDC_ISSUR is not a setting and has no effect. If OIDC_ISSUER is meant, rename it and start again.",
    "POLL_INTERVL is not a setting and has no effect. If POLL_INTERVAL is meant, rename it and start again.",
    "BELLHOP_LOCAL_AGNET is not a setting and has no effect. If BELLHOP_LOCAL_AGENT is meant, rename it and start again.",
  ]);
});

test.each([
  [{}, true, { POLL_INTERVAL: "1", ALLOW_PRIVATE_NETWORK: "false" }],
  [{ BELLHOP_LOCAL_AGENT: "", POLL_INTERVAL: " " }, true, { POLL_INTERVAL: "1" }],
  [
    { BELLHOP_LOCAL_AGENT: "ON", POLL_INTERVAL: "0.5", ALLOW_PRIVATE_NETWORK: "true" },
    true,
    { POLL_INTERVAL: "0.5", ALLOW_PRIVATE_NETWORK: "true" },
  ],
  // The settings of an agent that does not start are not read.
  [{ BELLHOP_LOCAL_AGENT: "off", POLL_INTERVAL: "0" }, false, {}],
])("npm start with %j has an agent: %j", (environment, withAgent, settings) => {
  expect(localAgentSettings(environment)).toMatchObject({ withAgent, settings, problems: [] });
});

test("npm start reports wrong settings of the service without secrets, and leaves channels to the service", () => {
  expect(
    serviceProblems({
      LOG_LEVEL: "loud",
      IDLE_POLL_SECONDS: "x",
      METRICS_TOKEN: "short-token",
      NOTIFY_SMTP_URL: "x",
      // npm start sets its own.
      BELLHOP_SECRET: "short",
    }),
  ).toEqual([
    "IDLE_POLL_SECONDS must be a whole number from 1 to 600.",
    "METRICS_TOKEN must have at least 16 characters: openssl rand -hex 32.",
    'LOG_LEVEL must be one of DEBUG, INFO, WARNING, ERROR, not "loud".',
  ]);
  expect(serviceProblems({ LOG_LEVEL: " debug ", METRICS_TOKEN: "" })).toEqual([]);
});
