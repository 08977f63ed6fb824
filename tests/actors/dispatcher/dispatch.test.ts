import { describe, expect, test } from "bun:test";
import { connection, order, refOf } from "../../support/dispatcher-harness.ts";
import { waitingFor, withPair } from "../../support/dispatcher-setups.ts";

const SECOND_MS = 1_000;

describe("a job", () => {
  test("waits for an agent, and is delivered with the agent's first poll", async () => {
    const { harness, a } = withPair();
    harness.enqueue(order("job_1"));
    expect(waitingFor(harness)).toEqual([
      "The pool web has no agent yet. Create one in it and start it, or correct the connection's pool.",
    ]);
    await harness.advance(3_600 * SECOND_MS);
    a.register();
    const { jobs } = await a.poll();
    expect(jobs).toEqual([
      {
        id: "job_1",
        kind: "action",
        lease: "lease1",
        action: "script.bash",
        effect: "unsafe",
        executionId: "exe_job_1",
        workflowId: "wf_1",
        connection: { id: "con_1", type: "script", config: {} },
        params: { script: "echo hello" },
        values: {},
        timeoutSeconds: 300,
        startWithinSeconds: 60,
        attempt: 1,
      },
    ]);
  });

  test("that is ordered twice is one job, also after its end", async () => {
    const { harness, a } = withPair("a");
    harness.enqueue(order("job_1"), order("job_1"));
    harness.enqueue(order("job_1"));
    const { jobs } = await a.poll();
    expect(jobs).toHaveLength(1);
    harness.enqueue(order("job_1"));
    for (const job of jobs) await a.report(refOf(job));
    harness.enqueue(order("job_1"));
    expect(await a.fetch()).toEqual([]);
    expect(harness.ends).toHaveLength(1);
  });

  test("that is ordered again as a newer attempt is a new job, also while the old one's end is reported", async () => {
    const { harness, a } = withPair("a");
    harness.enqueue(order("job_1"));
    const [first] = (await a.poll()).jobs;
    let release = () => {};
    harness.gate = new Promise((resolve) => (release = resolve));
    const reporting = a.report({ jobId: "job_1", lease: first?.lease ?? "" }, { status: "failed" });
    // Like `WorkflowRuns`, commits the failure and orders the retry before it answers.
    harness.enqueue(order("job_1", { attempt: 2 }));
    release();
    expect(await reporting).toBe("accepted");
    const { jobs } = await a.poll();
    expect(jobs).toMatchObject([{ id: "job_1", attempt: 2, lease: "lease2" }]);
    expect(await a.report({ jobId: "job_1", lease: "lease1" })).toBe("duplicate");
    expect(await a.report({ jobId: "job_1", lease: "lease2" })).toBe("accepted");
  });

  test("that is ordered again as a newer attempt while its connection is read is delivered only once", async () => {
    const { harness, a } = withPair("a");
    harness.enqueue(order("job_1"));
    const polled = a.poll();
    harness.enqueue(order("job_1", { attempt: 2 }));
    expect((await polled).jobs).toEqual([]);
    expect((await a.poll()).jobs).toMatchObject([{ id: "job_1", attempt: 2 }]);
  });

  test("is delivered by its queue time, not by its arrival", async () => {
    const { harness, a } = withPair("a");
    const at = harness.now;
    harness.enqueue(order("job_late", { queuedAt: at + 2 }), order("job_early", { queuedAt: at + 1 }));
    expect(await a.fetch()).toEqual(["job_early", "job_late"]);
  });
});

