import { expect, test } from "bun:test";
import { misspeltSettings } from "../../scripts/local/start-environment.ts";

test("npm start names each variable that is nearly a setting of the service, of its agent, or its own", () => {
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
    "METRIC_TOKEN is no setting and has no effect. Write METRICS_TOKEN, if that is meant, and start again.",
    "OIDC_ISSUR is no setting and has no effect. Write OIDC_ISSUER, if that is meant, and start again.",
    "POLL_INTERVL is no setting and has no effect. Write POLL_INTERVAL, if that is meant, and start again.",
    "BELLHOP_LOCAL_AGNET is no setting and has no effect. Write BELLHOP_LOCAL_AGENT, if that is meant, and start again.",
  ]);
});
