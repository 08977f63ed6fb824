import { describe, expect, test } from "bun:test";
import { checkCode, renderCode } from "../../worker/domain/template.ts";
import { HOSTILE_VALUES } from "../support/hostile-values.ts";

/** No cmd.exe runs here: what is safe is judged by what it is known to read as its own, and everything else is left out. */
const PLAIN = /^[A-Za-z0-9_.:\\/@+-]*[A-Za-z0-9_.:/@+-]$/u;

describe("a command for cmd.exe", () => {
  test.each([
    ["net stop {{v}}", "W3SVC", "net stop W3SVC"],
    ['sc query {{v}} | find "RUNNING"', "app-pool_1.x", 'sc query app-pool_1.x | find "RUNNING"'],
    ['dir "{{v}}"', "C:\\Program Files\\App", 'dir "C:\\Program Files\\App"'],
    ['dir "{{v}}"', "", 'dir ""'],
    ["ping {{v}} & ping {{v}}", "host.example:80", "ping host.example:80 & ping host.example:80"],
    ["rem {{w}}\nping {{v}}", "a", "rem {{w}}\nping a"],
    ["echo %PATH% {{v}} %TEMP%", "user@host", "echo %PATH% user@host %TEMP%"],
  ])("%s takes %p", (command, value, text) => {
    expect(checkCode("cmd", command)).toEqual([]);
    expect(renderCode("cmd", command, () => value)).toEqual({ ok: true, text, values: {} });
  });

  test("takes a number or true as its text", () => {
    expect(renderCode("cmd", "ping -n {{v}}", () => 5)).toMatchObject({ text: "ping -n 5" });
    expect(renderCode("cmd", "echo {{v}}", () => true)).toMatchObject({ text: "echo true" });
  });

  const values = Object.entries({ ...HOSTILE_VALUES, NUL: "a\0b", FULL_WIDTH: "a\uff02b", END: "C:\\a\\" });
  test.each(values)("gets %s only when it is plain; else the node fails and says what to use", (_, value) => {
    for (const [command, plain] of [
      ["echo {{v}}", PLAIN.test(value)],
      ['echo "{{v}}"', /^ *$/u.test(value) || PLAIN.test(value.replaceAll(" ", "_"))],
    ] as const) {
      const rendered = renderCode("cmd", command, () => value);
      if (plain) expect(rendered).toMatchObject({ ok: true, text: command.replace("{{v}}", value) });
      else expect(rendered).toMatchObject({ ok: false, failure: { code: "value_not_representable" } });
      if (!rendered.ok) expect(rendered.failure.message).toContain("winrm.executeScript");
    }
  });

  test.each([
    ["a b"],
    ["a&b"],
    ["a|b"],
    ["a^b"],
    ["%a%"],
    ["!a!"],
    ["a=b"],
    ["a,b"],
    ["a;b"],
    ["(a)"],
    ["a\nb"],
    ["é"],
    [""],
  ])("does not take %p bare", (value) => {
    expect(renderCode("cmd", "echo {{v}}", () => value)).toMatchObject({ ok: false });
  });

  test.each([
    ["{{v}}", "one template alone"],
    ["{{v}} /all", "name the program"],
    ['"C:\\{{v}}\\run.exe" x', "name the program"],
    ["run-{{v}} x", "name the program"],
    ["dir & {{v}}", "name the program"],
    ["dir || ( {{v}} )", "name the program"],
    ["echo %{{v}}%", "name a variable"],
    ["echo !{{v}}!", "name a variable"],
    ["echo ^{{v}}", "leave them out"],
    ["for /f %i in ('{{v}}') do echo %i", "name the program"],
    ["for %i in ({{v}}) do echo %i", "name the program"],
    ["cmd /c {{v}}", "read the value once more"],
    ["C:\\Windows\\System32\\cmd.exe /c {{v}}", "read the value once more"],
    ["powershell -Command Get-Service {{v}}", "read the value once more"],
    ["start {{v}}", "read the value once more"],
    ["call run.bat {{v}}", "read the value once more"],
    ["set /a x={{v}}", "read the value once more"],
    ["sc create x binPath= {{v}}", "read the value once more"],
    ["if exist x cmd /c {{v}}", "read the value once more"],
    ["schtasks /create /tr {{v}}", "read the value once more"],
  ])("is refused when it is saved: %s", (command, why) => {
    expect(checkCode("cmd", command).join("\n")).toContain(why);
  });
});
