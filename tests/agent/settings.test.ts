import { expect, test } from "bun:test";
import { readConfig } from "../../agent/config.ts";
import { HELP } from "../../agent/help.ts";
import { ENROLMENT_CODE_VARIABLE } from "../../schema/contract/agent.ts";
import { takeSecretVariables } from "../../agent/isolation/protect-process.ts";
import { AGENT_SETTINGS } from "../../schema/settings/agent.ts";
import { anyText } from "../../schema/settings/parse.ts";
import { namesOf } from "../../schema/settings/setting.ts";

const NAMES = namesOf(AGENT_SETTINGS);
const SECRETS: readonly string[] = namesOf(AGENT_SETTINGS, "secret");
const CHECKED = NAMES.filter((name) => AGENT_SETTINGS[name].parse !== anyText);
/** No checked setting accepts it, not even a path, which must name a file. */
const WRONG = "\twrong\0/";

test.each(CHECKED)("a wrong value of %s gives one error, with the name and what to write", (name) => {
  const host = { hostName: "db-7", platform: "linux", homeDirectory: "/home/ada", workingDirectory: "/srv" };
  const read = readConfig({ [name]: WRONG }, host);
  const named = read.ok ? [] : read.problems.filter((problem) => problem.startsWith(`${name} `));
  expect(named).toEqual([expect.stringMatching(/^\w+ must /u)]);
  if (SECRETS.includes(name)) expect(named[0]).not.toContain("wrong");
});

test("the agent's own secrets are removed from its environment, except those of proxies", () => {
  const environment = Object.fromEntries([...SECRETS, ENROLMENT_CODE_VARIABLE].map((name) => [name, "x"]));
  takeSecretVariables(environment);
  expect(Object.keys(environment)).toEqual(SECRETS.filter((name) => /_proxy$/iu.test(name)));
});

test("--help has one line for each setting, of at most 112 characters", () => {
  const named = [...HELP.matchAll(/^ {2}([A-Z]+_[A-Z_]+) {1,}\S/gmu)].map(([, name]) => name);
  expect<unknown[]>(named).toEqual(NAMES.filter((name) => name === name.toUpperCase()));
  for (const line of HELP.split("\n")) expect(line.length).toBeLessThanOrEqual(112);
});
