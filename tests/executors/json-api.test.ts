import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { ExecutorFailure } from "../../agent/executors/shared/failures.ts";
import {
  createJsonApi,
  type ApiRequest,
  type JsonApiOptions,
  rateLimited,
} from "../../agent/executors/shared/json-api.ts";
import { parsedObject } from "../../agent/executors/shared/json-members.ts";
import { retryPauseMs } from "../../agent/executors/shared/retry-pause.ts";
import { selfSigned } from "../support/certificate.ts";
import { eventually } from "../support/eventually.ts";
import { failureOf, runAction, temporaryState } from "../support/executor-context.ts";
import { FakeApi, type FakeAnswer, type FakeRequest } from "../support/fake-api.ts";
import { startHttpProxy } from "../support/http-proxy.ts";
import { JiraApi } from "../support/jira-api.ts";
import { SlackApi } from "../support/slack-api.ts";
import { chatJob } from "../support/chat-jobs.ts";
import { ticketingJob } from "../support/ticketing-jobs.ts";
import { TeamsWebhook } from "../support/teams-webhook.ts";

class Echo extends FakeApi {
  protected answer({ body }: FakeRequest): FakeAnswer {
    return { status: 200, json: { done: true, body } };
  }
}

describe("the client of a vendor's API", () => {
  let peer: Echo;
  beforeEach(async () => {
    peer = await new Echo({}).listen();
  });
  afterEach(() => peer.stop());

  const call = (options: Partial<JsonApiOptions> = {}, request: Partial<ApiRequest> = {}) =>
    createJsonApi({
      peer: "Echo",
      signal: new AbortController().signal,
      timeoutMs: 30_000,
      secrets: [],
      environment: {},
      ...options,
    }).call({
      method: "POST",
      url: new URL(`${peer.origin}/work`),
      headers: { authorization: "Bearer secret-token" },
      json: { a: 1 },
      mayHave: "It may have been done.",
      ...request,
    });
  const failing = async (work: Promise<unknown>): Promise<ExecutorFailure> => {
    const error = await work.then(
      () => null,
      (reason: unknown) => reason,
    );
    if (error instanceof ExecutorFailure) return error;
    throw new Error(`no failure: ${String(error)}`);
  };

  test("sends JSON in UTF-8 and reads JSON", async () => {
    const { members, output, status } = await call();
    expect({ members, status }).toEqual({ members: { done: true, body: '{"a":1}' }, status: 200 });
    expect(output).toEqual({ statusCode: 200, body: { done: true, body: '{"a":1}' } });
    expect(peer.requests[0]?.headers).toMatchObject({
      "content-type": "application/json; charset=utf-8",
      accept: "application/json",
    });
  });

  test("reaches private addresses without ALLOW_PRIVATE_NETWORK, which is for the HTTP executor", async () => {
    const slack = await SlackApi.start();
    const job = { ...chatJob(slack), params: { text: "x" }, allowPrivateNetwork: false };
    expect((await runAction("chat", "chat.sendMessage", job)).status).toBe("succeeded");
    await slack.stop();
  });

  test("abandons an overdue answer and closes the connection", async () => {
    peer.next("hang");
    const { code, message } = await failing(call({ answerTimeoutMs: 100 }));
    expect(code).toBe("no_answer");
    expect(message).toContain("0.1 s. It may have been done.");
    await eventually("the peer sees the caller go", () => peer.abandoned === 1);
  });

  test("ends with its job, and says whether the request was sent", async () => {
    peer.next("hang");
    const job = new AbortController();
    const sent = failing(call({ signal: job.signal }));
    await eventually("the request arrives", () => peer.requests.length === 1);
    job.abort();
    expect(await sent).toMatchObject({ code: "job_ended", message: expect.stringContaining("It may have been done.") });
    await eventually("the peer sees the caller go", () => peer.abandoned === 1);
    const before = await failing(call({ signal: AbortSignal.abort() }));
    expect(before).toMatchObject({ code: "job_ended", message: expect.stringContaining("Nothing was sent.") });
  });

  test("ends with its job during a rate limit's wait, and says that nothing was done", async () => {
    peer.next({ answer: { status: 429, headers: { "retry-after": "20" } } });
    const job = new AbortController();
    const waiting = failing(call({ signal: job.signal }));
    await eventually("the client has read the answer", () => peer.requests.length === 1 && peer.openConnections === 0);
    job.abort();
    const { code, message } = await waiting;
    expect(code).toBe("job_ended");
    expect(message).toContain("nothing was done");
    expect(peer.requests).toHaveLength(1);
  });

  test("does not guess the wait of a rate limit", async () => {
    peer.next({ answer: { status: 429 } });
    const { code, message } = await failing(call());
    expect(code).toBe("rate_limited");
    expect(message).toContain("does not say for how long");
  });

  test.each(["0", "-1", "2001-01-01", "-5 apples"])("does not flood a rate limit of %s", async (wait) => {
    const answer: FakeAnswer = { status: 429, headers: { "retry-after": wait } };
    peer.next(...Array.from({ length: 20 }, () => ({ answer })));
    // The pauses of 250, 500 and 1,000 ms do not fit, because the request itself needs time, too.
    const { code } = await failing(call({ timeoutMs: 3_500 }));
    expect(code).toBe("rate_limited");
    expect(peer.requests.length).toBeLessThanOrEqual(wait === "0" ? 3 : 1);
  });

  test("sends nothing when the job ended before the request was built", async () => {
    const job = new AbortController();
    setTimeout(() => job.abort(), 1);
    const made = performance.now() + 20;
    while (performance.now() < made);
    expect(job.signal.aborted).toBe(false);
    const { code, message } = await failing(call({ signal: job.signal }));
    expect(code).toBe("job_ended");
    expect(message).toContain("Nothing was sent.");
    expect(peer.requests).toEqual([]);
  });

  test("says that nothing was sent when nothing listens", async () => {
    const { code, message } = await failing(call({}, { url: new URL("http://127.0.0.1:9/") }));
    expect(code).toBe("unreachable");
    expect(message).toContain("Nothing was sent.");
  });

  test("keeps 256 KiB of an endless answer, and reads the fields at its beginning", async () => {
    peer.next("oversize");
    const { members, output } = await call();
    expect(members).toMatchObject({ done: true, body: '{"a":1}' });
    expect(output["truncated"]).toBe(true);
    expect(Buffer.byteLength(String(output["body"]))).toBeLessThanOrEqual(262_144);
  });

  test("uses the proxy of the environment", async () => {
    const port = Number(new URL(peer.origin).port);
    const proxy = await startHttpProxy({ targetPort: port });
    const { status } = await call(
      { environment: { HTTP_PROXY: `http://127.0.0.1:${proxy.port}` } },
      { url: new URL("http://vendor.invalid/work") },
    );
    await proxy.close();
    expect(status).toBe(200);
    expect(proxy.heads).toHaveLength(1);
  });
});

