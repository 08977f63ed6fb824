import fc from "fast-check";

type Shell = "bash" | "sh";

export interface NestedScript {
  readonly text: string;
  /** The script's output, with its templates. */
  readonly printed: string;
}

/** Scripts that print `{{v}}` from argument position, each with its output. */
const PLACES: readonly (readonly [script: string, printed: string, shell?: "bash"])[] = [
  ["printf '<%s>' {{v}}", "<{{v}}>"],
  ["printf '<%s>' \"{{v}}\" '{{v}}'", "<{{v}}><{{v}}>"],
  ['printf "<%s>" "a {{v}} b"', "<a {{v}} b>"],
  ["printf '<%s>' a{{v}}b --name={{v}} /srv/{{v}}.log x-{{v}}", "<a{{v}}b><--name={{v}}></srv/{{v}}.log><x-{{v}}>"],
  ["printf '<%s>' {{v}}{{w}} \"{{v}}\"{{w}}", "<{{v}}{{w}}><{{v}}{{w}}>"],
  ["x={{v}}; printf '<%s>' \"$x\"", "<{{v}}>"],
  ["x='{{v}}'\nsh -c 'printf \"<%s>\" \"$1\"' _ $x", "<{{v}}>"],
  ["set -- {{v}} {{w}}; printf '<%s>' \"$@\"", "<{{v}}><{{w}}>"],
  ["f() { printf '<%s>' \"$2\"; }; f a {{v}}", "<{{v}}>"],
  ["for x in {{v}} \"{{w}}\"; do printf '<%s>' $x; done", "<{{v}}><{{w}}>"],
  ["case {{v}} in '{{v}}') printf '<%s>' {{v}};; *) printf no;; esac", "<{{v}}>"],
  ["if [ {{v}} = \"{{v}}\" ]; then printf '<%s>' {{v}}; else printf no; fi", "<{{v}}>"],
  ["# it's {{v}}\nprintf '<%s>' {{v}} # {{w}}", "<{{v}}>"],
  ["printf '<%s>' $(printf %s {{v}}) `printf %s {{v}}`", "<{{v}}><{{v}}>"],
  ["printf '%s\\n' {{v}} | xargs printf '<%s>'", "<{{v}}>"],
  ["printf '%s\\n' a | xargs -I@ printf '<%s>' @{{v}}", "<a{{v}}>"],
  ["printf '%s\\n' {{v}} | while read -r x; do printf '<%s>' \"$x\"; done", "<{{v}}>"],
  ['env X={{v}} sh -c \'printf "<%s>" "$X"\'', "<{{v}}>"],
  ["find . -maxdepth 0 -exec printf '<%s>' {{v}} \\;", "<{{v}}>"],
  ["cat <<END\n<{{v}}>\n$TITLE\nEND", "<{{v}}>"],
  ["cat <<END\n{{v}}\n$TITLE\nEND", "{{v}}\ntouch canary"],
  ["cat <<'END'\n{{v}}\ntouch canary\n{{w}}\nEND", "{{v}}\ntouch canary\n{{w}}"],
  ["cat <<-END\n\t{{v}}\n\t$TITLE\n\tEND", "{{v}}\ntouch canary"],
  ['x=$(cat <<END\nE\\\n{{v}}\n$TITLE\nEND\n); printf "%s" "$x"', "E{{v}}\ntouch canary"],
  ["sh <<END\nprintf '<%s>' {{v}}\nEND", "<{{v}}>"],
  ["printf '<%s>' \"$(cat <<< {{v}})\"", "<{{v}}>", "bash"],
  ["a=( {{v}} {{w}} ); printf '<%s>' \"${a[@]}\"", "<{{v}}><{{w}}>", "bash"],
  ["[[ {{v}} == \"{{v}}\" && x != {{v}}y ]] && printf '<%s>' {{v}}", "<{{v}}>", "bash"],
  ["printf '<%s>' $'{{v}}' $\"{{v}}\"", "<{{v}}><{{v}}>", "bash"],
  ["mapfile -t x < <(printf '%s\\n' {{v}}); printf '<%s>' \"${x[@]}\"", "<{{v}}>", "bash"],
  ["declare -A m=( [k]={{v}} ); printf '<%s>' \"${m[k]}\"", "<{{v}}>", "bash"],
];

/** Delimiters of the here-documents in these scripts, whole or in part. */
export const DELIMITERS = ["END", "END0", "END1", "END2", "ND"];

interface Wrapper {
  /** The shell of the code inside; the outer shell by default. */
  readonly inner?: Shell;
  /** Requires bash as the outer shell. */
  readonly bash?: true;
  readonly wrap: (code: string, end: string) => string;
}

