import { afterEach, describe, expect, spyOn, test } from "bun:test";
import type { LogLevel } from "../../schema/settings/parse.ts";
import { logDebug, logError, logInfo, logWarning, setLogLevel, withLogFields } from "../../worker/services/log.ts";
import { mintAgentKey, mintApiToken, mintIntegrationKey, mintWebhookKey } from "../../worker/services/keys.ts";

test("the values of a failed query's parameters do not reach the log", () => {
  const written = spyOn(console, "error").mockImplementation(() => {});
  try {
    logError("it failed", {
      error: "Error: Failed query: insert into t values (?)\nparams: canary-value,second\n  more",
    });
    const line = String(written.mock.calls[0]?.[0]);
    expect(line).not.toContain("canary-value");
    expect(JSON.parse(line)).toEqual({
      level: "ERROR",
      message: "it failed",
      error: "Error: Failed query: insert into t values (?)",
    });
  } finally {
    written.mockRestore();
  }
});

const SERVER_SECRET = "log-test-secret-0123456789-0123456789";

describe("the log masks text in the form of the service's secrets:", () => {
  const { webhookKey, webhookSecret } = mintWebhookKey(SERVER_SECRET);
  const agent = mintAgentKey(SERVER_SECRET);
  const integration = mintIntegrationKey(SERVER_SECRET);
  test.each([
    ["an agent's key", agent.key, `${agent.prefix}_…`],
    ["an integration's key", integration.key, `${integration.prefix}_…`],
    ["an API token", mintApiToken(SERVER_SECRET), "bht_…"],
    ["a webhook's secret", webhookSecret, "whs_…"],
    ["a webhook's key", webhookKey, "wh…"],
  ])("%s", (_what, secret, shown) => {
    const [line] = written(() => logError("it failed", { error: `at /webhooks/${secret}?x=1, "${secret}"` }));
    expect(line).toEqual({ level: "ERROR", message: "it failed", error: `at /webhooks/${shown}?x=1, "${shown}"` });
  });
});

describe("LOG_LEVEL", () => {
  afterEach(() => setLogLevel("INFO"));

  test.each([
    ["DEBUG", ["DEBUG", "INFO", "WARNING", "ERROR"]],
    ["INFO", ["INFO", "WARNING", "ERROR"]],
    ["WARNING", ["WARNING", "ERROR"]],
    ["ERROR", ["ERROR"]],
  ] satisfies [LogLevel, LogLevel[]][])("%s", (level, levels) => {
    setLogLevel(level);
    const lines = written(() => {
      for (const log of [logDebug, logInfo, logWarning, logError]) log("it happened", {});
    });
    expect(lines.map((line) => line["level"])).toEqual(levels);
  });
});

test("a line has the fields of every scope around it, also after an await, and none of other scopes", async () => {
  const lines = await writtenBy(async () => {
    await Promise.all(
      ["a", "b"].map((requestId) =>
        withLogFields({ requestId }, async () => {
          await Promise.resolve();
          withLogFields({ executionId: `exe_${requestId}` }, () => logWarning("inside", {}));
          logWarning("outside", { more: 1 });
        }),
      ),
    );
    logWarning("beside", {});
  });
  expect(lines).toContainEqual({ level: "WARNING", message: "inside", requestId: "a", executionId: "exe_a" });
  expect(lines).toContainEqual({ level: "WARNING", message: "outside", requestId: "b", more: 1 });
  expect(lines).toContainEqual({ level: "WARNING", message: "beside" });
});

/** The lines that `work` writes, at any level. */
function written(work: () => void): Record<string, unknown>[] {
  const { lines, restore } = listen();
  try {
    work();
  } finally {
    restore();
  }
  return lines;
}

async function writtenBy(work: () => Promise<void>): Promise<Record<string, unknown>[]> {
  const { lines, restore } = listen();
  try {
    await work();
  } finally {
    restore();
  }
  return lines;
}

function listen() {
  const lines: Record<string, unknown>[] = [];
  const spies = (["debug", "log", "warn", "error"] as const).map((name) =>
    spyOn(console, name).mockImplementation((line) => void lines.push(JSON.parse(String(line)))),
  );
  return { lines, restore: () => spies.forEach((spy) => spy.mockRestore()) };
}
