import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { failureOf, outputOf, textOf } from "../support/executor-context.ts";
import { winrmCommand, winrmScript } from "../support/winrm-jobs.ts";
import { WinrmServer, winrmServerMissing } from "../support/winrm-server/index.ts";

if (winrmServerMissing !== null) console.warn(`Tests of WinRM actions are skipped: ${winrmServerMissing}.`);

describe.skipIf(winrmServerMissing !== null)("on a Windows host", () => {
  let server: WinrmServer;
  beforeAll(async () => {
    server = await WinrmServer.start();
  });
  afterAll(() => server.stop());

  test("a command's output, errors and exit code are returned", async () => {
    const outcome = await winrmCommand(server, "echo héllo; echo bad >&2; exit 3");
    expect(outcome.output).toEqual({ stdout: "héllo\n", stderr: "bad\n", exitCode: 3 });
    expect(failureOf(outcome)).toEqual({
      code: "nonzero_exit",
      message: "The command ended with exit code 3. Last line of stderr: bad",
    });
    expect(outputOf(await winrmCommand(server, "true\n"))).toEqual({ stdout: "", stderr: "", exitCode: 0 });
  });

  test("every message over HTTP is encrypted, and the shell is deleted at the end", async () => {
    await winrmCommand(server, "echo mark-of-this-test");
    const log = await server.log();
    const messages = log.filter(({ message }) => message !== undefined);
    expect(messages.every(({ encrypted }) => encrypted === true)).toBe(true);
    expect(log.filter(({ refused }) => refused !== undefined)).toEqual([]);
    const from = messages.findLast(({ message }) => message?.includes("mark-of-this-test"))?.connection;
    const actions = messages
      .filter(({ connection }) => connection === from)
      .map(({ message }) => /Action[^>]*>[^<]*\/(\w+)</u.exec(message ?? "")?.[1]);
    expect(actions[0]).toBe("Create");
    expect(actions[1]).toBe("Command");
    expect(actions[2]).toBe("Send");
    expect(actions.slice(3, -1).every((action) => action === "Receive")).toBe(true);
    expect(actions.at(-1)).toBe("Delete");
  });

  test("a command with XML's special characters arrives unchanged", async () => {
    const outcome = await winrmCommand(server, `printf %s '<a b="c">&amp;]]></a>'`);
    expect(textOf(outputOf(outcome), "stdout")).toBe(`<a b="c">&amp;]]></a>`);
  });

  test.each([
    ["of several lines", "echo one\necho two", "cmd.exe runs one line"],
    ["longer than cmd.exe's limit", `echo ${"x".repeat(8_000)}`, "8005 characters"],
    ["without a character", " \n", "is empty"],
    ["with a character that XML cannot represent", "echo \u0007", "U+0007"],
  ])("a command %s is refused before anything is sent", async (_, command, excerpt) => {
    const before = (await server.log()).length;
    const failure = failureOf(await winrmCommand(server, command));
    expect(failure.code).toBe("invalid_params");
    expect(failure.message).toContain(excerpt);
    expect(await server.log()).toHaveLength(before);
  });

  test("a script's quotes and line breaks arrive unchanged", async () => {
    const script = "cat <<'END'\nit's ‘one’ ‚two‛ \"three\" `four`\n\n  five $HOME\nEND\n";
    expect(textOf(outputOf(await winrmScript(server, script)), "stdout")).toBe(
      'it\'s ‘one’ ‚two‛ "three" `four`\n\n  five $HOME\n',
    );
  });

  test("a script longer than a command line is sent by standard input", async () => {
    for (const filler of [1_000, 3_000, 20_000, 900_000]) {
      const script = `echo "beg''in é"\n: ${"x".repeat(filler)}\necho end; exit 5`;
      const outcome = await winrmScript(server, script);
      expect(outcome.output).toEqual({ stdout: "beg''in é\nend\n", stderr: "", exitCode: 5 });
    }
    const sent = (await server.log())
      .map(({ message }) => message ?? "")
      .filter((text) => /<rsp:Stream[^>]*>[^<]/u.test(text));
    // 3,000 and 20,000 characters are one piece each, 900,000 in base64 are nineteen; 1,000 need none.
    expect(sent).toHaveLength(21);
    expect(sent.filter((text) => text.includes('End="true"'))).toHaveLength(3);
  });

  test("a program's standard input is empty", async () => {
    const outcome = await winrmCommand(server, 'read -r line; echo "end: $?"; sort');
    expect(outputOf(outcome)).toEqual({ stdout: "end: 1\n", stderr: "", exitCode: 0 });
  });

  test("a command that ends before its input succeeds", async () => {
    for (let turn = 0; turn < 5; turn += 1) {
      expect(outputOf(await winrmCommand(server, "exec true"))).toEqual({ stdout: "", stderr: "", exitCode: 0 });
    }
  });

  test.each([
    ["whose last command failed", "true; false", 1],
    ["whose last command failed before a final comment", "false\n# done", 1],
    ["that continues after a failure", "false; true", 0],
    ["with an explicit exit code", "exit 7", 7],
    ["of a comment only", "# nothing", 0],
  ])("a script %s has PowerShell's exit code", async (_, script, exitCode) => {
    expect((await winrmScript(server, script)).output).toEqual({ stdout: "", stderr: "", exitCode });
  });

  test("PowerShell's errors become plain text, without its progress records", async () => {
    const outcome = await winrmScript(server, "echo 'a <b> & _x000D_ é' >&2; echo second >&2; exit 1");
    expect(outcome.output).toEqual({ stdout: "", stderr: "a <b> & _x000D_ é\r\nsecond\r\n", exitCode: 1 });
    expect(failureOf(outcome).message).toContain("Last line of stderr: second");
  });

  test("the beginning and the end of long output are kept, within limits", async () => {
    const outcome = await winrmCommand(server, "echo first; head -c 3000000 /dev/zero | tr '\\0' x; echo; echo last");
    const output = outputOf(outcome);
    expect(output).toMatchObject({ exitCode: 0, truncated: true });
    const stdout = textOf(output, "stdout");
    expect(Buffer.byteLength(stdout)).toBeLessThanOrEqual(262_144);
    expect([stdout.startsWith("first\n"), stdout.endsWith("\nlast\n")]).toEqual([true, true]);
  });

  test("concurrent jobs have separate connections and shells", async () => {
    const outcomes = await Promise.all(
      ["1", "2", "3", "4"].map((n) => winrmCommand(server, `echo ${n}; sleep 0.1; echo ${n}`)),
    );
    expect(outcomes.map((outcome) => outcome.output?.["stdout"])).toEqual(["1\n1\n", "2\n2\n", "3\n3\n", "4\n4\n"]);
  });
});

