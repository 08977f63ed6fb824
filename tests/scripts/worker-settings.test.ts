import { expect, test } from "bun:test";
import { workerSettings } from "../../scripts/local/worker-settings.ts";

test("the settings of the deployment are passed on, without other variables of the machine", () => {
  const settings = {
    PUBLIC_URL: "https://bellhop.example.com",
    TRUSTED_CLIENT_IP_HEADER: "X-Real-IP",
    OIDC_ISSUER: "https://issuer.example.com",
    OIDC_CLIENT_SECRET: "a secret",
    NOTIFY_EMAIL_FROM: "alerts@example.com",
    REQUIRE_SECOND_PUBLISHER: "true",
  };
  const others = {
    PATH: "/usr/bin",
    DATABASE_URL: "http://127.0.0.1:1",
    DATABASE_AUTH_TOKEN: "other",
    BELLHOP_SECRET: "other",
    BOOTSTRAP_ADMIN_TOKEN: "other",
    MY_OIDC_ISSUER: "other",
    PUBLIC_URL_OF_OTHERS: "other",
  };
  expect(workerSettings({ ...settings, ...others })).toEqual(settings);
});

test("an empty variable counts as not set", () => {
  expect(workerSettings({ OIDC_ISSUER: "", NOTIFY_SMTP_URL: "  ", PUBLIC_URL: undefined })).toEqual({});
});
