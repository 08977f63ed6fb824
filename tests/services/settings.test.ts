import { expect, spyOn, test } from "bun:test";
import { anyText } from "../../schema/settings/parse.ts";
import { SERVICE_SETTINGS } from "../../schema/settings/service.ts";
import { namesOf } from "../../schema/settings/setting.ts";
import { ProblemError } from "../../worker/services/problem.ts";
import { parseSettings, settingsOf } from "../../worker/services/settings.ts";

const RIGHT = { BELLHOP_SECRET: " a secret of thirty-two characters", DATABASE_URL: "libsql://bellhop.example.com" };
const NAMES = namesOf(SERVICE_SETTINGS);
const SECRETS: readonly string[] = namesOf(SERVICE_SETTINGS, "secret");
/** An invalid value for each setting; the others accept any text. */
const WRONG: Readonly<Record<string, string>> = {
  ...Object.fromEntries(NAMES.map((name) => [name, "not:right"])),
  LOG_LEVEL: "WARN",
  IDLE_POLL_SECONDS: "601",
};
const CHECKED = NAMES.filter((name) => SERVICE_SETTINGS[name].parse !== anyText);

test.each(CHECKED)("a wrong value of %s gives one error with the name", (name) => {
  const { problems, channelsOfEnvironment } = parseSettings({
    ...RIGHT,
    OIDC_CLIENT_ID: "bellhop",
    [name]: WRONG[name],
  });
  const { email, sms, webhook } = channelsOfEnvironment;
  const ofChannels = [email, sms, webhook].flatMap((channel) => (channel.ok ? [] : channel.problems));
  const named = [...problems, ...ofChannels].filter((problem) => problem.startsWith(`${name} `));
  expect(named).toEqual([expect.stringMatching(/^\w+ must /u)]);
  expect(named[0]).not.toContain("not:right");
});

/** The token of the database must not be sent in plain text, and the address is shown. */
test.each([
  ["libsql://db.example.com", true],
  ["https://db.example.com", true],
  ["http://127.0.0.1:8080", true],
  ["http://localhost:8080", true],
  ["http://[::1]:8080", true],
  ["http://db.example.com", false],
  ["http://user@127.0.0.1:8080", false],
  ["libsql://user:secret@db.example.com", false],
  ["https://:secret@db.example.com", false],
  ["libsql://db.example.com?authToken=secret", false],
])("DATABASE_URL=%s is accepted: %p", (url, accepted) => {
  const { problems } = parseSettings({ ...RIGHT, DATABASE_URL: url });
  expect(problems).toEqual(accepted ? [] : [expect.stringMatching(/^DATABASE_URL must /u)]);
});

test("all problems come in one list without a secret", () => {
  const { problems } = parseSettings(WRONG);
  expect(problems.length).toBeGreaterThan(8);
  for (const name of SECRETS) expect(problems.join("\n")).not.toContain(WRONG[name] ?? "");
});

test.each([
  ["Cloudflare", {}, ['with "wrangler secret put BELLHOP_SECRET"', "in wrangler.toml"]],
  [
    "one machine",
    { DATABASE: {}, DOWNLOADS_DISK: {} },
    ["in /etc/bellhop/bellhop.env", "in /etc/bellhop/database.env"],
  ],
  ["npm start", { DOWNLOADS_DISK: {} }, ["in the environment of npm start", "in the environment of npm start"]],
])("without settings on %s, the required ones are named with the way to set them there", (_where, bindings, ways) => {
  const settings = parseSettings({ ...bindings, BELLHOP_SECRET: "", DATABASE_URL: null });
  expect(settings.problems).toEqual([
    expect.stringMatching(new RegExp(`^BELLHOP_SECRET is not set\\. .*: ${ways[0]}\\.$`, "u")),
    expect.stringMatching(new RegExp(`^DATABASE_URL is not set\\. .*: ${ways[1]}\\.$`, "u")),
  ]);
  for (const read of [() => settings.secret, () => settings.databaseUrl]) {
    expect(read).toThrow(ProblemError);
    expect(read).toThrow("BELLHOP_SECRET is not set");
  }
});

test("spaces around a value are kept in the secret and removed elsewhere", () => {
  const settings = parseSettings({ ...RIGHT, LOG_LEVEL: " debug\n", OIDC_ISSUER: "  " });
  expect(settings.secret).toBe(RIGHT.BELLHOP_SECRET);
  expect(settings.logLevel).toBe("DEBUG");
  expect([settings.oidc, settings.problems]).toEqual([null, []]);
});

test.each([
  [{ PUBLIC_URL: "https://bellhop.example.com/path/" }, { publicOrigin: "https://bellhop.example.com" }],
  [{ REQUIRE_SECOND_PUBLISHER: "yes" }, { requiresSecondPublisher: true }],
  [{ REQUIRE_SECOND_PUBLISHER: "false" }, { requiresSecondPublisher: false }],
  [{ IDLE_POLL_SECONDS: "x" }, { idlePollSeconds: 60 }],
  [{ BELLHOP_RELEASE_PUBLIC_KEY: "x" }, { releasePublicKey: "wrong" }],
  [{ METRICS_TOKEN: "short" }, { metricsToken: null }],
  [{ OIDC_ISSUER: "http://issuer.example.com", OIDC_CLIENT_ID: "id" }, { oidc: null }],
])("%j", (set, expected) => {
  expect(parseSettings({ ...RIGHT, ...set })).toMatchObject(expected);
});