describe("vendors' APIs over TLS", () => {
  test("are reached with a private certificate authority, and refused without", async () => {
    const certificate = await selfSigned("IP:127.0.0.1");
    const [slack, jira, teams] = await Promise.all([
      SlackApi.start({ tls: certificate }),
      JiraApi.start({ tls: certificate }),
      TeamsWebhook.start("workflow", { tls: certificate }),
    ]);
    const jobs = [
      ["chat", "chat.sendMessage", { ...chatJob(slack), params: { text: "x" } }],
      [
        "ticketing",
        "ticketing.addComment",
        { ...ticketingJob(jira), params: { issueKey: jira.issue().key, body: "x" } },
      ],
      ["teamchat", "teamchat.sendMessage", { secrets: { webhookUrl: teams.url }, params: { text: "x" } }],
    ] as const;
    for (const [type, action, job] of jobs) {
      const { code, message } = failureOf(await runAction(type, action, job));
      expect(code).toBe("tls_error");
      expect(message).toContain("NODE_EXTRA_CA_CERTS");
      expect(message).not.toContain("verifySsl");
    }
    // The runtime reads NODE_EXTRA_CA_CERTS at its start, so this needs a separate process.
    const state = await temporaryState();
    const authority = join(state.path, "authority.pem");
    await writeFile(authority, certificate.cert);
    const module = join(import.meta.dir, "../support/executor-context.ts");
    const program = `
      const { runAction } = await import(${JSON.stringify(module)});
      for (const [type, action, job] of ${JSON.stringify(jobs)}) {
        const outcome = await runAction(type, action, job);
        console.log(outcome.error?.message ?? outcome.status);
      }`;
    const child = Bun.spawn([process.execPath, "-e", program], {
      env: { ...process.env, NODE_EXTRA_CA_CERTS: authority },
      stdio: ["ignore", "pipe", "inherit"],
    });
    const said = await new Response(child.stdout).text();
    await state.remove();
    expect(said.trim().split("\n")).toEqual(["succeeded", "succeeded", "succeeded"]);
    expect([slack.messages("C0INCIDENTS").length, jira.issues[0]?.comments.length, teams.cards.length]).toEqual([
      1, 1, 1,
    ]);
    await Promise.all([slack.stop(), jira.stop(), teams.stop()]);
  });
});

describe("a request that hit a rate limit", () => {
  test.each([
    [0, 1, 250],
    [0, 2, 500],
    [0, 7, 16_000],
    [0, 8, 30_000],
    [5_000, 1, 5_000],
    [600, 3, 1_000],
    [0, 9, Infinity],
    [1_000, 9, Infinity],
    [null, 1, Infinity],
  ])("with a wait of %p ms for the %p. time is repeated after %p ms", (wantedMs, refusals, pauseMs) => {
    expect(retryPauseMs(wantedMs, refusals)).toBe(pauseMs);
  });

  test.each([
    [null, 1, "does not say for how long"],
    [30_000, 1, "It asks to wait 30 s, and the wait and another attempt do not fit into this action's time"],
    [0, 5, "It asks to wait 0 s, and refused 5 attempts"],
  ])("fails after a wait of %p ms and %p attempts, and says why", (wantedMs, refusals, part) => {
    const { code, message } = rateLimited("Echo", wantedMs, {}, refusals);
    expect(code).toBe("rate_limited");
    expect(message).toContain(part);
  });
});

describe("a cut JSON object", () => {
  test.each([
    ['{"ok":true,"ts":"1.2","n":-1.5e3,"x":null,"message":{"text":"ab', { ok: true, ts: "1.2", n: -1500, x: null }],
    ['  { "a" : "quote \\" and \\u00fc" , "b":"cut', { a: 'quote " and ü' }],
    ['{"a":[1],"ok":true,', {}],
    ['{"a":1', {}],
    ["[1,2", {}],
    ["", {}],
  ])("%s keeps its complete first members", (text, members) => {
    expect(parsedObject(text, true)).toEqual(members);
  });

  test("is parsed in linear time", () => {
    expect(parsedObject(`{"a":"${'\\"'.repeat(120_000)}`, true)).toEqual({});
    expect(Object.keys(parsedObject(`{${'"a":1,'.repeat(40_000)}`, true))).toEqual(["a"]);
  });
});