describe.skipIf(winrmServerMissing !== null)("a Windows host with limits", () => {
  test("that answers before the command ends is asked again until the end", async () => {
    await using host = await started({ receiveSecondsMax: 0.05 });
    const outcome = await winrmCommand(host.server, "echo a; sleep 0.5; echo b");
    expect(outputOf(outcome)).toEqual({ stdout: "a\nb\n", stderr: "", exitCode: 0 });
    const answers = (await host.server.log()).map(({ answer }) => answer ?? "");
    expect(answers.filter((answer) => answer.includes('Code="2150858793"')).length).toBeGreaterThan(1);
  });

  test("that allows no more shells is quoted, with advice", async () => {
    await using host = await started({ maxShells: 0 });
    const failure = failureOf(await winrmCommand(host.server, "echo a"));
    expect(failure.code).toBe("quota_exceeded");
    for (const part of ["maximum number of concurrent shells", "2150859173", "MaxShellsPerUser"]) {
      expect(failure.message).toContain(part);
    }
  });

  test("that accepts only small messages is quoted, and the shell is deleted", async () => {
    await using host = await started({ maxEnvelopeBytes: 8_000 });
    const failure = failureOf(await winrmCommand(host.server, `echo ${"x".repeat(7_900)}`));
    expect(failure.code).toBe("winrm_fault");
    expect(failure.message).toContain("MaxEnvelopeSizekb");
    expect(failure.message).toContain("It was not begun; the shell made for it on the host was deleted.");
    expect((await host.server.actions()).at(-1)).toBe("Delete");
  });

  test("whose answers are changed on the way is not trusted", async () => {
    await using host = await started({ tamper: true });
    const failure = failureOf(await winrmCommand(host.server, "echo a"));
    expect(failure.code).toBe("invalid_response");
    expect(failure.message).toContain("signature does not fit");
  });
});

async function started(options: Parameters<typeof WinrmServer.start>[0]) {
  const server = await WinrmServer.start(options);
  return { server, [Symbol.asyncDispose]: () => server.stop() };
}
