import { describe, expect, test } from "bun:test";
import { codeProblems, renderedCode } from "../support/in-place-code.ts";

function rendered(text: string, value: string): string {
  const found = renderedCode("bash", text, () => value);
  return "text" in found ? found.text : found.code;
}

describe("a line that would end a here-document", () => {
  test.each([
    ["cat <<EOF\n{{x}}\n$TITLE\nEOF", "EOF"],
    ["cat <<'EOF'\na\\\n{{x}}\nb\nEOF", "EOF"],
    ["cat <<EOF\nE\\\n{{x}}\nb\nEOF", "OF"],
    ["cat <<-\\EOF\n\t{{x}}F\nb\n\tEOF", "EO"],
    ["cat <<E'O'F\n{{x}}\nEOF", "EOF"],
    ["cat <<A - <<'B'\n{{x}}\nA\nb\nB", "B"],
    ["sh -c \"cat <<'EOF'\n{{x}}\nb\nEOF\"", "EOF"],
    ["x=$(cat <<END-OF:IT\n{{x}}:IT\nEND-OF:IT\n)", "END-OF"],
    ["bash -c 'cat <<'\\''EOF'\\''\n{{x}}\nb\nEOF'", "EOF"],
    ['sh -c "sh -c \\"cat <<\\\\\\"EOF\\\\\\"\n{{x}}\nb\nEOF\\""', "EOF"],
    ['cat <<"END OF"\n{{x}} OF\nb\nEND OF', "END"],
    ["x=$(cat <<EOF\n{{x}})\nb\nEOF\n)", "EOF"],
  ])("is refused in %j with %s: what follows it would run", (text, value) => {
    expect(rendered(text, value)).toBe("unsafe_value");
    expect(rendered(text, `${value}-`)).toContain(`${value}-`);
  });

  test.each([
    ["cat <<<a; echo {{x}}\na", "a"],
    ["echo $((1 << 3)) {{x}}", "3"],
    ["cat <<EOF\n{{x}}\nEOF", "EOFF"],
  ])("is not recognized where there is no here-document: %j with %s", (text, value) => {
    expect(rendered(text, value)).toBe(text.replace("{{x}}", value));
  });
});

test.each([
  ["bash", "echo $PREFIX{{x}}"],
  ["bash", 'echo "$PREFIX{{x}}"'],
  ["sh", "$_{{x}}"],
  ["powershell", 'echo "$prefix{{x}}"'],
  ["powershell", 'echo "$env:{{x}}"'],
  ["bash", "printf 'echo \\x{{x}}' | sh"],
  ["bash", "printf 'echo \\0{{x}}' | sh"],
  ["bash", "echo $'\\u00{{x}}'"],
  ["python", "os.system('echo \\x0{{x}}')"],
] as const)("%s refuses %s: the value would become part of the text before it", (language, text) => {
  expect(codeProblems(language, text)).toEqual([expect.stringContaining("would become a part of")]);
});

test.each([
  ["bash", 'cat <<< {{x}} <<<"{{x}}" <<<{{x}}'],
  ["bash", 'echo ${PREFIX}{{x}} "$PREFIX"{{x}} "$HOST:{{x}}" $1{{x}} US{{x}} "\\n {{x}}" \\1{{x}}'],
  ["powershell", 'echo "${prefix}{{x}} $a-{{x}} C:\\x{{x}}"'],
  ["cmd", "type C:\\users\\u{{x}}"],
] as const)("%s takes %s", (language, text) => {
  expect(codeProblems(language, text)).toEqual([]);
});

test.each(["a=({{x}} b)", "echo ${dir}{{x}}", "echo *{{x}}", 'echo "$dir"{{x}}', "(ls;{{x}})", "cat <{{x}}"])(
  "in %s a value must begin with a letter, a digit or _, so that it cannot be an option",
  (text) => {
    for (const value of ["-rf", ".x"]) expect(rendered(text, value)).toBe("unsafe_value");
    expect(rendered(text, "rf")).toContain("rf");
  },
);

