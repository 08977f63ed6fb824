import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { failureOf, outputOf, runTest, type TestJob } from "../support/executor-context.ts";
import { JIRA_EMAIL, JIRA_TOKEN, JiraApi } from "../support/jira-api.ts";
import { ticketing, ticketingJob } from "../support/ticketing-jobs.ts";

const NEW = { projectKey: "OPS", issueType: "Bug", summary: "Disk full" };
let jira: JiraApi;
beforeEach(async () => {
  jira = await JiraApi.start();
});
afterEach(() => jira.stop());

describe("a refusal by Jira", () => {
  test("is reported in one sentence with all wrong fields", async () => {
    const params = { ...NEW, issueType: "Wish", summary: "x".repeat(300), fields: { severity: 1 } };
    const outcome = await ticketing(jira, "createIssue", params);
    const { code, message } = failureOf(outcome);
    expect(code).toBe("rejected");
    for (const part of ["severity: Field", "issuetype: Specify", "summary: Summary must be"])
      expect(message).toContain(part);
    expect(outputOf(outcome)).toMatchObject({ statusCode: 400, body: { errors: { issuetype: expect.any(String) } } });
    expect(jira.issues).toEqual([]);
  });

  test("of plain text in a rich text field suggests the document form", async () => {
    const params = { ...NEW, fields: { customfield_10042: "plain" } };
    const { message } = failureOf(await ticketing(jira, "createIssue", params));
    expect(message).toContain('{"type": "doc"');
  });

  test("for a missing issue says so", async () => {
    const failures = [
      failureOf(await ticketing(jira, "updateIssue", { issueKey: "OPS-9", fields: { summary: "x" } })),
      failureOf(await ticketing(jira, "addComment", { issueKey: "OPS-9", body: "x" })),
      failureOf(await ticketing(jira, "transitionIssue", { issueKey: "OPS-9", transition: "Done" })),
    ];
    for (const { code, message } of failures) {
      expect(code).toBe("not_found");
      expect(message).toContain("Issue does not exist");
      expect(message).toContain("OPS-9");
    }
  });

  test.each([
    [{ status: 401, text: "nope" }, "authentication_failed", "Jira says: nope. The email address and the API token"],
    [{ status: 401, json: {} }, "authentication_failed", "API token"],
    [{ status: 401, text: "" }, "authentication_failed", "refused the login. The email"],
    [
      { status: 401, json: { code: 401, message: "Unauthorized; scope does not match" } },
      "permission_denied",
      "Jira says: Unauthorized; scope does not match. Make a token with the scopes read:jira-work and write:jira-work",
    ],
    [
      {
        status: 404,
        headers: { "x-seraph-loginreason": "AUTHENTICATED_FAILED" },
        json: { errorMessages: ["No project"] },
      },
      "authentication_failed",
      "API token",
    ],
    [
      { status: 401, headers: { "x-authentication-denied-reason": "CAPTCHA_CHALLENGE; login-url=https://a.example" } },
      "authentication_failed",
      "CAPTCHA",
    ],
    [
      { status: 403, json: { errorMessages: ["You cannot create issues."] } },
      "permission_denied",
      "You cannot create issues",
    ],
    [{ status: 413, text: "too large" }, "rejected", "too large"],
    [{ status: 200, text: "<html>", headers: { "content-type": "text/html" } }, "invalid_response", "serverUrl"],
    [{ status: 201, json: { id: "1" } }, "invalid_response", "no key"],
    [{ status: 302, headers: { location: "https://id.example/login" } }, "redirect_not_followed", "https://id.example"],
    [
      { status: 503, text: "<html>gone</html>", headers: { "content-type": "text/html" } },
      "outcome_unknown",
      "may have been created",
    ],
  ])("%#: as %j says what to do", async (answer, expected, excerpt) => {
    jira.next({ answer });
    const { code, message } = failureOf(await ticketing(jira, "createIssue", NEW));
    expect(code).toBe(expected);
    expect(message).toContain(excerpt);
    expect(message).not.toContain(JIRA_TOKEN);
    expect(message).not.toContain("<html>");
    expect(jira.requests).toHaveLength(1);
  });

  test("for missing scopes is not reported as a wrong login", async () => {
    jira.issue();
    jira.scopes = ["read:jira-work"];
    const { code, message } = failureOf(await ticketing(jira, "addComment", { issueKey: "OPS-1", body: "x" }));
    expect(code).toBe("permission_denied");
    for (const part of ["write:jira-work", "scope does not match"]) expect(message).toContain(part);
    expect(message).not.toContain("do not belong together");
    jira.scopes = ["read:jira-work", "write:jira-work"];
    const params = { issueKey: "OPS-1", transition: "Start work" };
    expect((await ticketing(jira, "transitionIssue", params)).status).toBe("succeeded");
  });

  test("to list transitions is not reported as a missing transition", async () => {
    jira.issue();
    jira.next({ answer: { status: 200, json: ["nothing"] } });
    const { code, message } = failureOf(
      await ticketing(jira, "transitionIssue", { issueKey: "OPS-1", transition: "Close" }),
    );
    expect(code).toBe("invalid_response");
    expect(message).toContain("Nothing was changed");
  });

  test("with a rate limit is retried if the wait fits into the job's time", async () => {
    jira.next({ answer: { status: 429, headers: { "retry-after": "1" }, text: "" } });
    outputOf(await ticketing(jira, "createIssue", NEW));
    expect(jira.issues).toHaveLength(1);
    jira.next({ answer: { status: 429, headers: { "retry-after": "3600" }, text: "" } });
    const { code, message } = failureOf(await ticketing(jira, "createIssue", NEW));
    expect(code).toBe("rate_limited");
    expect(message).toContain("3600 s");
    expect(jira.issues).toHaveLength(1);
  });

  test.each(["drop", "break off"] as const)(
    "%s: the issue may have been created, and is not sent again",
    async (trouble) => {
      jira.next(trouble);
      const { code, message } = failureOf(await ticketing(jira, "createIssue", NEW));
      expect(code).toBe("connection_lost");
      expect(message).toContain("may have been created");
      expect(jira.issues).toHaveLength(1);
    },
  );

  test("is not assumed from an endless answer: the output has the new issue's key", async () => {
    jira.next("oversize");
    const output = outputOf(await ticketing(jira, "createIssue", NEW));
    expect(output).toMatchObject({ truncated: true, issueKey: "OPS-1" });
  });

  test.each([
    [{ secrets: null }, "credential_missing"],
    [{ secrets: { apiToken: "" } }, "credential_missing"],
    [{ config: { serverUrl: "http://jira.example.com", email: JIRA_EMAIL } }, "invalid_config"],
    [{ config: { serverUrl: "jira.example.com", email: JIRA_EMAIL } }, "invalid_config"],
    [{ config: { serverUrl: "https://jira.example.com" } }, "invalid_config"],
  ])("is anticipated by the agent, without a request: %j", async (job, expected) => {
    expect(failureOf(await ticketing(jira, "createIssue", NEW, job)).code).toBe(expected);
    expect(jira.requests).toEqual([]);
  });
});

