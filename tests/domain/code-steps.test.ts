import { describe, expect, test } from "bun:test";
import type { CodeLanguage } from "../../schema/contract/action.ts";
import { checkCode } from "../../worker/domain/template/index.ts";
import { Steps, TooComplex } from "../../worker/domain/steps.ts";

/** Text that a careless lexer would read repeatedly or with deep recursion. */
const PATTERNS = [
  ...'{{ {{a {{a| {{!}} {{a}} \' " \'" "$( ( (( [ a[ [[ ] ${ $ $( $((1)) ` # <<E << -- --% /* $a$ $a1$ :a :: \'\'\' """'.split(
    " ",
  ),
  ...'f"{ f\'{}\' r\' @"\n @\'\n \n"@ <# #> \\\n \\ \r\n \n \t é \u{1f4a5} \u201c "w", ${a: a[b]= "{{a}}" "$({{a}} \n{{a}}'.split(
    " ",
  ),
  ..."sudo |declare |declare -a |let | -eq |unset |{{ | |{{a }}".split("|"),
  "{{a | split:'x'}}\n",
  '{{a | default:"',
];
const LANGUAGES = ["bash", "sh", "powershell", "python", "cmd", "sql"] as const;

test.each(LANGUAGES)("twice the code costs at most 2.2 times the steps for every repeated text: %s", (language) => {
  for (const pattern of PATTERNS) {
    const [once = 0, twice = 0] = [16_000, 32_000].map((length) => {
      const steps = new Steps(Number.POSITIVE_INFINITY);
      const text = `{{v}} ${pattern.repeat(length / pattern.length)}`;
      checkCode(language, text, new Set(["NAME"]), steps);
      return steps.spent;
    });
    expect({ pattern, isLinear: once >= 2_000 && twice <= 2.2 * once }).toEqual({ pattern, isLinear: true });
  }
});

describe("texts that once stopped the service", () => {
  test.each<[string, CodeLanguage, string]>([
    ["30,000 words in a list", "python", `subprocess.run(["sh",${'"w",'.repeat(30_000)}"{{w.v}}"])`],
    ["20,000 times sudo", "bash", `${"sudo ".repeat(20_000)}ls {{w.v}}`],
  ])("%s are checked in few steps", (_name, language, text) => {
    const steps = new Steps();
    expect(checkCode(language, text, new Set(), steps).problems).toEqual([]);
    expect(steps.spent).toBeLessThan(2 * text.length);
  });

  test.each([
    ["large scripts", "x".repeat(200_000)],
    ["scripts with tens of thousands of templates", "{{v}}\n".repeat(33_000)],
  ])("many copies of %s are too complex together, and one copy is not", (_name, text) => {
    const steps = new Steps();
    const check = () => checkCode("bash", text, new Set(), steps);
    expect(check).not.toThrow();
    expect(() => Array.from({ length: 20 }, check)).toThrow(TooComplex);
  });
});
