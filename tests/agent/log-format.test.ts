import { afterEach, beforeEach, expect, test } from "bun:test";
import { describeError } from "../../agent/log.ts";
import { eventually } from "../support/eventually.ts";
import { FakeService } from "../support/fake-service.ts";
import { freePort } from "../support/free-port.ts";
import { AgentHome } from "./agent-process.ts";

let service: FakeService;
let home: AgentHome;
beforeEach(async () => {
  service = await FakeService.start();
  home = await AgentHome.make();
});
afterEach(async () => {
  await home.remove();
  await service.stop();
});

test.each([
  ["json", /^\{"at":"[^"]+","level":"INFO","message":"registered","agentId":"agt_fake"/mu],
  ["text", /^\d\d:\d\d:\d\d INFO {4}registered agentId=agt_fake/mu],
  // Standard error is not a terminal here.
  ["", /^\{"at":"[^"]+","level":"INFO","message":"registered"/mu],
])("LOG_FORMAT=%s sets the format of the agent's log", async (format, expected) => {
  const agent = await home.start(service.url, { env: { LOG_FORMAT: format } });
  await eventually("the line about registering", () => expected.test(agent.log()));
});

test("a job's log lines have its executionId, if the service sends it", async () => {
  const agent = await home.start(service.url);
  const { id } = service.enqueue({ executionId: "exe_1" });
  await eventually("the result", () => service.resultsOf(id).length > 0);
  const lines = agent
    .log()
    .split("\n")
    .filter((line) => line.includes(`"${id}"`) && line.includes('"executionId":"exe_1"'));
  expect(lines.map((line) => /"message":"([^"]+)"/u.exec(line)?.[1])).toEqual(["a job begins", "a job is done"]);
});

test("the log names a misspelled setting, without its value", async () => {
  const agent = await home.start(service.url, { env: { ADMIN_TOKN: "a-value", DB_USER: "ada" } });
  const line = await eventually("the warning", () =>
    agent
      .log()
      .split("\n")
      .find((each) => each.includes("not a setting")),
  );
  expect(line).toContain('"name":"ADMIN_TOKN","meant":"ADMIN_TOKEN"');
  expect(agent.log()).not.toMatch(/a-value|DB_USER/u);
});

test("an error of fetch is described by its code, without the runtime's hint", async () => {
  const error = await fetch(`http://127.0.0.1:${await freePort()}`).catch((failure: unknown) => failure);
  expect(describeError(error)).toBe("ECONNREFUSED");
});
