import { afterEach, describe, expect, test } from "bun:test";
import { eventually } from "../support/eventually.ts";
import { refuse } from "../support/fake-service-http.ts";
import { Parts } from "./parts.ts";
import type { PartsOptions } from "./parts.ts";

let parts: Parts | undefined;
afterEach(async () => {
  await parts?.stop();
  parts = undefined;
});

/** An agent that has run `count` jobs and has not sent their results yet. */
async function withResults(count: number, options: PartsOptions = {}): Promise<{ agent: Parts; ids: string[] }> {
  const agent = await Parts.start({ maxConcurrentJobs: 50, ...options });
  parts = agent;
  const ids = Array.from({ length: count }, () => agent.service.enqueue().id);
  await agent.poll();
  for (const id of ids) agent.executor.end(id, { status: "succeeded", output: { stdout: `from ${id}` } });
  await agent.runner.idle();
  return { agent, ids };
}

describe("an acknowledgement", () => {
  for (const ack of ["accepted", "duplicate", "stale", "unknown"] as const) {
    test(`of ${ack} removes the result from the journal`, async () => {
      const { agent } = await withResults(1);
      agent.service.forceAck = ack;
      await agent.sender.send();
      expect(agent.journal.held()).toEqual([]);
      await agent.sender.send();
      expect(agent.service.results).toHaveLength(1);
    });
  }

  test("of retry keeps the result for the next poll, and does not send it again immediately", async () => {
    const { agent, ids } = await withResults(2);
    agent.service.forceAck = "retry";
    await agent.sender.send();
    expect(agent.service.callsTo("results")).toHaveLength(1);
    expect(agent.journal.owed()).toHaveLength(2);
    agent.service.forceAck = null;
    await agent.poll();
    expect(agent.journal.owed()).toEqual([]);
    expect(agent.service.resultsOf(ids[0] ?? "").map(({ ack }) => ack)).toEqual(["retry", "accepted"]);
  });

  test("that is missing keeps the result", async () => {
    const { agent } = await withResults(1);
    agent.service.fault("results", (_request, response) => response.end('{"success":true,"data":{"acks":[]}}'));
    await agent.sender.send();
    expect(agent.journal.owed()).toHaveLength(1);
  });

  test("for jobs that were never reported changes nothing", async () => {
    const { agent } = await withResults(1);
    agent.service.enqueue();
    await agent.poll();
    const running = agent.journal.held();
    const acks = running.map((ref) => ({ ...ref, ack: "accepted" }));
    acks.push({ jobId: "job_x", lease: "l", ack: "accepted" });
    agent.service.enqueue();
    agent.service.fault("results", (_request, response) =>
      response.end(JSON.stringify({ success: true, data: { acks } })),
    );
    await agent.sender.send();
    expect(agent.journal.held()).toEqual(running);
  });
});

test("several finished results go in one call", async () => {
  const { agent, ids } = await withResults(3);
  await agent.sender.send();
  expect(agent.service.callsTo("results")).toHaveLength(1);
  expect(agent.service.results.map(({ jobId }) => jobId)).toEqual(ids);
});

test("large results are split into calls of about eight megabytes", async () => {
  const agent = await Parts.start({ maxConcurrentJobs: 50 });
  parts = agent;
  const ids = Array.from({ length: 20 }, () => agent.service.enqueue().id);
  await agent.poll();
  const stdout = "x".repeat(500_000);
  for (const id of ids) agent.executor.end(id, { status: "succeeded", output: { stdout } });
  await agent.runner.idle();
  await agent.sender.send();
  expect(agent.service.callsTo("results").map(({ body }) => JSON.stringify(body).length < 8_400_000)).toEqual([
    true,
    true,
  ]);
  expect(agent.journal.owed()).toEqual([]);
});

test("a caller that waits for results in transit stops waiting when its signal aborts", async () => {
  const { agent } = await withResults(1);
  const { promise: mayAnswer, resolve: answer } = Promise.withResolvers<void>();
  agent.service.fault("results", (_request, response) => void mayAnswer.then(() => response.destroy()));
  const sending = agent.sender.send();
  await eventually("the call that is not answered", () => agent.service.callsTo("results").length === 1);
  const impatient = new AbortController();
  const waiting = agent.sender.send(impatient.signal);
  impatient.abort();
  await waiting;
  expect(agent.journal.owed()).toHaveLength(1);
  answer();
  await sending;
});

test("concurrent sends send each result once", async () => {
  const { agent } = await withResults(2);
  await Promise.all([agent.sender.send(), agent.sender.send(), agent.poll()]);
  expect(agent.service.results).toHaveLength(2);
});