describe("capacity", () => {
  test("limits new jobs to the agent's request and to its free slots", async () => {
    const { harness, a } = withPair();
    a.register({ maxConcurrentJobs: 3 });
    harness.enqueue(...["1", "2", "3", "4", "5"].map((n) => order(`job_${n}`)));
    expect(await a.fetch([], 0)).toEqual([]);
    const first = (await a.poll([], 1)).jobs.map(refOf);
    expect(first).toHaveLength(1);
    const second = (await a.poll(first, 10)).jobs.map(refOf);
    expect(second).toHaveLength(2);
    expect(await a.fetch([...first, ...second], 10)).toEqual([]);
    expect(waitingFor(harness)[0]).toContain("busy with as many jobs as it may run");
  });

  test("leaves jobs for the next poll when an answer would be too large for one call", async () => {
    const { harness, a } = withPair("a");
    const script = "x".repeat(1_000_000);
    harness.enqueue(...Array.from({ length: 12 }, (_, n) => order(`job_${n}`, { params: { script } })));
    a.register({ maxConcurrentJobs: 50 });
    const first = (await a.poll([], 50)).jobs;
    expect(first).toHaveLength(8);
    expect((await a.poll(first.map(refOf), 50)).jobs).toHaveLength(4);
  });
});

describe("between two agents", () => {
  test("the healthier one gets the job, even if the other one polls first", async () => {
    const { harness, a, b } = withPair("a", "b");
    await b.poll();
    // One failed job makes `a` the less healthy one.
    harness.enqueue(order("job_0", { pinnedAgentId: "a", connectionId: "con_a" }));
    harness.connections.set("con_a", connection("con_a", { target: { poolObject: "pool:web", pinnedAgentId: "a" } }));
    for (const job of (await a.poll()).jobs) await a.report(refOf(job), { status: "failed" });
    harness.enqueue(order("job_1"));
    expect(await a.fetch()).toEqual([]);
    expect(waitingFor(harness)).toEqual(["Agent b gets the job with its next poll."]);
    expect(await a.fetch()).toEqual([]);
    expect(await b.fetch()).toEqual(["job_1"]);
  });

  test("a job that the better one leaves for 15 s goes to the other until the better one polls", async () => {
    const { harness, a, b } = withPair("a", "b");
    await b.poll();
    harness.enqueue(order("job_0"), order("job_1"));
    // Equal agents share. One job is reserved for `b`, whose poll loop hangs from here on while it sends heartbeats.
    const [held] = (await a.poll()).jobs.map(refOf);
    if (held === undefined) throw new Error("agent a got no job");
    for (let waited = 0; waited < 15; waited += 5) {
      b.heartbeat();
      expect(await a.fetch([held])).toEqual([]);
      await harness.advance(5 * SECOND_MS);
    }
    expect(await a.fetch([held])).toHaveLength(1);
    harness.enqueue(order("job_2"));
    expect(await a.fetch([held])).toContain("job_2");
    await b.poll();
    harness.enqueue(order("job_3"));
    await a.poll([held]);
    expect(await b.fetch()).toEqual(["job_3"]);
  });

  test("a job that a woken agent does not fetch within 15 s goes to the other, with any poll interval", async () => {
    const { harness, a, b } = withPair();
    a.register({ pollIntervalSeconds: 3_600 });
    harness.sockets.set("a", harness.now);
    await a.poll();
    harness.enqueue(order("job_1"));
    expect(harness.woken).toEqual(["a"]);
    b.register();
    harness.sockets.set("b", harness.now);
    await harness.advance(14 * SECOND_MS);
    expect(await b.fetch()).toEqual([]);
    await harness.advance(SECOND_MS);
    // A message through a socket may be lost, so it is repeated every 2 s.
    expect(harness.woken).toEqual([...Array(8).fill("a"), "b"]);
    expect(await b.fetch()).toEqual(["job_1"]);
    // The agent's own poll ends the repetition.
    harness.enqueue(order("job_2", { pinnedAgentId: "a" }));
    harness.connections.set("con_1", connection("con_1", { target: { poolObject: "pool:web", pinnedAgentId: "a" } }));
    expect(await a.fetch()).toEqual(["job_2"]);
  });

  test("one without a socket keeps its reserved jobs for three of its poll intervals", async () => {
    const { harness, a, b } = withPair();
    a.register({ pollIntervalSeconds: 20 });
    harness.enqueue(order("job_1"));
    b.register({ pollIntervalSeconds: 20 });
    await harness.advance(59 * SECOND_MS);
    expect(await b.fetch()).toEqual([]);
    await harness.advance(SECOND_MS);
    expect(await b.fetch()).toEqual(["job_1"]);
  });

  test("one that restarts repeatedly without a poll keeps no reservation that a healthier one could have", async () => {
    const { harness, a, b } = withPair("a", "b");
    harness.enqueue(order("job_0"));
    const [first] = (await a.poll()).jobs;
    await b.poll([], 0);
    await a.report(refOf(first ?? { id: "", lease: "" }), { status: "failed" });
    harness.enqueue(order("job_1"));
    await harness.advance(5 * SECOND_MS);
    b.heartbeat();
    expect(await b.fetch()).toEqual([]);
    a.instanceId = "instance-2";
    a.register();
    expect(await b.fetch()).toEqual(["job_1"]);
  });

  test("one that reports itself full loses its reserved jobs", async () => {
    const { harness, a, b } = withPair("a", "b");
    await b.poll();
    harness.enqueue(order("job_0"), order("job_1"));
    const held = (await a.poll()).jobs.map(refOf);
    expect(held).toHaveLength(1);
    expect(await b.fetch([], 0)).toEqual([]);
    expect(await a.fetch(held)).toHaveLength(1);
  });

  test("one that is disabled loses its reserved jobs immediately, and gets none with its next poll", async () => {
    const { harness, a, b } = withPair("a", "b");
    await b.poll();
    harness.enqueue(order("job_0"), order("job_1"));
    const held = (await a.poll()).jobs.map(refOf);
    harness.dispatcher.configureAgent({ agentId: "b", name: "b", epoch: 2, enabled: false, removed: false });
    b.epoch = 2;
    expect(await b.fetch()).toEqual([]);
    expect(await a.fetch(held)).toHaveLength(1);
  });

  test("one without the connection's credential is skipped until its heartbeat reports the credential", async () => {
    const { harness, a, b } = withPair("a", "b");
    harness.connections.set("con_ssh", connection("con_ssh", { type: "ssh", config: SSH }));
    harness.enqueue(order("job_1", { connectionId: "con_ssh", action: "ssh.executeCommand" }));
    expect(await a.fetch()).toEqual([]);
    expect(waitingFor(harness)[0]).toContain("a and b are without the connection's credential");
    b.heartbeat(["con_ssh"]);
    expect(await a.fetch()).toEqual([]);
    expect(await b.fetch()).toEqual(["job_1"]);
  });

  test.each([
    ["is to be delivered, or withdrawn if the connection works without it", "custom" as const, { fields: {} }, true],
    ["is to be delivered if the connection needs one", "ssh" as const, SSH, false],
  ])(
    "the waiting reason says that the credential, which left with its only agent, %s",
    async (_what, type, config, isOptional) => {
      const { harness, a } = withPair("a");
      const given = { type, config, hasCredential: true, isDelivered: true };
      harness.connections.set("con_given", connection("con_given", given));
      harness.enqueue(order("job_1", { connectionId: "con_given" }));
      await harness.reviewNow();
      expect(await a.fetch()).toEqual([]);
      const withdraw = isOptional ? ", or withdraw it if its jobs need none" : "";
      expect(waitingFor(harness)[0]).toEndWith(`Deliver the credential of connection con_given${withdraw}.`);
    },
  );

  test("a job that is pinned to one waits only for that agent", async () => {
    const { harness, a, b } = withPair("a", "b");
    harness.connections.set("con_b", connection("con_b", { target: { poolObject: "pool:web", pinnedAgentId: "b" } }));
    harness.enqueue(order("job_1", { connectionId: "con_b", pinnedAgentId: "b" }));
    expect(await a.fetch()).toEqual([]);
    expect(await b.fetch()).toEqual(["job_1"]);
  });
});

const SSH = { host: "db-1", port: 22, username: "ops", authMethod: "password" };
