import { expect, test } from "bun:test";
import { FAKE_AGENT_KEY } from "../support/fake-service.ts";
import { AgentHome } from "./agent-process.ts";
import { runCommand } from "./command-process.ts";

test("a secret that is too short to mask is stored with a warning, and a short user name without one", async () => {
  const home = await AgentHome.make();
  try {
    const stored = await runCommand(home, ["credentials", "set", "con_1"], {
      env: { AGENT_API_KEY: FAKE_AGENT_KEY },
      input: '{"username":"ada","password":"pa55w","token":"long-enough"}',
    });
    expect(stored).toMatchObject({
      code: 0,
      stdout: expect.stringContaining("Stored for con_1: username, password, token."),
      stderr: "bellhop-agent: warning: password is shorter than 6 characters: it will not be masked in output\n",
    });
  } finally {
    await home.remove();
  }
});
