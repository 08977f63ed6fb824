import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { documentOf } from "../../agent/executors/ticketing/document.ts";
import { failureOf, outputOf, runAction } from "../support/executor-context.ts";
import { JIRA_EMAIL, JIRA_TOKEN, JiraApi } from "../support/jira-api.ts";
import { ticketing, ticketingJob } from "../support/ticketing-jobs.ts";

const NEW = { projectKey: "OPS", issueType: "Bug", summary: "Disk full" };

describe("an issue in Jira", () => {
  let jira: JiraApi;
  beforeEach(async () => {
    jira = await JiraApi.start();
  });
  afterEach(async () => {
    expect(jira.problems).toEqual([]);
    await jira.stop();
  });

  test("is created with its description as a document, and the output has its key and page", async () => {
    const params = { ...NEW, description: "98 % on db-1\n- /var", fields: { labels: ["disk"] } };
    const output = outputOf(await ticketing(jira, "createIssue", params));
    expect(output).toMatchObject({
      statusCode: 201,
      issueKey: "OPS-1",
      issueUrl: `${jira.origin}/browse/OPS-1`,
      body: { key: "OPS-1" },
    });
    expect(jira.issues[0]?.fields).toEqual({
      project: { key: "OPS" },
      issuetype: { name: "Bug" },
      summary: "Disk full",
      description: documentOf("98 % on db-1\n- /var"),
      labels: ["disk"],
    });
  });

  test("is created with ids of project and type, and a one-line summary", async () => {
    const params = { projectKey: "10001", issueType: "10010", summary: "Disk full\n  on db-1\n" };
    outputOf(await ticketing(jira, "createIssue", params));
    expect(jira.issues[0]?.fields).toEqual({
      project: { id: "10001" },
      issuetype: { id: "10010" },
      summary: "Disk full on db-1",
    });
  });

  test("may have its description in fields, as text or as a document", async () => {
    outputOf(await ticketing(jira, "createIssue", { ...NEW, fields: { description: "plain", environment: "prod" } }));
    outputOf(await ticketing(jira, "createIssue", { ...NEW, fields: { description: documentOf("made") } }));
    expect(jira.issues.map(({ fields }) => fields["description"])).toEqual([documentOf("plain"), documentOf("made")]);
    expect(jira.issues[0]?.fields["environment"]).toEqual(documentOf("prod"));
  });

  test.each([
    [{ ...NEW, fields: { summary: "other" } }, "summary"],
    [{ ...NEW, fields: { project: { key: "SECRET" } } }, "project"],
    [{ ...NEW, fields: { issuetype: { name: "Task" } } }, "issuetype"],
    [{ ...NEW, description: "a", fields: { description: "b" } }, "description"],
    [{ ...NEW, projectKey: " " }, "projectKey"],
    [{ ...NEW, summary: "" }, "summary"],
    [{ projectKey: "OPS", summary: "x" }, "issueType"],
    [{ ...NEW, priority: "High" }, "priority"],
  ])("is not created from invalid parameters: %j", async (params, named) => {
    const { code, message } = failureOf(await ticketing(jira, "createIssue", params));
    expect(code).toBe("invalid_params");
    expect(message).toContain(named);
    expect(jira.requests).toEqual([]);
  });

  test("has no description if none of its characters is visible", async () => {
    outputOf(
      await ticketing(jira, "createIssue", { ...NEW, description: "\u0007", fields: { environment: "\u001b[0m" } }),
    );
    expect(jira.issues[0]?.fields).not.toHaveProperty("description");
    expect(jira.issues[0]?.fields).toHaveProperty("environment", null);
  });

  test("is found by its number, and the output then has no page", async () => {
    const issue = jira.issue();
    const output = outputOf(await ticketing(jira, "addComment", { issueKey: issue.id, body: "x" }));
    expect(output).toMatchObject({ statusCode: 201, issueKey: issue.id });
    expect(output).not.toHaveProperty("issueUrl");
    expect(issue.comments).toHaveLength(1);
  });

  test("is updated, and its text fields become documents", async () => {
    const issue = jira.issue({ summary: "old", labels: ["a"] });
    const fields = { summary: "new", description: "text", environment: "" };
    const output = outputOf(await ticketing(jira, "updateIssue", { issueKey: "OPS-1", fields }));
    expect(output).toMatchObject({ statusCode: 204, issueKey: "OPS-1" });
    expect(issue.fields).toEqual({ summary: "new", labels: ["a"], description: documentOf("text"), environment: null });
  });

  test("gets a comment", async () => {
    const issue = jira.issue();
    const output = outputOf(
      await ticketing(jira, "addComment", { issueKey: " OPS-1 ", body: "On it.\nSee https://a.example" }),
    );
    expect(output).toMatchObject({ statusCode: 201, issueKey: "OPS-1", body: { id: "1" } });
    expect(issue.comments).toEqual([documentOf("On it.\nSee https://a.example")]);
  });

  test.each(["OPS-1/../../myself", "OPS-1?expand=x", "../OPS-1", "OPS-1\nX", "OPS", "OPS-", "%4fPS-1", "OPS-1 OPS-2"])(
    "with the key %j is refused before any request",
    async (issueKey) => {
      const failures = [
        failureOf(await ticketing(jira, "updateIssue", { issueKey, fields: { summary: "x" } })),
        failureOf(await ticketing(jira, "addComment", { issueKey, body: "x" })),
        failureOf(await ticketing(jira, "transitionIssue", { issueKey, transition: "Done" })),
      ];
      for (const { code, message } of failures) {
        expect(code).toBe("invalid_params");
        expect(message).toContain("issueKey");
      }
      expect(jira.requests).toEqual([]);
    },
  );

  test.each([
    ["updateIssue", { issueKey: "OPS-1", fields: {} }, "fields"],
    ["addComment", { issueKey: "OPS-1", body: " \n" }, "body"],
    ["addComment", { issueKey: "OPS-1", body: "\u0007" }, "body"],
    ["addComment", { issueKey: "OPS-1", body: "\u001b[31m\n\u001b[0m" }, "body"],
    ["transitionIssue", { issueKey: "OPS-1", transition: "" }, "transition"],
  ])("is refused by %s with %j", async (action, params, named) => {
    const { code, message } = failureOf(await ticketing(jira, action, params));
    expect(code).toBe("invalid_params");
    expect(message).toContain(named);
  });

  test.each(["/", "/jira", "/jira/", "/jira/rest/api/3", "/jira/rest/"])(
    "is found with a server address that ends with %s",
    async (path) => {
      jira.issue();
      const config = { serverUrl: `${jira.origin}${path}`, email: JIRA_EMAIL };
      const params = { issueKey: "OPS-1", fields: { summary: "x" } };
      const job = { ...ticketingJob(jira), config, params };
      // The API's description has only the paths of a site at the root.
      const prefix = path.startsWith("/jira") ? "/jira" : "";
      const outcome = await runAction("ticketing", "ticketing.updateIssue", job);
      expect(jira.requests[0]?.path).toBe(`${prefix}/rest/api/3/issue/OPS-1`);
      if (prefix === "") expect(outputOf(outcome)["issueUrl"]).toBe(`${jira.origin}/browse/OPS-1`);
      jira.problems.length = 0;
    },
  );
});