const single = (code: string) => `'${code.replaceAll("'", `'\\''`)}'`;
const double = (code: string) => `"${code.replaceAll(/[\\"$`]/gu, "\\$&")}"`;
const ansi = (code: string) => `$'${code.replaceAll(/[\\']/gu, "\\$&")}'`;
const document = (code: string) => code.replaceAll(/[\\$`]/gu, "\\$&");

const WRAPPERS: readonly Wrapper[] = [
  { inner: "sh", wrap: (code) => `sh -c ${double(code)}` },
  { inner: "bash", wrap: (code) => `bash -c ${single(code)}` },
  { inner: "bash", wrap: (code) => `exec bash -c ${double(code)} a` },
  { inner: "sh", wrap: (code) => `ssh app@host ${single(code)}` },
  { inner: "sh", wrap: (code) => `ssh host sh -c ${double(single(code))}` },
  { inner: "sh", wrap: (code) => `su - app -c ${double(code)}` },
  { inner: "bash", wrap: (code) => `sudo bash -c ${single(code)}` },
  { wrap: (code) => `eval ${double(code)}` },
  { wrap: (code) => `eval eval ${single(single(code))}` },
  { inner: "sh", wrap: (code) => `env A=1 sh -c ${single(code)}` },
  { inner: "sh", wrap: (code) => `find . -maxdepth 0 -exec sh -c ${double(code)} \\;` },
  { inner: "sh", wrap: (code) => `printf 'a\\n' | xargs -n1 sh -c ${single(code)}` },
  { inner: "bash", wrap: (code) => `printf '%s\\n' ${double(code)} | bash` },
  { inner: "sh", wrap: (code, end) => `sh <<'${end}'\n${code}\n${end}` },
  { inner: "bash", wrap: (code, end) => `cat <<${end} | bash\n${document(code)}\n${end}` },
  { inner: "sh", wrap: (code, end) => `cat >script <<\\${end}\n${code}\n${end}\nsh script` },
  { wrap: (code, end) => `eval "$(cat <<${end}\n${document(code)}\n${end}\n)"` },
  { wrap: (code) => `x=$(\n${code}\n)\nprintf '%s\\n' "$x"` },
  { wrap: (code) => `x=\` ${code.replaceAll(/[\\`]/gu, "\\$&")}\n\`\nprintf '%s\\n' "$x"` },
  { wrap: (code) => `g() {\n${code}\n}\ng | cat` },
  { wrap: (code) => `for i in 1; do\nif true; then (\n${code}\n); fi\ndone` },
  { wrap: (code) => `(\ntrap ${single(code)} EXIT\n:\n)` },
  { wrap: (code) => `CODE=${single(code)}\neval "$CODE"` },
  { inner: "bash", bash: true, wrap: (code) => `bash -c ${ansi(code)}` },
  { inner: "bash", bash: true, wrap: (code) => `bash <(printf '%s\\n' ${single(code)})` },
  { inner: "bash", bash: true, wrap: (code) => `bash <<< ${double(code)}` },
];

/** A script for this shell with a template in up to three layers of quotes and shells. */
export function nestedScript(shell: Shell): fc.Arbitrary<NestedScript> {
  return fc.tuple(fc.nat(10_000), fc.array(fc.nat(10_000), { maxLength: 3 })).map(([place, layers]) => {
    const wrappers: Wrapper[] = [];
    let inner = shell;
    for (const layer of layers) {
      const wrapper = pick(
        WRAPPERS.filter(({ bash }) => inner === "bash" || bash !== true),
        layer,
      );
      wrappers.unshift(wrapper);
      inner = wrapper.inner ?? inner;
    }
    const [code, printed] = pick(
      PLACES.filter(([, , only]) => inner === "bash" || only === undefined),
      place,
    );
    const text = wrappers.reduce((code, { wrap }, depth) => wrap(code, `END${depth}`), code);
    return { text: `${text}\n`, printed };
  });
}

/** Python that prints `{{v}}` from its own strings, each with its output. */
const PYTHON_PLACES: readonly (readonly [script: string, printed: string])[] = [
  ["print('<{{v}}>', \"{{w}}\", 'it\\'s {{v}}')", "<{{v}}> {{w}} it's {{v}}"],
  ["print(r'\\d{{v}}', '''\n{{v}} \"{{w}}\"\n''', u'{{v}}', b'{{v}}')", "\\d{{v}} \n{{v}} \"{{w}}\"\n {{v}} b'{{v}}'"],
  ["# it's\nx = {'{{v}}': ['{{w}}']}\nprint(*x, *x['{{v}}'])", "{{v}} {{w}}"],
  ["name = '{{v}}'\nprint(f'<{name}> {1 + 1}', '%s' % '{{w}}', '{}'.format('{{v}}'))", "<{{v}}> 2 {{w}} {{v}}"],
  ["import subprocess\nsubprocess.run(['printf', '<%s>', '{{v}}', \"--x={{w}}\"])", "<{{v}}><--x={{w}}>"],
  ["import sqlite3\nprint(sqlite3.connect(':memory:').execute(\"select '{{v}}'\").fetchone()[0])", "{{v}}"],
];

/** Python with its own template, or with a script of `nestedScript` in a string. */
export const pythonScript: fc.Arbitrary<NestedScript> = fc.oneof(
  fc.constantFrom(...PYTHON_PLACES).map(([text, printed]) => ({ text, printed })),
  fc.tuple(nestedScript("sh"), fc.boolean()).map(([{ text, printed }, isLong]) => ({
    text: `import os\nos.system(${isLong ? longString(text) : JSON.stringify(text)})\n`,
    printed,
  })),
);

function longString(text: string): string {
  return `"""${text.replaceAll(/[\\"]/gu, "\\$&")}"""`;
}

function pick<T>(from: readonly T[], index: number): T {
  const found = from[index % from.length];
  if (found === undefined) throw new Error("there is nothing to pick from");
  return found;
}
