/**
 * Places of templates in code. Each script of the accepted ones prints what it was given between < and >, by `PRINT` or
 * `SHOW`; the refused ones name the words with which the refusal says what to write instead.
 */
const PRINT = "printf '<%s>'";
const PRINT_AS_CODE = 'printf "<%s>"';

export type AcceptedPlace = readonly [place: string, script: string];
export type RefusedPlace = readonly [script: string, why: string];

export const ACCEPTED_BY_EVERY_SHELL: readonly AcceptedPlace[] = [
  ["a bare argument", `${PRINT} {{v}}`],
  ["double quotes", `${PRINT} "{{v}}"`],
  ["double quotes with text around it", `x="a{{v}}b"; x=\${x#a}; ${PRINT} "\${x%b}"`],
  ["a bare part of a word", `x=a{{v}}b; x=\${x#a}; ${PRINT} "\${x%b}"`],
  ["an assignment", `x={{v}}\n${PRINT} "$x"`],
  ["an assignment before a command", `X={{v}} sh -c '${PRINT_AS_CODE} "$X"'`],
  ["export", `export X={{v}}; ${PRINT} "$X"`],
  ["a command substitution", `x=$(printf '%s.' {{v}}); ${PRINT} "\${x%.}"`],
  ["a command substitution in double quotes", `x="$(printf '%s.' "{{v}}")"; ${PRINT} "\${x%.}"`],
  ["a subshell", `( ${PRINT} {{v}} )`],
  ["a group and a pipe", `{ ${PRINT} "{{v}}"; } | cat`],
  ["a branch", `if [ -n x ]; then ${PRINT} {{v}}; else echo no; fi`],
  ["a comparison", `if [ {{v}} = {{v}} ] && [ ! "{{v}}" = other ]; then ${PRINT} {{v}}; fi`],
  ["a test for length", `[ -n "{{v}}" ] || [ -z {{v}} ] && ${PRINT} {{v}}`],
  ["the words of for", `for x in {{v}}; do ${PRINT} "$x"; done`],
  ["the word of case", `case {{v}} in nothing) echo no;; *) ${PRINT} {{v}};; esac`],
  ["a local variable", `f() { local x={{v}}; local y="$(printf '%s.' {{v}})"; ${PRINT} "\${y%.}"; }; f`],
  ["a pipe into a program with its own code", `printf '%s' {{v}} | sh -c 'printf "<"; cat; printf ">"'`],
  ["a pipe beside a shell that reads", `echo 'exit 0' | sh; ${PRINT} {{v}}`],
  ["a function's arguments", `show() {\n  ${PRINT} "$1"\n}\nshow {{v}}`],
  ["set --", `set -- {{v}}; ${PRINT} "$1"`],
  ["an argument after a shell's code", `sh -c '${PRINT_AS_CODE} "$1"' _ {{v}}`],
  ["a command that a variable names", `run=printf; "$run" '<%s>' {{v}}`],
  ["a program in a folder that a variable names", `dir=/usr/bin; $dir/printf '<%s>' {{v}}`],
  ["xargs", `printf x | xargs sh -c '${PRINT_AS_CODE} "$1"' _ {{v}}`],
  ["env", `env X={{v}} sh -c '${PRINT_AS_CODE} "$X"'`],
  ["a program's code beside an exported value", `export X={{v}}; sh -c '${PRINT_AS_CODE} "$X"'`],
  ["after a comment with a quote", `# don't {{w}}\n${PRINT} {{v}} # "`],
  ["after a here-document", `cat >/dev/null <<'EOF'\nit's "$( ( \`\nEOF\n${PRINT} {{v}}`],
  ["after a here-document with tabs", `cat >/dev/null <<-EOF\n\tit's\n\tEOF\n${PRINT} {{v}}`],
  ["after a continued line", `printf \\\n'<%s>' \\\n  {{v}}`],
  ["twice", `${PRINT} {{v}} >/dev/null; ${PRINT} "{{v}}"`],
  ["a here-document", `x=$(cat <<EOF\n{{v}}.\nEOF\n); ${PRINT} "\${x%.}"`],
  ["a here-document's end of line", `x=$(cat <<E; printf .\n{{v}}\nE\n); ${PRINT} "\${x%?.}"`],
  ["a here-document with tabs", `x=$(cat <<-EOF\n\t\t{{v}}.\n\tEOF\n); ${PRINT} "\${x%.}"`],
  [
    "a here-document with quotes and expansions",
    `y=5; x=$(cat <<EOF\n"it's" $y \${y} \\$y \\\\ $(printf ')')|{{v}}|\nEOF\n); x=\${x#*|}; ${PRINT} "\${x%|}"`,
  ],
  ["a command in a here-document", `x=$(cat <<EOF\n$(printf '%s.' {{v}})\nEOF\n); ${PRINT} "\${x%.}"`],
  ["two here-documents", `x=$(cat <<A - <<B\nno\nA\n{{v}}.\nB\n); ${PRINT} "\${x%.}"`],
  [
    "a file from a here-document",
    `f=$(mktemp)\ncat > "$f" <<EOF\n{{v}}.\nEOF\nx=$(cat "$f"); rm "$f"; ${PRINT} "\${x%.}"`,
  ],
];