describe("a transition of a Jira issue", () => {
  let jira: JiraApi;
  beforeEach(async () => {
    jira = await JiraApi.start();
  });
  afterEach(async () => {
    expect(jira.problems).toEqual([]);
    await jira.stop();
  });

  test.each([
    ["its id", "11", "In Progress"],
    ["its name", "Start work", "In Progress"],
    ["its name in any case", "start WORK ", "In Progress"],
    ["its target status", "in progress", "In Progress"],
    ["its name, although two lead to that status", "Close", "Done"],
  ])("is found by %s", async (_how, transition, status) => {
    const issue = jira.issue();
    const output = outputOf(await ticketing(jira, "transitionIssue", { issueKey: "OPS-1", transition }));
    expect(output).toMatchObject({ statusCode: 204, issueKey: "OPS-1", changed: true });
    expect(issue.status).toBe(status);
  });

  test("that differs from another one only in case is found by its exact name", async () => {
    const issue = jira.issue({}, "In Progress");
    outputOf(await ticketing(jira, "transitionIssue", { issueKey: "OPS-1", transition: "escalate" }));
    expect(issue.status).toBe("Waiting");
  });

  test.each([
    ["To Do", "done", ["Reject (id 21", "Close (id 31"]],
    ["In Progress", "eSCALATE", ["id 41", "id 42", "id 43"]],
    ["In Progress", "waiting", ["id 42", "id 43"]],
  ])(
    "from %s by %s is ambiguous: the error lists all matches, and the issue does not move",
    async (status, transition, parts) => {
      const issue = jira.issue({}, status);
      const { code, message } = failureOf(await ticketing(jira, "transitionIssue", { issueKey: "OPS-1", transition }));
      expect(code).toBe("invalid_params");
      for (const part of parts) expect(message).toContain(part);
      expect(issue.status).toBe(status);
    },
  );

  test("that does not exist fails with the existing ones and the issue's status", async () => {
    jira.issue({}, "To Do");
    const { code, message } = failureOf(
      await ticketing(jira, "transitionIssue", { issueKey: "OPS-1", transition: "Reopen" }),
    );
    expect(code).toBe("not_found");
    for (const part of ["Reopen", "To Do", "Start work (id 11, to In Progress)", "Close"])
      expect(message).toContain(part);
  });

  test("to the present status changes nothing, and says so", async () => {
    jira.issue({}, "Done");
    const output = outputOf(await ticketing(jira, "transitionIssue", { issueKey: "OPS-1", transition: "done" }));
    expect(output).toMatchObject({ changed: false, body: { status: "Done" }, issueKey: "OPS-1" });
    expect(jira.requests.map(({ method }) => method)).toEqual(["GET", "GET"]);
  });

  test("of an issue without transitions says that there are none", async () => {
    jira.issue({}, "Done");
    const { message } = failureOf(await ticketing(jira, "transitionIssue", { issueKey: "OPS-1", transition: "Close" }));
    expect(message).toContain("offers this account no transitions");
  });
});

