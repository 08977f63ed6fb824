import { beforeEach, describe, expect, test } from "bun:test";
import { z } from "zod";
import { SESSION_HEADER, agentKeySchema } from "../../schema/contract/agent.ts";
import { jobsPath } from "../support/agent-client.ts";
import { atBothServices, expectProblem } from "../support/agent-places.ts";

/** Callers and refusals. The cases run against the fake service of the agent's tests and the real one in workerd. */
atBothServices((here) => {
  describe("register", () => {
    test("answers with the agent's identity and a session, and forbids caching", async () => {
      const answer = await here.agent.send("POST", "/register", here.agent.registration());
      expect([answer.status, answer.headers.get("Cache-Control")]).toEqual([200, "no-store"]);
      expect(answer.headers.get("Content-Type")).toBe("application/json");
      expect(await answer.json()).toEqual({
        success: true,
        data: { agentId: here.place.agentId, poolId: null, enabled: true, session: expect.any(String) },
      });
    });

    test("by the same process keeps its earlier session valid", async () => {
      await here.agent.register();
      const before = here.agent.session;
      await here.agent.register();
      const after = here.agent.session;
      for (here.agent.session of [before, after]) expect((await here.agent.send("GET", jobsPath())).status).toBe(200);
    });

    test("by another process supersedes the first one until it registers again", async () => {
      await here.agent.register();
      const other = await here.otherProcess();
      await expectProblem(here.agent.send("GET", jobsPath()), 409, "superseded");
      await here.agent.register();
      expect((await here.agent.send("GET", jobsPath())).status).toBe(200);
      await expectProblem(other.send("GET", jobsPath()), 409, "superseded");
    });

    test("of a disabled agent says that it is disabled", async () => {
      await here.place.setEnabled(false);
      expect((await here.agent.register()).enabled).toBe(false);
    });

    test("ignores unknown fields", async () => {
      expect((await here.agent.register({ colour: "blue" })).agentId).toBe(here.place.agentId);
    });

    test.each([
      ["an unknown protocol version", { protocol: 2 }, ["protocol"]],
      ["a protocol version that is not a number", { protocol: "1" }, ["protocol"]],
      ["an unknown operating system", { os: "plan9" }, ["os"]],
      ["several wrong fields", { instanceId: "a b", maxConcurrentJobs: 0 }, ["instanceId", "maxConcurrentJobs"]],
    ])("refuses %s and names the field", async (_what, changes, paths) => {
      const answer = here.agent.send("POST", "/register", here.agent.registration(changes));
      const { errors = [] } = await expectProblem(answer, 400, "invalid_request");
      expect(errors.map(({ path }) => path).toSorted()).toEqual(paths.toSorted());
    });

    test.each([
      ["an empty body", "", 400, "invalid_request"],
      ["a body that is not JSON", "{not json", 400, "invalid_request"],
      ["a body that is not an object", "[]", 400, "invalid_request"],
      ["a body that is too large", JSON.stringify({ name: "x".repeat(256 * 1_024) }), 413, "payload_too_large"],
    ] as const)("refuses %s", async (_what, body, status, code) => {
      await expectProblem(here.post("/register", body), status, code);
    });
  });

  describe("enrol", () => {
    const codeOf = (text: string) => here.post("/enrol", JSON.stringify({ code: text }));

    test("exchanges a code once for a key of the agent", async () => {
      const code = await here.place.newEnrolmentCode();
      const answer = await codeOf(code);
      expect([answer.status, answer.headers.get("Cache-Control")]).toEqual([200, "no-store"]);
      const { data } = z.object({ data: z.strictObject({ apiKey: agentKeySchema }) }).parse(await answer.json());
      here.agent.key = data.apiKey;
      expect((await here.agent.register()).agentId).toBe(here.place.agentId);
      await expectProblem(codeOf(code), 410, "gone");
    });

    test("refuses a guessed code, and a body of another form", async () => {
      await expectProblem(codeOf(`bhe_${"0".repeat(43)}`), 401, "unauthorized");
      for (const text of ["bhe_short", here.place.key]) {
        const { errors = [] } = await expectProblem(codeOf(text), 400, "invalid_request");
        expect(errors.map(({ path }) => path)).toEqual(["code"]);
      }
      await expectProblem(here.post("/enrol", "x".repeat(17_000)), 413, "payload_too_large");
    });
  });

  describe("every call", () => {
    const calls = [
      ["GET", "/jobs?capacity=1"],
      ["POST", "/results"],
      ["POST", "/heartbeat"],
      ["POST", "/offline"],
    ] as const;

    test.each([...calls, ["POST", "/register"] as const])(
      "to %s %s with a wrong key gets 401",
      async (method, path) => {
        await here.agent.register();
        here.agent.key = `${here.place.key.slice(0, -1)}${here.place.key.endsWith("A") ? "B" : "A"}`;
        const answer = await here.agent.send(method, path);
        expect(answer.headers.get("WWW-Authenticate")).toBe("Bearer");
        await expectProblem(answer, 401, "unauthorized");
      },
    );

    test.each(calls)("to %s %s without a session gets register_again, before its body is read", async (...call) => {
      await expectProblem(here.agent.send(...call), 409, "register_again");
      here.agent.session = "some-session";
      await expectProblem(here.agent.send(...call), 409, "register_again");
    });

    test.each(calls)("to %s %s by a superseded process is validated, then refused", async (method, path) => {
      await here.agent.register();
      await here.otherProcess();
      const bodies = { "/results": { results: [] }, "/heartbeat": {}, "/offline": { held: [":"] } } as const;
      if (path in bodies) {
        await expectProblem(here.agent.send(method, path, bodies[path as keyof typeof bodies]), 400, "invalid_request");
      }
      const at = new Date().toISOString();
      const result = { jobId: "j", lease: "l", status: "succeeded", finishedAt: at };
      const right = { "/results": { results: [result] }, "/heartbeat": { held: [], load: 0, version: "1" } } as const;
      const body = path in right ? right[path as keyof typeof right] : undefined;
      await expectProblem(here.agent.send(method, path, body), 409, "superseded");
    });

    test.each([
      ["POST", "/jobs", "GET, HEAD"],
      ["PUT", "/results", "POST"],
      ["DELETE", "/register", "POST"],
    ])("to %s %s gets 405 with an Allow header", async (method, path, allowed) => {
      const answer = await here.agent.send(method, path);
      expect(answer.headers.get("Allow")).toBe(allowed);
      await expectProblem(answer, 405, "method_not_allowed");
    });

    test("to an unknown path gets 404", async () => {
      await expectProblem(here.agent.send("POST", "/nowhere", {}), 404, "not_found");
    });

    test("with a body of another media type gets 415", async () => {
      await here.agent.register();
      const body = JSON.stringify({ held: [], load: 0, version: "1" });
      await expectProblem(here.post("/heartbeat", body, "text/plain"), 415, "unsupported_media_type");
    });

    test("with a session from before a change of the agent gets a renewed session", async () => {
      await here.agent.register();
      expect((await here.agent.send("GET", jobsPath())).headers.get(SESSION_HEADER)).toBeNull();
      await here.place.setEnabled(false);
      const renewed = (await here.agent.send("GET", jobsPath())).headers.get(SESSION_HEADER);
      expect(renewed).toBeString();
      expect((await here.agent.send("GET", jobsPath())).headers.get(SESSION_HEADER)).toBeString();
      here.agent.session = renewed;
      const answer = await here.agent.send("GET", jobsPath());
      expect([answer.status, answer.headers.get(SESSION_HEADER)]).toEqual([200, null]);
    });
  });

  describe("bodies of results and heartbeats", () => {
    beforeEach(() => here.agent.register());

    const at = new Date().toISOString();
    const result = { jobId: "j", lease: "l", status: "succeeded", finishedAt: at };
    test.each([
      ["an empty list", { results: [] }],
      ["no list", {}],
      ["too many", { results: Array.from({ length: 1_001 }, () => result) }],
      ["an unknown status", { results: [{ ...result, status: "great" }] }],
      ["a time that is not a date", { results: [{ ...result, finishedAt: "now" }] }],
      ["an empty lease", { results: [{ ...result, lease: "" }] }],
      ["an output that is not an object", { results: [{ ...result, output: "text" }] }],
    ])("results with %s are refused", async (_what, body) => {
      await expectProblem(here.agent.send("POST", "/results", body), 400, "invalid_request");
    });

    test.each([
      ["nothing", {}],
      ["a malformed lease", { held: ["job"], load: 0, version: "1" }],
      ["a negative load", { held: [], load: -1, version: "1" }],
      ["a credential without a version", { held: [], load: 0, version: "1", credentials: [{ connectionId: "c" }] }],
    ])("a heartbeat with %s is refused", async (_what, body) => {
      await expectProblem(here.agent.send("POST", "/heartbeat", body), 400, "invalid_request");
    });

    test("a heartbeat that is too large is refused", async () => {
      await expectProblem(here.post("/heartbeat", " ".repeat(4 * 1_024 * 1_024 + 1)), 413, "payload_too_large");
    });
  });
});
