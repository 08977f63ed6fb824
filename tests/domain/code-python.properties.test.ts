import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { checkCode, renderCode } from "../../worker/domain/template.ts";

/**
 * Scripts put together at random from the pieces that decide how Python reads what follows. Most are refused, or are no
 * Python at all; in those that are accepted a value must never run.
 */
const PIECES = [
  ...`" ' """ ''' f" f' r" r' b" rb" f""" \\ \\\\ # ( ) [ ] { } , . : ; = == + % * @ -> := x y eval exec compile str print`.split(
    " ",
  ),
  ..."if else for in is not and or lambda return def class import as None 1 shell=True shell= -c bash sh format".split(
    " ",
  ),
  ..."eval(|exec(|os.system(|os.popen(|subprocess.run(|subprocess.run([|getattr(|x = |y = x|def f(a):|f(|return a|.format(|timeit.timeit(".split(
    "|",
  ),
  '"bash", "-c", ',
  "'sh', '-c', ",
  ", shell=True)",
  "{x}",
  "{y}",
  "\\\n",
  "\n",
  "\n  ",
  "\t",
  "\r",
  "é",
];
const TEMPLATE = "{{v}}";
const script = fc
  .array(fc.tuple(fc.constantFrom(...PIECES, TEMPLATE, TEMPLATE, TEMPLATE, "\n", " "), fc.constantFrom("", " ")), {
    minLength: 2,
    maxLength: 10,
  })
  .map((pieces) => pieces.flat().join(""));
/** And scripts that are Python, in which values go from hand to hand: holes `_` are filled with the next expressions. */
const LINES = [
  ..."x = _|y = _|x += _|x, y = _, _|x = [_, _]|d = {'a': _}|x = d['a']|def f(a, b=_): return a|def f(a): eval(a)|f(_)|x = f(_)|eval(_)".split(
    "|",
  ),
  ..."exec(_)|os.system(_)|os.popen(_)|subprocess.run(_, shell=True)|subprocess.run([_, _, _])|subprocess.run(['bash', '-c', _, _])|subprocess.run(['sh', 'f', _])|subprocess.run(['ssh', _, _])|subprocess.run(_)|print(_)|g = eval".split(
    "|",
  ),
  ..."g(_)|for x in [_]: pass|if _: y = _|with open(_) as x: pass|getattr(os, _)(_)|timeit.timeit(_, number=1)|class C: a = _".split(
    "|",
  ),
  ..."assert _, _|x = (_ if _ else _)|[eval(z) for z in [_]]|map(eval, [_])|(lambda a: eval(a))(_)|y = os.system; y(_)|f'''{_}'''".split(
    "|",
  ),
];
const EXPRESSIONS = [
  ...`{{v}}|{{v}}|"{{v}}"|'{{v}}'|"""a{{v}}"""|r'{{v}}'|f'{x}'|f"{y}"|x|y|x + y|"a" + x|str(_)|_ + _|_.strip()|'a'|"1"`.split(
    "|",
  ),
  ...`'bash'|"sh"|'touch'|[_]|(_, _)|{'a': _}['a']|(lambda: _)()|''.join([_])|'%s' % _|'{}'.format(_)|_ or _|os.environ`.split(
    "|",
  ),
];
const python = fc
  .tuple(
    fc.array(fc.constantFrom(...LINES), { minLength: 1, maxLength: 4 }),
    fc.array(fc.constantFrom(...EXPRESSIONS), { minLength: 12, maxLength: 12 }),
  )
  .map(([lines, fillers]) => {
    let text = lines.join("\n");
    for (const filler of fillers) text = text.replace(/(?<![A-Za-z_])_(?![A-Za-z_])/u, () => filler);
    return text;
  });
const value = fc.constantFrom(
  "open('EXECUTED', 'w')",
  '" + open("EXECUTED", "w") + "',
  "' + str(open('EXECUTED', 'w')) + '",
  '"""\nopen("EXECUTED", "w")\n"""',
  "\nopen('EXECUTED', 'w')\n",
  "{open('EXECUTED', 'w')}",
  "touch EXECUTED",
  "; touch EXECUTED;",
  "$(touch EXECUTED)",
);

let directory: string;
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), "bellhop-python-"));
});
afterAll(() => rmSync(directory, { recursive: true, force: true }));

test("no value runs in a random script that Python's rules accept", () => {
  const samples = [
    ...fc.sample(fc.tuple(script, value), { numRuns: 40_000, seed: 20_261_121 }),
    ...fc.sample(fc.tuple(python, value), { numRuns: 10_000, seed: 20_261_121 }),
  ];
  const jobs = samples.flatMap(([text, given]) => {
    if (!text.includes(TEMPLATE) || checkCode("python", text).length > 0) return [];
    const rendered = renderCode("python", text, () => given);
    if (!rendered.ok) throw new Error(`accepted, and not rendered: ${rendered.failure.message}`);
    return Object.keys(rendered.values).length === 0
      ? []
      : [{ written: text, text: rendered.text, values: rendered.values }];
  });
  const child = Bun.spawnSync(["python3", "-W", "ignore", "-c", RUN_EACH], {
    cwd: directory,
    env: { PATH: process.env["PATH"] ?? "" },
    stdin: Buffer.from(JSON.stringify(jobs)),
  });
  const { compiled, executed } = JSON.parse(child.stdout.toString().split("\n").at(-1) ?? "");
  expect(executed).toEqual([]);
  expect(compiled).toBeGreaterThan(500);
});

/** Runs each script in one process, and tells which of them made the file that only a value names. */
const RUN_EACH = `
import io, json, os, signal, subprocess, sys, timeit
def stop(*_):
    raise KeyboardInterrupt
signal.signal(signal.SIGALRM, stop)
out, compiled, executed = sys.stdout, 0, []
sys.stdout = io.StringIO()
for job in json.load(sys.stdin):
    os.environ.update(job["values"])
    try:
        signal.alarm(5)
        code = compile(job["text"], "job", "exec")
        compiled += 1
        exec(code, {"os": os, "subprocess": subprocess, "timeit": timeit, "x": "x", "y": "y"})
    except BaseException:
        pass
    if os.path.exists("EXECUTED"):
        executed.append(job["written"])
        os.remove("EXECUTED")
signal.alarm(0)
out.write("\\n" + json.dumps({"compiled": compiled, "executed": executed}))
`;
