import { expect, test } from "bun:test";
import type { WordLanguage } from "../../worker/domain/template/in-place.ts";
import { codeProblems, renderedCode } from "../support/in-place-code.ts";
import { paramProblems } from "../support/problems.ts";

/**
 * The templates with which a security review ran values as code, at 5818778. No rule has to know
 * their programs: each template is refused when it is saved, or takes plain words only.
 */
const VALUES = [
  ..."$(touch PWN)|`touch PWN`|;touch PWN|touch PWN|a[$(touch PWN)]|-exec touch PWN ;|x; touch PWN|x\ntouch PWN|! touch PWN".split(
    "|",
  ),
  ..."'; touch PWN; '|\"; touch PWN; \"|--pre=touch|{touch,PWN}|touch PWN\n|x:y\nroot:pw|---\nkind: Pod|__import__('os').system('touch PWN')".split(
    "|",
  ),
];

/** Programs that start a shell behind `--`. */
const SHELLS = [
  'su root -- -c "echo {{v}}"',
  'su -- root -c "echo {{v}}"',
  'su root -- -lc "echo {{v}}"',
  'runuser root -- -c "echo {{v}}"',
  'runuser -u root -- sh -c "echo {{v}}"',
  'runuser -u app -- bash -lc "echo {{v}}"',
  'flock -- lock sh -c "echo {{v}}"',
  'flock -x -- lock sh -c "echo {{v}}"',
  "runuser -u root -- {{v}}",
  'sg grp -- -c "echo {{v}}"',
  'script -q /dev/null -- -c "echo {{v}}"',
  'flock lock -- sh -c "echo {{v}}"',
];

/** Variables with the attribute integer. */
const INTEGERS = [
  "declare -i n; read -r n <<< {{v}}",
  "declare -i n; for n in {{v}}; do :; done",
  "declare -i n; while read -r n; do :; done <<< {{v}}",
  'declare -"i" n; n={{v}}',
  "o=-i; declare $o n; n={{v}}",
  "d=declare; $d -i n; n={{v}}",
  "shopt -s expand_aliases; alias di='declare -i'\ndi n; n={{v}}",
  "declare -i n; n={{v}}",
];

/** Values that pass from one program to another until one runs them. */
const FLOWS = [
  'gen() { echo "echo {{v}}"; }; gen | bash',
  "gen() {\ncat <<E\necho {{v}}\nE\n}; gen | bash",
  'x={{v}}; : "${y:=$x}"; bash -c "echo $y"',
  'x={{v}}; : "${y:=$x}"; eval "$y"',
  'x={{v}}; : "${y:=$x}"; echo $((y))',
  `echo {{v}} | awk '{system("ping -c1 " $1)}'`,
  `echo {{v}} | awk '{print | "sh"}'`,
  "echo {{v}} | awk '{$0 | getline}'",
  "echo {{v}} | perl -ne 'system $_'",
  "echo {{v}} | perl -ne 'eval'",
  "echo {{v}} | perl -pe 's/.*/`$&`/e'",
  "echo {{v}} | python3 -c 'exec(input())'",
  "echo {{v}} | python3 -c 'import os,sys; os.system(sys.stdin.read())'",
  "echo {{v}} | python3 -c 'import os; [os.system(l) for l in open(0)]'",
  "echo {{v}} | xargs -d '\\n' sh -c 'eval \"$1\"' _",
  "echo {{v}} | xargs -n1 sh -c 'eval \"$0\"'",
  "perl -e 'print qx{$ARGV[0]}' {{v}}",
  "perl -e 'print qx/$ARGV[0]/' {{v}}",
  "perl -e 'readpipe $ARGV[0]' {{v}}",
  "perl -e '$_ = shift; s/(.*)/$1/ee' {{v}}",
  "k=v; v={{v}} k=v perl -e 'system($ENV{$ENV{k}})'",
  "gawk 'BEGIN { f = \"system\"; @f(ARGV[1]) }' {{v}}",
  'python3 -c \'import sys; getattr(__import__("os"), "sys" + "tem")(sys.argv[1])\' {{v}}',
  'set -- R {{v}}; eval "$1=\\$2"; eval "$R"',
  'x={{v}}; y=x; eval "\\$$y"',
  "shopt -s expand_aliases; BASH_ALIASES[foo]={{v}}\nfoo",
  "BASH_CMDS[foo]={{v}}; foo",
  'x={{v}}; history -s "$x"; fc -s',
  "git grep -O{{v}} x",
  "setarch x86_64 {{v}}",
  "choom -n 0 -- {{v}}",
  "dbus-run-session -- {{v}}",
  "RSYNC_RSH={{v}} rsync a b:c",
  "export X={{v}}; make",
  'x="{{v}}"; find . $x',
  "x={{v}}; env | sh",
  "x={{v}}; . <(env)",
  'su - app -c "cd /srv && ./deploy {{v}}"',
];