test("an issuer needs a client or an audience", () => {
  const { problems, oidc } = parseSettings({ ...RIGHT, OIDC_ISSUER: "https://issuer.example.com" });
  expect(problems).toEqual([expect.stringContaining("OIDC_ISSUER needs OIDC_CLIENT_ID")]);
  expect(oidc?.audience).toBeNull();
});

test("a misconfigured channel does not make the deployment unready", () => {
  const { problems, channelsOfEnvironment } = parseSettings({ ...RIGHT, NOTIFY_SMTP_URL: "mail.example.com" });
  expect([problems, channelsOfEnvironment.email.ok]).toEqual([[], false]);
});

test.each([
  ["OTEL_EXPORTER_OTLP_ENDPOINT", "http://otel.example.com:4318"],
  ["OTEL_EXPORTER_OTLP_ENDPOINT", "https://user:password@otel.example.com"],
  ["OTEL_EXPORTER_OTLP_ENDPOINT", "https://otel.example.com?token=secret"],
  ["OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "otel.example.com/v1/traces"],
  ["OTEL_EXPORTER_OTLP_HEADERS", "authorization"],
  ["OTEL_EXPORTER_OTLP_HEADERS", "=secret"],
  ["OTEL_EXPORTER_OTLP_HEADERS", "a b=secret"],
  ["OTEL_EXPORTER_OTLP_HEADERS", "a=%E0%A4%A"],
  ["OTEL_EXPORTER_OTLP_HEADERS", "a=x%0D%0AHost: other"],
  ["OTEL_EXPORTER_OTLP_HEADERS", "a="],
  ["OTEL_EXPORTER_OTLP_HEADERS", "a=1,A=2"],
  ["OTEL_EXPORTER_OTLP_HEADERS", "Content-Type=text/plain"],
  ["OTEL_EXPORTER_OTLP_HEADERS", ","],
  ["OTEL_TRACES_SAMPLER_ARG", "1.1"],
  ["OTEL_TRACES_SAMPLER_ARG", "-0"],
  ["OTEL_TRACES_SAMPLER_ARG", "1e-3"],
])("traces are off while %s is %j, and the problem shows no secret", (name, value) => {
  const { problems, tracing } = parseSettings({
    ...RIGHT,
    OTEL_EXPORTER_OTLP_ENDPOINT: "http://[::1]:4318",
    [name]: value,
  });
  expect(tracing).toBeNull();
  expect(problems).toEqual([expect.stringMatching(new RegExp(`^${name} must `, "u"))]);
  expect(problems[0]).not.toMatch(/secret|user:password/u);
});

test.each([
  [{ OTEL_EXPORTER_OTLP_ENDPOINT: "https://otel.example.com" }, "https://otel.example.com/v1/traces"],
  [{ OTEL_EXPORTER_OTLP_ENDPOINT: "https://otel.example.com/otlp/" }, "https://otel.example.com/otlp/v1/traces"],
  [{ OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: "http://localhost:4318/x" }, "http://localhost:4318/x"],
  [
    { OTEL_EXPORTER_OTLP_ENDPOINT: "https://a.example", OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: "https://b.example" },
    "https://b.example/",
  ],
])("with %j spans go to %s", (set, url) => {
  const { problems, tracing } = parseSettings({
    ...RIGHT,
    ...set,
    OTEL_EXPORTER_OTLP_HEADERS: "Authorization=Bearer%20a%3Db%2Cc, x-scope = 7 ,",
    OTEL_TRACES_SAMPLER_ARG: ".25",
  });
  expect(problems).toEqual([]);
  expect(tracing).toEqual({
    url,
    headers: { authorization: "Bearer a=b,c", "x-scope": "7" },
    share: 0.25,
    serviceName: "bellhop",
  });
});

test("without an address there are no traces", () => {
  expect(parseSettings({ ...RIGHT, OTEL_SERVICE_NAME: "x" })).toMatchObject({ tracing: null, problems: [] });
});

test("an isolate parses its settings once, and logs problems and misspelt names without values", () => {
  const lines: unknown[] = [];
  const spies = (["error", "warn"] as const).map((method) =>
    spyOn(console, method).mockImplementation((line: unknown) => void lines.push(line)),
  );
  const env = { ...RIGHT, METRICS_TOKEN: "short-one", BELLHOP_SECERT: "a-value", GATE: {} };
  expect(settingsOf(env)).toBe(settingsOf(env));
  for (const spy of spies) spy.mockRestore();
  expect(lines).toHaveLength(2);
  expect(lines.join("\n")).toContain("METRICS_TOKEN must have at least 16 characters");
  expect(lines.join("\n")).toContain('"name":"BELLHOP_SECERT","meant":"BELLHOP_SECRET"');
  expect(lines.join("\n")).not.toMatch(/short-one|a-value/u);
});