describe("the test of a ticketing connection", () => {
  const checks = async (job: TestJob = {}) => {
    const all = await runTest("ticketing", { ...ticketingJob(jira), ...job });
    return { names: all.map(({ name, ok }) => `${name} ${ok}`), last: all.at(-1)?.detail ?? "" };
  };

  test("names the account", async () => {
    const { names, last } = await checks();
    expect(names).toEqual(["API reachable true", "Authentication true"]);
    expect(last).toContain("Bellhop Robot");
    expect(jira.problems).toEqual([]);
  });

  test("ends at a refused token", async () => {
    const { names, last } = await checks({ secrets: { apiToken: "a-wrong-token" } });
    expect(names).toEqual(["API reachable true", "Authentication false"]);
    expect(last).toContain("email");
    expect(last).not.toContain("a-wrong-token");
  });

  test("ends at a token that may not read its account", async () => {
    jira.scopes = ["read:jira-work", "write:jira-work"];
    const { names, last } = await checks();
    expect(names).toEqual(["API reachable true", "Authentication false"]);
    expect(last).toContain("read:jira-user");
    jira.scopes = ["read:jira-user"];
    expect((await checks()).names).toEqual(["API reachable true", "Authentication true"]);
  });

  test("without a token says that Jira is reachable, and what to deliver", async () => {
    const { names, last } = await checks({ secrets: null });
    expect(names).toEqual(["API reachable true", "Authentication false"]);
    expect(last).toContain("apiToken");
  });

  test.each([
    { status: 200, text: "hello" },
    { status: 200, text: "<html>", headers: { "content-type": "text/html" } },
    { status: 404, text: "not here" },
    { status: 500, text: "oh" },
  ])("ends at a server that is not Jira: %j", async (answer) => {
    jira.next({ answer });
    expect((await checks()).names).toEqual(["API reachable false"]);
  });

  test("ends at an address where nothing listens", async () => {
    const { names, last } = await checks({ config: { serverUrl: "http://127.0.0.1:9", email: JIRA_EMAIL } });
    expect(names).toEqual(["API reachable false"]);
    expect(last).toContain("127.0.0.1:9");
  });
});