const PYTHON = [
  'subprocess.run(["sh", "-c", "eval $1", "_", "{{v}}"])',
  'os.popen("sh", "w").write("{{v}}")',
  'trace.Trace().run("{{v}}")',
  'bdb.Bdb().run("{{v}}")',
  'code.interact(readfunc=lambda p: "{{v}}")',
  'f = c.executescript; f("select {{v}}")',
  'getattr(c, "executescript")("select {{v}}")',
  `subprocess.run(["awk", "-v", "x={{v}}", "BEGIN { system(x) }"])`,
  'subprocess.run(["setarch", "x86_64", "{{v}}"])',
  'subprocess.run(["flock", "l", "{{v}}"])',
  'test.support.script_helper.assert_python_ok("-c", "{{v}}")',
  'os.environ["PATH"] = "{{v}}"; os.system("ls")',
  "df.query(\"host == '{{v}}'\")",
  "trace.Trace().run({{v}})",
  "subprocess.run(['sh', '-c', {{v}}])",
];

/** Programs that run an argument, and files that programs run. */
const PROGRAMS = [
  'smbclient -c "get {{v}}" //a/b',
  'lftp -e "get {{v}}" host',
  "rename 's/x/{{v}}/' *",
  'ansible-playbook -e "host={{v}}" site.yml',
  "psql -v t={{v}} <<'E'\nselect :t\nE",
  'sshpass -p x ssh h "echo {{v}}"',
  "docker exec app {{v}}",
  "fd -x {{v}}",
  "rg --pre {{v}} a",
  "start-stop-daemon -S -x /bin/sh -- -c {{v}}",
  "bash --rcfile {{v}} -i",
  "cat <<E | kubectl apply -f -\nmetadata:\n  name: {{v}}\nE",
  'echo "{{v}}:pw" | chpasswd',
  'echo "* * * * * root echo {{v}}" > /etc/cron.d/x',
  'curl -d "{\\"text\\":\\"{{v}}\\"}" example.org',
  "helm upgrade a b --set tag={{v}}",
  "nsupdate <<E\nupdate add {{v}} 60 A 10.0.0.1\nE",
];

const TEMPLATES: readonly (readonly [WordLanguage, string])[] = [
  ...[...SHELLS, ...INTEGERS, ...FLOWS, ...PROGRAMS].map((text) => ["bash", text] as const),
  ...PYTHON.map((text) => ["python", text] as const),
];

test("the list has every template of the review", () => {
  expect(TEMPLATES.length).toBeGreaterThanOrEqual(74);
});

test.each(TEMPLATES)(
  "%s %s: no value of the review is rendered, and a plain word only where it is allowed",
  (language, text) => {
    const isRefused = codeProblems(language, text).length > 0;
    expect(isRefused).toBe(/declare -i|\$\(\(|[( ]\{\{v\}\}[)\]]/u.test(text));
    if (isRefused) return;
    for (const value of VALUES) {
      expect({ value, ...renderedCode(language, text, () => value) }).toMatchObject({ value, code: "unsafe_value" });
    }
    expect(renderedCode(language, text, () => "web-1.2_a")).toEqual({ text: text.replace("{{v}}", "web-1.2_a") });
  },
);

test.each(['eval "$BELLHOP_VALUE_1"', ". <(env)"])(
  "no value has a name that Bellhop once gave to values: %s",
  (script) => {
    const params = { script, env: { BELLHOP_VALUE_1: "{{webhook.v}}" } };
    expect(paramProblems("script.bash", params).map(({ path }) => path)).toEqual(["params.env.BELLHOP_VALUE_1"]);
  },
);