describe("the stand-in for Jira", () => {
  test("accepts the requests of curl, and refuses invalid ones", async () => {
    const jira = await JiraApi.start();
    const curl = async (path: string, ...args: string[]): Promise<string> => {
      const child = Bun.spawn(["curl", "--silent", "--noproxy", "*", `${jira.origin}/rest/api/3/${path}`, ...args], {
        stdio: ["ignore", "pipe", "inherit"],
      });
      return await new Response(child.stdout).text();
    };
    const login = ["--user", `${JIRA_EMAIL}:${JIRA_TOKEN}`];
    const json = ["-H", "Content-Type: application/json", "-d"];
    const fields = { project: { key: "OPS" }, issuetype: { name: "Bug" }, summary: "by hand" };
    expect(await curl("issue", ...login, ...json, JSON.stringify({ fields }))).toContain('"key":"OPS-1"');
    const plain = { fields: { ...fields, description: "plain" } };
    expect(await curl("issue", ...login, ...json, JSON.stringify(plain))).toContain("Atlassian Document");
    expect(await curl("issue/OPS-1/comment", ...login, ...json, '{"body":"plain"}')).toContain("not valid");
    const empty = '{"body":{"type":"doc","version":1,"content":[]}}';
    expect(await curl("issue/OPS-1/comment", ...login, ...json, empty)).toContain("can not be empty");
    expect(await curl(`issue/${jira.issues[0]?.id}?fields=summary`, ...login)).toContain('"key":"OPS-1"');
    jira.scopes = [];
    expect(await curl("myself", ...login)).toContain("scope does not match");
    jira.scopes = null;
    expect(await curl("issue", ...login, ...json, '{"fields":{},"feilds":{},"update":[]}')).toContain("update");
    expect(await curl("myself", ...login)).toContain("Bellhop Robot");
    expect(await curl("myself", "--user", "a:b")).toContain("must be authenticated");
    expect(jira.issues).toHaveLength(1);
    await jira.stop();
  });
});
