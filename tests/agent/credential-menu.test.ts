import { afterEach, beforeEach, expect, test } from "bun:test";
import { FAKE_AGENT_KEY } from "../support/fake-service.ts";
import { AgentHome } from "./agent-process.ts";
import { runCommand, typeAtCommand } from "./command-process.ts";

const KEY = { AGENT_API_KEY: FAKE_AGENT_KEY };

let home: AgentHome;
beforeEach(async () => {
  home = await AgentHome.make();
});
afterEach(() => home.remove());

test.each([
  ["the secrets", ["--type", "http"], "Which? 1 token, 2 username and password, 3 apiKey: ", "number from 1 to 3"],
  ["the type", [], "Type of the connection (", "the type is one of"],
])("the menu of credentials set for %s shows no secret that is pasted there", async (_what, args, after, says) => {
  const answers = [
    { after, type: "canary-6c" },
    { after: "", type: "\u001b[200~canary-6d\u001b[201~\r" },
  ];
  const { code, screen } = await typeAtCommand(home, ["credentials", "set", "con_1", ...args], answers, KEY);
  expect(code).toBe(64);
  expect(screen).toContain(says);
  expect(screen).not.toContain("canary");
  expect((await runCommand(home, ["credentials", "list"], { env: KEY })).code).toBe(1);
});
