import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { failureOf, outputOf, textOf } from "../support/executor-context.ts";
import { HOSTILE_VALUES, PRINT_VALUES_SH, readShellValues } from "../support/hostile-values.ts";
import { winrmCommand, winrmScript } from "../support/winrm-jobs.ts";
import { WinrmServer, winrmServerMissing } from "../support/winrm-server/index.ts";

if (winrmServerMissing !== null) console.warn(`Tests of values over WinRM are skipped: ${winrmServerMissing}.`);

/** With `BIG=` and a NUL, the value fills an environment of Windows. */
const LARGEST = 32_767 - "BIG=\0".length;

describe.skipIf(winrmServerMissing !== null)("the values of a script on a Windows host", () => {
  let server: WinrmServer;
  let old: WinrmServer;
  beforeAll(async () => {
    // The second host has the message limit of the oldest hosts.
    [server, old] = await Promise.all([WinrmServer.start(), WinrmServer.start({ maxEnvelopeBytes: 153_600 })]);
  });
  afterAll(() => Promise.all([server.stop(), old.stop()]));

  const messages = async (host: WinrmServer): Promise<string[]> =>
    (await host.log()).flatMap(({ message }) => (message === undefined ? [] : [message]));
  const sizeOf = (host: WinrmServer, value: string) =>
    winrmScript(host, 'printf %s "$BIG" | wc -c', { values: { BIG: value } });

  test("are in its environment unchanged", async () => {
    // XML cannot represent most control characters.
    const { CONTROL: _control, TABS: _tabs, LARGE: _large, ...carried } = HOSTILE_VALUES;
    const values = { ...carried, TABS: "a\tb", LARGE: "", CONTROL: "" };
    const outcome = await winrmScript(server, PRINT_VALUES_SH, { values });
    expect(readShellValues(textOf(outputOf(outcome), "stdout"))).toEqual(values);
  });

  test("are beside the trace context of the job, unless one has its name in any case", async () => {
    const traceparent = "00-01987a3b1c2d7e4f8a5b0123456789ab-8a5b0123456789ab-01";
    const shown = async (values: Record<string, string>, show: string) =>
      (await winrmScript(server, show, { values, traceparent })).output?.["stdout"];
    expect(await shown({}, 'printf %s "$TRACEPARENT"')).toBe(traceparent);
    const full = { BIG: "x".repeat(LARGEST) };
    expect(await shown(full, 'printf %s "${TRACEPARENT-left out} ${#BIG}"')).toBe(`left out ${LARGEST}`);
    expect(await shown({ TraceParent: "mine" }, 'printf %s "$TraceParent$TRACEPARENT"')).toBe("mine");
  });

  test("override env in the parameters", async () => {
    const values = { TWO: "value" };
    const outcome = await winrmScript(server, 'printf %s "$ONE $TWO"', {
      values,
      env: { ONE: "env", TWO: "env" },
    });
    expect(outcome.output?.["stdout"]).toBe("env value");
  });

  test.each([
    ["on the command line", ""],
    ["by standard input", `: ${"x".repeat(20_000)}\n`],
  ])("are sent in rsp:Environment only, with a script %s", async (_, filler) => {
    const value = `value-${crypto.randomUUID()}`;
    const outcome = await winrmScript(server, `${filler}printf %s "$ONE"`, { values: { ONE: value } });
    expect(outcome.output?.["stdout"]).toBe(value);
    const sent = await messages(server);
    const variable = `<rsp:Environment><rsp:Variable Name="ONE">${value}</rsp:Variable></rsp:Environment>`;
    expect(sent.filter((message) => message.includes(variable))).toHaveLength(1);
    const elsewhere = sent.map((message) => message.replace(variable, "")).flatMap(readable);
    // The search finds the script itself, so it would find a value.
    expect(elsewhere.some((text) => text.includes('printf %s "$ONE"'))).toBe(true);
    expect(elsewhere.filter((text) => text.includes(value))).toEqual([]);
  });

  test.each([
    ["more than an environment can hold", { BIG: "x".repeat(20_000), MORE: "y".repeat(20_000) }, "values_too_large"],
    ["one character too many", { BIG: "x".repeat(LARGEST), A: "" }, "values_too_large"],
    ["a single value that is too large", { BIG: "x".repeat(LARGEST + 1) }, "value_too_large"],
    ["a character that XML cannot represent", { BELL: "a\u0007b" }, "value_not_representable"],
    ["half a surrogate pair", { HALF: "\uD83D" }, "value_not_representable"],
    ["a NUL", { NUL: "a\0b" }, "value_not_representable"],
    ["two names that differ in case only", { Path: "a", PATH: "b" }, "invalid_params"],
  ])("of %s are refused before anything is sent", async (_, values, code) => {
    const before = (await server.log()).length;
    expect(failureOf(await winrmScript(server, "true", { values })).code).toBe(code);
    expect(await server.log()).toHaveLength(before);
  });

  test.each([
    ["ordinary text", "x", "takes"],
    ["characters of three bytes", "€", "takes"],
    ["&, which XML writes as five characters", "&", "refuses"],
    ['", which XML writes as six characters', '"', "refuses"],
  ])("that fill an environment arrive; on a host with 150 KiB messages: %s", async (_, character, answer) => {
    const value = character.repeat(LARGEST);
    const bytes = `${Buffer.byteLength(value)}`;
    expect(textOf(outputOf(await sizeOf(server, value)), "stdout").trim()).toBe(bytes);
    const outcome = await sizeOf(old, value);
    if (answer === "takes") return expect(textOf(outputOf(outcome), "stdout").trim()).toBe(bytes);
    const failure = failureOf(outcome);
    expect(failure.code).toBe("values_too_large");
    expect(failure.message).toContain("MaxEnvelopeSizekb");
  });

  test("are refused for a command of cmd.exe, which would read them as part of the command", async () => {
    const before = (await server.log()).length;
    const failure = failureOf(await winrmCommand(server, "echo %ONE%", { values: { ONE: "& echo two" } }));
    expect(failure).toMatchObject({ code: "invalid_params", message: expect.stringContaining("winrm.executeScript") });
    expect(await server.log()).toHaveLength(before);
  });
});

/** A message, and all decoded base64 in it (UTF-8, and UTF-16 as in an encoded command), two levels deep. */
function readable(message: string): string[] {
  const texts = [message];
  for (let round = 0; round < 2; round += 1) {
    const found = texts.flatMap((text) => text.match(/[A-Za-z0-9+/]{20,}={0,2}/gu) ?? []);
    const joined = found.concat(found.join(""));
    texts.push(
      ...joined.flatMap((text) => (["utf8", "utf16le"] as const).map((as) => Buffer.from(text, "base64").toString(as))),
    );
  }
  return texts;
}
