import { beforeAll, describe, expect, test } from "bun:test";
import { powershellInstaller, shellInstaller } from "../../worker/http/install/index.ts";

/**
 * PowerShell is not available here, so these tests read the script's text and do not run it. They check for mistakes
 * that a reader may overlook: unclosed quotes and brackets, syntax that Windows PowerShell 5.1 lacks, undefined names,
 * and an exit that closes the caller's session.
 */
const facts = {
  origin: "https://bellhop.example.com",
  version: "1.2.3",
  sums: [
    { target: "linux-x64", sha256: "a".repeat(64) },
    { target: "windows-x64", sha256: "b".repeat(64) },
  ],
  publicKey: Buffer.alloc(32, 7).toString("base64"),
};
const script = powershellInstaller(facts);

/** The script without comments and the contents of its strings, and the brackets that stay open at its end. */
function outline(text: string): { code: string; open: string[] } {
  const open: string[] = [];
  let code = "";
  for (const [token] of text.matchAll(/#[^\n]*|'(?:[^']|'')*'|"[^"]*"|[(){}[\]]|[\s\S]/gu)) {
    if (token.startsWith("#")) continue;
    if (token.length > 1) code += "''";
    else {
      code += token;
      if ("({[".includes(token)) open.push(token);
      if (")}]".includes(token) && open.pop() !== "([{".charAt(")]}".indexOf(token))) open.push(`stray ${token}`);
    }
  }
  return { code, open };
}

function namesIn(text: string): string[] {
  return [...text.matchAll(/\$(\w+)/gu)].map(([, name = ""]) => name);
}

describe("install.ps1", () => {
  let code: string;
  let open: string[];
  beforeAll(() => {
    ({ code, open } = outline(script));
  });

  test("is plain ASCII, because Windows PowerShell 5.1 reads downloads as Latin-1", () => {
    expect(script).toMatch(/^[\n\x20-\x7e]*$/u);
  });

  test("closes every quote, bracket and block", () => {
    expect(open).toEqual([]);
    expect(code).not.toMatch(/(?<!')'(?!')|"/u);
  });

  test("is reported as unclosed when a quote or bracket is open", () => {
    expect(outline("& { if ($a) { 'b' }").open).toEqual(["{"]);
    expect(outline("a 'b").code).toContain("'");
    expect(outline("(}").open).toEqual(["stray }"]);
  });

  test("uses no syntax newer than Windows PowerShell 5.1", () => {
    for (const later of ["&&", "||", "??", "?.", " ? ", "-Resume", "-SkipCertificateCheck", "-MaximumRetryCount"]) {
      expect([later, code.includes(later)]).toEqual([later, false]);
    }
    expect(script).not.toContain("`");
  });

  test("calls only its own functions and those of Windows PowerShell", () => {
    const own = [...code.matchAll(/function ([A-Za-z]+-[A-Za-z]+)/gu)].map(([, name]) => name ?? "");
    const known = new Set([
      ...own,
      ..."ConvertFrom-Json Get-ChildItem Get-Command Get-FileHash Get-Item Join-Path New-Object Out-Null Remove-Item".split(
        " ",
      ),
      ..."Set-StrictMode Start-Sleep Test-Path Where-Object Write-Host Write-Warning".split(" "),
    ]);
    const called = [...code.matchAll(/(?<![\w$.-])[A-Z][a-z]+-[A-Z][A-Za-z]+/gu)].map(([name]) => name);
    expect([...new Set(called)].filter((name) => !known.has(name))).toEqual([]);
    expect(own.filter((name) => called.filter((call) => call === name).length < 2)).toEqual([]);
  });

  test("uses no variable that is never set", () => {
    const automatic = "_ true false null env LASTEXITCODE ErrorActionPreference ProgressPreference".split(" ");
    const parameters = [...code.matchAll(/function [\w-]+\(([^)]*)\)/gu)].flatMap(([, list = ""]) => namesIn(list));
    const assigned = [...code.matchAll(/\$(\w+)\s*=(?!=)/gu)].map(([, name = ""]) => name);
    const known = new Set([...automatic, ...parameters, ...assigned].map((name) => name.toLowerCase()));
    expect([...new Set(namesIn(code))].filter((name) => !known.has(name.toLowerCase()))).toEqual([]);
    expect(parameters.length).toBeGreaterThan(10);
  });

  test("throws and never exits, which would close the caller's session", () => {
    expect(code).not.toMatch(/\bexit\b/u);
    expect(code).toContain("throw");
  });

  test("runs the download only after it has compared the sum", () => {
    const body = code.slice(code.indexOf("function Install-BellhopAgent"));
    const [compared, started, placed] = ["$found -ne $sum", "& $staged", "Move-BellhopIntoPlace $staged"].map((text) =>
      body.indexOf(text),
    );
    expect([compared, started, placed].every((at) => (at ?? -1) > 0)).toBe(true);
    expect([compared, started, placed]).toEqual([compared, started, placed].toSorted((a = 0, b = 0) => a - b));
  });

  test("is one block that runs only when it is complete", () => {
    const first = code.split("\n").find((line) => line.trim() !== "");
    expect(first).toBe("& {");
    expect(code.trimEnd().split("\n").slice(-2)).toEqual(["  Install-BellhopAgent", "}"]);
    for (const length of [10, 200, 1_000, script.length - 3]) {
      expect(outline(script.slice(0, length)).open[0] ?? "{").toBe("{");
    }
  });

  test("has the deployment's address, the newest release's sums and the key as literals", () => {
    expect(script).toContain("$Origin = 'https://bellhop.example.com'");
    expect(script).toContain("$Latest = '1.2.3'");
    expect(script).toContain(`'windows-x64' = '${"b".repeat(64)}'`);
    expect(script).toContain(`$DeploymentKey = '${facts.publicKey}'`);
  });

  test("keeps a quote inside its literal, as install.sh does", () => {
    const hostile = { ...facts, origin: "https://a'; iex evil; '" };
    expect(powershellInstaller(hostile)).toContain("$Origin = 'https://a''; iex evil; '''");
    expect(shellInstaller(hostile)).toContain(String.raw`origin='https://a'\''; iex evil; '\'''`);
  });
});
