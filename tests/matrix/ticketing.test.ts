import { afterAll, beforeAll, expect } from "bun:test";
import { connectionMatrix } from "../support/connection-matrix.ts";
import { eventually } from "../support/eventually.ts";
import { freePort } from "../support/free-port.ts";
import { JIRA_EMAIL, JiraApi } from "../support/jira-api.ts";
import { beginJob, runJob, runUntilTimeOut } from "../support/run-job.ts";
import { ticketingJob } from "../support/ticketing-jobs.ts";

let jira: JiraApi;
beforeAll(async () => {
  jira = await JiraApi.start();
});
afterAll(() => jira.stop());

const issue = (summary: string) => ({
  type: "ticketing" as const,
  action: "ticketing.createIssue",
  params: { projectKey: "OPS", issueType: "Bug", summary },
  ...ticketingJob(jira),
});
const summaries = (): unknown[] => jira.issues.map(({ fields }) => fields["summary"]);

connectionMatrix("ticketing", {
  action: {
    run: async () => {
      const result = await runJob(issue("Disk full"));
      expect(result).toMatchObject({ status: "succeeded", output: { statusCode: 201, issueKey: "OPS-1" } });
      expect(summaries()).toEqual(["Disk full"]);
    },
  },
  "bad credentials": {
    run: async () => {
      const result = await runJob({ ...issue("refused"), secrets: { apiToken: "unknown" } });
      expect(result).toMatchObject({ status: "failed", error: { code: "authentication_failed" } });
      expect(summaries()).not.toContain("refused");
    },
  },
  unreachable: {
    run: async () => {
      const config = { serverUrl: `http://127.0.0.1:${await freePort()}`, email: JIRA_EMAIL };
      const result = await runJob({ ...issue("lost"), config });
      expect(result).toMatchObject({ status: "failed", error: { code: "unreachable" } });
      expect(result.error?.message).toContain("Nothing was sent");
    },
  },
  "time-out": {
    run: async () => {
      const [before, asked] = [jira.abandoned, jira.requests.length];
      jira.next("hang");
      const result = await runUntilTimeOut(
        issue("too late"),
        "the request arrives",
        () => jira.requests.length > asked,
      );
      expect(result).toMatchObject({ status: "timed_out", error: { code: "timed_out" } });
      expect(result.error?.message).toContain("may have been created");
      await eventually("Jira sees the caller go", () => jira.abandoned === before + 1);
    },
  },
  cancel: {
    run: async () => {
      const [before, asked] = [jira.abandoned, jira.requests.length];
      jira.next("hang");
      const job = await beginJob(issue("never mind"));
      await eventually("the request arrives", () => jira.requests.length > asked);
      job.cancel();
      expect(await job.result).toMatchObject({ status: "cancelled", error: { code: "cancelled" } });
      await eventually("Jira sees the caller go", () => jira.abandoned === before + 1);
    },
  },
  "oversize output": {
    run: async () => {
      jira.next("oversize");
      const result = await runJob(issue("long answer"));
      expect(result).toMatchObject({ status: "succeeded", output: { truncated: true } });
      expect(result.output?.["issueKey"]).toBe(jira.issues.at(-1)?.key);
      expect(Buffer.byteLength(JSON.stringify(result.output))).toBeLessThan(524_288);
    },
  },
  "connection test": {
    run: async () => {
      const result = await runJob({ type: "ticketing", action: null, ...ticketingJob(jira) });
      expect(result).toMatchObject({ status: "succeeded", output: { ok: true } });
      expect(JSON.stringify(result.output?.["checks"])).toContain("Bellhop Robot");
      return [result.output?.["checks"]];
    },
  },
});