describe("a program in another language that runs a shell", () => {
  const TITLE = new Set(["TITLE"]);

  test.each([
    ["python", 'subprocess.run("""cat <<EOF | sh\n{{x}}\n$TITLE\nEOF\n""", shell=True)', "EOF"],
    ["python", "os.system('cat <<EOF | sh\\n{{x}}\\n$TITLE\\nEOF\\n')", "EOF"],
    ["python", 'os.system("cat <<-EOF\\n\\t{{x}}\\n\\t$TITLE\\n\\tEOF\\n")', "EOF"],
    ["powershell", "sh -c 'cat <<EOF\n{{x}}\n$TITLE\nEOF'", "EOF"],
    ["bash", "printf 'cat <<EOF | sh\\n{{x}}\\n$TITLE\\nEOF\\n' | sh", "EOF"],
    ["python", "subprocess.run(['bash', '-c', 'n={{x}}; (( n > 1 ))'])", "TITLE"],
    ["python", 'subprocess.run(["bash", "-c", "((\\n{{x}} > 1 ))"])', "TITLE"],
    ["powershell", "bash -c 'echo $(( TI\"{{x}}\" ))'", "TLE"],
  ] as const)("in %s, %s takes no %s", (language, text, value) => {
    expect(codeProblems(language, text, TITLE)).toEqual([]);
    expect(renderedCode(language, text, () => value, TITLE)).toMatchObject({ code: "unsafe_value" });
    expect(renderedCode(language, text, () => `${value}X`, TITLE)).toHaveProperty("text");
  });

  test.each([
    ["python", "print('{{x}}')", "REPLY"],
    ["python", "print('<b>{{x}}</b> {{x}}>')", "5"],
    ["powershell", "echo '{{x}}'", "if"],
  ] as const)("in %s, %s takes %s, which only a shell reads", (language, text, value) => {
    expect(renderedCode(language, text, () => value, TITLE)).toHaveProperty("text");
  });
});

test("a number is refused right before a redirection, and accepted before a tag", () => {
  expect(rendered("echo {{x}}>f", "2")).toBe("unsafe_value");
  expect(rendered('echo "<b>{{x}}</b>" {{x}} >f', "2")).toBe('echo "<b>2</b>" 2 >f');
});

test("a value behind an escape such as \\t cannot be an option", () => {
  expect(rendered("sh -c $'rm\\t{{x}}'", "-rf")).toBe("unsafe_value");
});

describe("a script with arithmetic and values of env", () => {
  const ARITHMETIC = [
    ..."(( n ))|echo $((n))|echo $[ n ]|let n+=1|[[ $n -gt 3 ]]|declare -i m=n|a[n]=1|a=([n]=1)|echo ${a[$n]}".split(
      "|",
    ),
    ...'echo ${x:n}|echo "${x:0:$n}"|unset "a[n]"|[[ -v a[n] ]]|printf -v a[n] x|OPTIND=$n|RANDOM=$n'.split("|"),
  ];

  test.each(ARITHMETIC)(
    "takes only a number or a choice as a word, because %s would evaluate a variable's name",
    (arithmetic) => {
      for (const script of [`n={{x}}\n${arithmetic}`, `${arithmetic}\nn="{{x | lower}}"`]) {
        expect(codeProblems("bash", script, new Set(["TITLE"]))).toEqual([expect.stringContaining("| int")]);
        if (!/declare/u.test(script)) expect(codeProblems("bash", script)).toEqual([]);
      }
      const pinned = `n={{x | int}} m={{y | oneOf:"1","2"}}\n${arithmetic}`;
      expect(codeProblems("bash", pinned, new Set(["TITLE"]))).toEqual([]);
    },
  );

  test.each([
    '[ "$n" -gt 3 ]',
    "[[ -f $n ]]",
    "echo ${a[@]} ${a[0]} ${x:-n} ${x:=n} ${x:0:3}",
    "grep 'a[b-d]' f | sed 's/a[^=]*=//'",
    "# letter: let's",
    "a[0]=1",
  ])("%s is not taken for arithmetic that evaluates names", (script) => {
    expect(codeProblems("bash", `echo {{x}}\n${script}`, new Set(["TITLE"]))).toEqual([]);
  });
});
