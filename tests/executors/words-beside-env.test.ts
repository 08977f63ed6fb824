import { expect, test } from "bun:test";
import fc from "fast-check";
import { codeProblems, renderedCode } from "../support/in-place-code.ts";
import { runScripts } from "../support/script-runs.ts";
import { FULL } from "../support/full.ts";

/**
 * Bash arithmetic evaluates the content of a variable that it names. A hostile value is in `env`, and a word in place
 * tries to name that variable: directly, in parts, or by a copy in the script.
 */
const SEED = FULL ? {} : { seed: 20_261_123 };
const ENV = { TITLE: "a[$(touch canary)]", X_1: "a[`touch canary`]" };

/** Statements that give `n` the value. */
const FLOWS = [
  ..."n={{v}};n='{{v}}';n=TI{{v}};n={{v}}LE;n=TI\"{{v}}\";n='{{v}}'LE;n=TI\\\n{{v}};n={{v}}{{w}};n=_{{v}};n=X_{{v}}".split(
    ";",
  ),
  "p=TI; n=${p}{{v}}",
  "n=TI; n+={{v}}",
  "n={{v}}; n=${n^^}",
  "n={{v}}; n=${n#x}",
  "n=$(printf %s {{v}} | tr a-z- A-Z_)",
  "read -r n <<< {{v}}",
  "for n in {{v}}; do :; done",
  "set -- {{v}}; n=$1",
  "printf -v n %s {{v}}",
  "mapfile -t n <<< {{v}}",
  "declare n={{v}}",
  "n=$(cat <<E\n{{v}}\nE\n)",
  "echo {{v}} >f; read -r n <f",
  "f() { n=$1; }; f {{v}}",
  "declare -n n={{v}}",
  "true {{v}}; n=$_",
  "n={{v | int}}",
  'n={{v | oneOf:"5","6"}}',
  "n={{v | lower}}",
  "n={{v | upper}}",
  "n=5 # {{v}}",
  "n=5; echo {{v}}",
  "declare -r n={{v}}",
  "x={{v}}; n=$x",
];

/** Statements that copy a hostile value to places outside the environment. */
const COPIES = [
  ":",
  ":",
  "x=$TITLE",
  'title="$TITLE"',
  'read -r t <<< "$TITLE"',
  'read <<< "$TITLE"',
  "[[ $TITLE =~ .* ]]",
  'mapfile <<< "$TITLE"',
  'getopts x: o -x "$TITLE"',
  'true "$TITLE"',
  'shopt -s extdebug; set -- "$TITLE"',
];

const ARITHMETIC = [
  ..."(( n ))|(( n > 5 ))|echo $(( n + 1 ))|echo $((2 * (n + 1)))|let n+=1|let 'm = n'|[[ n -eq 1 ]]|[[ $n -gt 3 ]]".split(
    "|",
  ),
  ..."declare -i m=n|declare -i m; m=n|a[n]=1|echo ${a[n]}|echo ${a[$n]}|a=([n]=1)|x=abc; echo ${x:n}|x=abc; echo ${x:0:n}".split(
    "|",
  ),
  ..."set -- a b; echo ${@:n}|for ((i = 0; i < n; i++)); do break; done|((\nn\n))|echo $[ n ]|m=$(( (1 + (2))\n+ n ))".split(
    "|",
  ),
  ...'printf %d "$n"|test "$n" -gt 1|[ "$n" -eq 1 ]|unset \'a[n]\'|[[ -v a[n] ]]|OPTIND=$n|RANDOM=$n|typeset -xi m=$n'.split(
    "|",
  ),
  ..."sh -c \"echo $((n))\"|bash -c 'n='$n'; echo $((n))'|eval '(( n ))'|export n; bash -c '(( n ))'|g() { local -i m=$n; }; g".split(
    "|",
  ),
  ..."(( {{v}} ))|a[{{v}}]=1|x=abc; echo ${x:{{v}}}|[[ {{v}} -eq 1 ]]|let m={{v}}|declare -i m={{v}}|m=$(( 1\n+ {{v}} ))|echo ${a[{{v}}]}".split(
    "|",
  ),
  ..."[[ 1 -eq {{v | int}} ]]|echo $(( {{v | int}} ))|OPTIND={{v}}|(( TI{{v}} ))|[[ -v a[{{v}}] ]]|test {{v}} -gt 1|sleep 0{{v | int}}".split(
    "|",
  ),
];

const WORDS = [
  ..."TITLE X_1 _ TLE TIT TI LE title Title xTITLE x X 1 _1 n t i REPLY BASH_REMATCH MAPFILE OPTARG BASH_ARGV a-TITLE TITLE:1".split(
    " ",
  ),
  ..."TITLE/2 5 6 0 a X-1 x-1 BASH_REMATCH:0 PWD".split(" "),
];

const script = fc
  .tuple(
    fc.constantFrom(...COPIES),
    fc.constantFrom(...FLOWS),
    fc.constantFrom(...ARITHMETIC),
    fc.constantFrom("\n", "\n", "; "),
    fc.boolean(),
  )
  .map(([copy, flow, arithmetic, between, first]) =>
    (first ? [copy, flow, arithmetic] : [flow, copy, arithmetic]).join(between),
  );

test("no word in place makes arithmetic evaluate a value of env, directly or through a copy", async () => {
  const numRuns = FULL ? 40_000 : 4_000;
  const cases = fc.tuple(script, fc.constantFrom(...WORDS), fc.constantFrom("TLE", "x", ""));
  const names = new Set(Object.keys(ENV));
  const scripts = fc.sample(cases, { numRuns, ...SEED }).flatMap(([text, v, w]) => {
    if (codeProblems("bash", text, names).length > 0) return [];
    const found = renderedCode("bash", text, ([name]) => (name === "w" ? w : v), names);
    return "text" in found ? [found.text] : [];
  });
  const runs = await runScripts("bash", scripts, ENV);
  expect(scripts.filter((_, index) => runs[index]?.madeCanary === true)).toEqual([]);
  expect(scripts.length).toBeGreaterThan(numRuns / 20);
}, 300_000);

test("each of these scripts would execute the value if its word were accepted", async () => {
  const scripts = ["n=TITLE\n(( n ))", "x=$TITLE\nn=x\necho ${a[n]}", "n=TI; n+=TLE; let n+=1", "OPTIND=X_1"];
  const runs = await runScripts("bash", scripts, ENV);
  expect(runs.map(({ madeCanary }) => madeCanary)).toEqual([true, true, true, true]);
});