describe("a service that fails", () => {
  test("gets no results during the back-off, and then gets them", async () => {
    const { agent } = await withResults(1);
    agent.service.refuseOnce("results", 503, "unavailable", { "Retry-After": "20" });
    await agent.sender.send();
    agent.clock.advance(19_999);
    await agent.sender.send();
    expect(agent.service.callsTo("results")).toHaveLength(1);
    agent.clock.advance(1);
    await agent.sender.send();
    expect(agent.journal.owed()).toEqual([]);
  });

  test("gets the results after the first successful poll after an outage", async () => {
    const { agent } = await withResults(1);
    agent.service.refuseOnce("results", 503, "unavailable", { "Retry-After": "20" });
    agent.service.refuseOnce("jobs", 503, "unavailable");
    await agent.poll();
    expect(agent.journal.owed()).toHaveLength(1);
    await agent.poll();
    expect(agent.journal.owed()).toEqual([]);
  });

  test("for results only gets none during the back-off, even while it answers polls", async () => {
    const { agent } = await withResults(1);
    agent.service.refuseOnce("results", 503, "unavailable", { "Retry-After": "20" });
    for (let polls = 0; polls < 3; polls++) await agent.poll();
    expect(agent.service.callsTo("results")).toHaveLength(1);
  });

  test("for a whole batch gets each result in its own call, with its output", async () => {
    const { agent, ids } = await withResults(3);
    const [, poison] = ids;
    const refusePoison = () =>
      agent.service.fault("results", (_request, response) => refuse(response, 400, "invalid_request"));
    refusePoison();
    await agent.sender.send();
    // The whole batch was refused: now each goes alone, and all of them are accepted.
    expect(agent.service.callsTo("results")).toHaveLength(4);
    expect(agent.journal.owed()).toEqual([]);
    expect(agent.service.resultsOf(poison ?? "")[0]?.output).toEqual({ stdout: `from ${poison}` });
  });

  test("with 408 gets the whole batch again, with its outputs", async () => {
    const { agent, ids } = await withResults(2);
    agent.service.refuseOnce("results", 408, "request_timeout");
    await agent.sender.send();
    expect(agent.journal.owed()).toHaveLength(2);
    agent.clock.advance(60_000);
    await agent.sender.send();
    expect(agent.journal.owed()).toEqual([]);
    expect(agent.service.callsTo("results")).toHaveLength(2);
    expect(ids.map((id) => agent.service.resultsOf(id)[0]?.output)).toEqual(
      ids.map((id) => ({ stdout: `from ${id}` })),
    );
  });

  test("for a single result gets it without its output; refused again, it waits for the next process", async () => {
    const { agent, ids } = await withResults(1);
    const [id = ""] = ids;
    agent.service.refuseOnce("results", 413, "payload_too_large");
    await agent.sender.send();
    expect(agent.service.resultsOf(id)).toMatchObject([{ output: null, status: "succeeded", ack: "accepted" }]);

    const next = agent.service.enqueue();
    await agent.poll();
    agent.executor.end(next.id);
    await agent.runner.idle();
    agent.service.refuseOnce("results", 400, "invalid_request");
    agent.service.refuseOnce("results", 400, "invalid_request");
    await agent.sender.send();
    expect(agent.journal.owed()).toHaveLength(1);
    const calls = agent.service.callsTo("results").length;
    await agent.sender.send();
    expect(agent.service.callsTo("results")).toHaveLength(calls);
    await agent.restart();
    await agent.sender.send();
    expect(agent.journal.owed()).toEqual([]);
  });
});

test("a result that cannot be read from the disk is reported as lost, and the others are sent", async () => {
  const { agent, ids } = await withResults(2);
  await agent.restart();
  const file = `${agent.directory}/vault.journal`;
  const text = await Bun.file(file).text();
  await Bun.write(file, text.replace(`"from ${ids[0]}"`, `"from ${ids[0]} `));
  await agent.sender.send();
  expect(agent.service.results.map(({ status, error }) => `${status} ${error?.code}`)).toEqual([
    "failed result_lost",
    "succeeded undefined",
  ]);
});

test("unsent results survive a restart and are sent by the first poll", async () => {
  const { agent, ids } = await withResults(2);
  await agent.restart();
  await agent.poll();
  expect(agent.service.results.map(({ jobId }) => jobId)).toEqual(ids);
});

test("secrets are masked in reports and in the journal", async () => {
  const agent = await Parts.start();
  parts = agent;
  const secret = "canary-7d1f0c92";
  agent.masker.setForms([secret]);
  const ok = agent.service.enqueue();
  const bad = agent.service.enqueue();
  await agent.poll();
  agent.executor.end(ok.id, { status: "succeeded", output: { stdout: `pw=${secret}`, rows: [{ v: secret }] } });
  agent.executor.end(bad.id, { status: "failed", output: null, error: { code: "x", message: `bad ${secret}` } });
  await eventually("both results", () => agent.journal.owed().length === 2);
  const journal = await Bun.file(`${agent.directory}/vault.journal`).text();
  await agent.poll();
  expect(agent.service.results.map(({ output, error }) => ({ output, message: error?.message }))).toEqual([
    { output: { stdout: "pw=***", rows: [{ v: "***" }] }, message: undefined },
    { output: null, message: "bad ***" },
  ]);
  expect(journal).toContain("pw=***");
  expect(journal).not.toContain(secret);
});
