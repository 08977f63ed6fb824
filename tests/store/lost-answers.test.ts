import { afterAll, beforeAll, expect, test } from "bun:test";
import { openDatabase } from "../../worker/store/database.ts";
import { isConflict, isUnavailable } from "../../worker/store/errors.ts";
import { loadExecution, saveStep } from "../../worker/store/executions.ts";
import { startApp } from "../support/bellhop.ts";
import type { Service } from "../support/bellhop.ts";
import { query } from "../support/database.ts";
import { stepRecord } from "../support/step-record.ts";

let app: Service;
/** What the proxy before the database does with the next requests. */
let faults: ("loseRequest" | "loseAnswer" | "answerNonsense")[] = [];
let proxy: ReturnType<typeof Bun.serve>;

beforeAll(async () => {
  app = await startApp();
  proxy = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch: async (request) => {
      const fault = faults.shift();
      const body = await request.text();
      const forward = () =>
        fetch(`${app.libsql.url}/v2/pipeline`, {
          method: "POST",
          headers: { "Content-Type": "application/json" },
          body,
        });
      if (fault === undefined) return forward();
      if (fault === "answerNonsense") return Response.json({ error: "an unknown answer" });
      if (fault === "loseAnswer") await forward();
      return new Response("<h1>Bad gateway</h1>", { status: 502 });
    },
  });
});

afterAll(async () => {
  await proxy.stop(true);
  await app.stop();
});

test("a step whose request was lost is sent again, and is committed once", async () => {
  faults = ["loseRequest"];
  await saveStep(database(), stepRecord("exe_request"));
  expect(await eventsOf("exe_request")).toBe(1);
});

test("a step whose answer is not libSQL's is sent again", async () => {
  faults = ["answerNonsense"];
  await saveStep(database(), stepRecord("exe_nonsense"));
  expect(await eventsOf("exe_nonsense")).toBe(1);
});

test("a step whose answer was lost counts as a repeated one: the caller reads the execution", async () => {
  faults = ["loseAnswer"];
  const error: unknown = await saveStep(database(), stepRecord("exe_answer")).catch((thrown: unknown) => thrown);
  expect(isConflict(error)).toBe(true);
  expect(await eventsOf("exe_answer")).toBe(1);
  expect((await loadExecution(database(), "exe_answer"))?.state.revision).toBe(0);
});

test("a step stays unknown to its caller while the database does not say whether it was committed", async () => {
  faults = ["loseAnswer", "loseRequest"];
  const error: unknown = await saveStep(database(), stepRecord("exe_unknown")).catch((thrown: unknown) => thrown);
  expect([isConflict(error), isUnavailable(error)]).toEqual([false, true]);
  expect(await eventsOf("exe_unknown")).toBe(1);
});

function database() {
  return openDatabase({ url: proxy.url.origin });
}

async function eventsOf(id: string): Promise<number> {
  return (await query(app, "SELECT 1 FROM execution_events WHERE execution_id = ?", [id])).length;
}