export const ACCEPTED_BY_BASH: readonly AcceptedPlace[] = [
  ["a here-string", `x=$(cat <<< "{{v}}."); ${PRINT} "\${x%.}"`],
  ["a bare here-string", `x=$(cat <<< {{v}}.); ${PRINT} "\${x%.}"`],
  ["an array", `x=( {{v}} b ); ${PRINT} "\${x[0]}"`],
  ["an array of one", `x=({{v}}); ${PRINT} "\${x[@]}"`],
  ["[[ … ]]", `[[ {{v}} == {{v}} && ! {{v}} =~ ^(never|x{9})$ ]] && ${PRINT} {{v}}`],
  ["a process substitution", `x=$(cat <(printf '%s.' {{v}})); ${PRINT} "\${x%.}"`],
  ["after arithmetic", `for ((i = 0; i < 1; i++)); do (( i + (2 * 3) )); ${PRINT} {{v}}; done`],
  ["a number in [ … ]", `[ {{v}} -eq 5 ] 2>/dev/null; ${PRINT} {{v}}`],
  ["arithmetic with what was checked", `n={{v}}; case $n in ''|*[!0-9]*) n=0;; esac; (( n + 1 )); ${PRINT} {{v}}`],
  ["a nested case", `x=$(case a in (a) case b in b) printf '%s.' {{v}} ;; esac ;; esac); ${PRINT} "\${x%.}"`],
];

/** Each puts the value, whole, into `got`. */
export const ACCEPTED_BY_PYTHON: readonly AcceptedPlace[] = [
  ["an expression", "got = {{v}}"],
  ["an argument", "got = str({{v}})"],
  ["an element of a list", "got = [1, {{v}}, 2][1]"],
  ["a value of a dictionary", 'got = {"a": {{v}}}["a"]'],
  ["a method's object", "got = {{v}}.replace('no such text', '')"],
  ["double quotes", 'got = "{{v}}"'],
  ["double quotes with text around it", 'got = "a{{v}}b"[1:-1]'],
  ["double quotes with escapes around it", 'got = "\\"\\\\{{v}}\\n"[2:-1]'],
  ["single quotes", "got = '{{v}}'"],
  ["single quotes with text around it", `got = '"a\\'{{v}}"b'[3:-2]`],
  ["the prefix u", 'got = u"a{{v}}b"[1:-1]'],
  ["a raw string", "got = r'\\w{{v}}\\'x'[2:-3]"],
  ["a raw string in double quotes", 'got = R"\\\\{{v}}"[2:]'],
  ["a long string", 'got = """{{v}}"""'],
  ["a long string with quotes and lines", 'got = """\n"a" "{{v}}" ""{{v}}"" it\'s\n"""[6:].split(\'" ""\')[0]'],
  ["a long string with escaped quotes", 'got = """\\"""\\\\"{{v}}\\""""[5:-1]'],
  ["a long string in single quotes", `got = '''{"a": '{{v}}'}'''[7:-2]`],
  ["a long raw string", 'got = r"""\\d{{v}}\\d"""[2:-2]'],
  ["an f-string's name", 'name = {{v}}\ngot = f"a{name}b{{"{{"}}c}}"[1:-4]'],
  ["a docstring beside it", 'def f():\n  """About {{v}}."""\n  return {{v}}\ngot = f()'],
  ["twice in double quotes", 'got = "{{v}}|{{v}}"[len({{v}}) + 1:]'],
  ["an argument in double quotes", 'got = str("{{v}}")'],
  [
    "a list of arguments for a program",
    "import subprocess\ngot = subprocess.run(['printf', '%s', {{v}}], stdout=-1).stdout.decode()",
  ],
  [
    "the same without a shell",
    'import subprocess\ngot = subprocess.run(["printf", "%s", "{{v}}"], stdout=-1, shell=False).stdout.decode()',
  ],
  [
    "a list that a variable holds",
    'import subprocess\ncommand = ["printf", "%s", {{v}}]\ngot = subprocess.run(command, stdout=-1).stdout.decode()',
  ],
  [
    "a parameter of a query",
    'import sqlite3\ngot = sqlite3.connect(":memory:").execute("select ?", ({{v}},)).fetchone()[0]',
  ],
  ["an argument of a format", 'got = "{}".format({{v}})'],
  ["an argument of %", 'got = "%s" % ({{v}},)'],
  ["a pattern", "import re\nre.compile(re.escape({{v}}))\ngot = {{v}}"],
  ["after a comment with a quote", "# don't {{w}}\ngot = {{v}}  # \""],
  ["after a long text", "x = '''it's \" {{\"{{\"}} #'''\ngot = {{v}}"],
  ["after an f-string", "x = f'{1 + 1:>3}'\ngot = {{v}}"],
  ["over several lines", 'got = (\n  "{{v}}"  # the first\n  + ""\n)'],
  ["after a raw string", "x = r'\\w'\ngot = {{v}}"],
  ["in a branch", 'if {{v}} == {{v}}:\n  got = "{{v}}"\nelse:\n  got = None'],
  ["a code beside it that is written out", 'eval("1 + 1")\ngot = {{v}}'],
  ["a generator", "got = ''.join(c for c in {{v}} if c is not None)"],
];
