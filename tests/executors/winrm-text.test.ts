import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { ClixmlDecoder } from "../../agent/executors/winrm/clixml.ts";
import { faultIn } from "../../agent/executors/winrm/faults.ts";
import { COMMAND_LINE_MAX_CHARS, powerShellCall } from "../../agent/executors/winrm/powershell.ts";
import { elementOf, elementsOf, escapeXml, notForXml, readXml } from "../../agent/executors/winrm/xml.ts";

describe("the XML reader", () => {
  test("reads elements, attributes, text, CDATA, references and comments, and drops prefixes", () => {
    const root = readXml(
      `\uFEFF<?xml version="1.0"?><!-- c --><s:a xmlns:s="u" b='&quot;1&apos;' x:c = "2"><d/>one &lt;&#x20AC;&#8364;&amp;<![CDATA[<&]]><s:e>f</s:e>\n</s:a>\n`,
    );
    expect(root).toMatchObject({ name: "a", attributes: { s: "u", b: `"1'`, c: "2" }, text: "one <€€&<&\n" });
    expect(root.children.map(({ name, text }) => [name, text])).toEqual([
      ["d", ""],
      ["e", "f"],
    ]);
  });

  test.each([
    ["a document type", `<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>`],
    ["an undeclared entity", "<a>&b;</a>"],
    ["a lone ampersand", "<a>b & c</a>"],
    ["an invalid character reference", "<a>&#x110000;</a>"],
    ["overlapping elements", "<a><b></a></b>"],
    ["an element that is not closed", "<a><b></b>"],
    ["two documents", "<a/><b/>"],
    ["text outside the root", "a<a/>"],
    ["nothing", " "],
    ["an angle bracket in an attribute", `<a b="<"/>`],
    ["an attribute without a value", "<a b/>"],
    ["deeply nested elements", "<a>".repeat(100) + "</a>".repeat(100)],
    ["a name that is too long", `<${"a".repeat(300)}/>`],
    ["too many elements", `<a>${"<b/>".repeat(60_000)}</a>`],
  ])("refuses %s", (_, document) => {
    expect(() => readXml(document)).toThrow("not an XML message of WS-Management");
  });

  test("refuses hostile documents in linear time", () => {
    for (const document of [
      "<a ".repeat(50_000),
      `<a ${'b="c" '.repeat(50_000)}`,
      "<".repeat(200_000),
      "<!--".repeat(50_000),
      `<${"a".repeat(1_000_000)}`,
      `</${"a".repeat(1_000_000)}`,
      `<a${" ".repeat(500_000)}`,
    ]) {
      expect(() => readXml(document)).toThrow("not an XML message");
    }
  });

  test("returns every escaped text unchanged", () => {
    const carried = fc.string({ unit: "grapheme", maxLength: 50 }).filter((text) => notForXml(text) === null);
    fc.assert(
      fc.property(carried, (text) => {
        const root = readXml(`<a b="${escapeXml(text).replaceAll("\n", "&#10;")}">${escapeXml(text)}</a>`);
        expect([root.text, root.attributes["b"]]).toEqual([text, text]);
      }),
    );
  });

  test("finds elements at any depth", () => {
    const root = readXml("<a><b><c>1</c></b><c>2</c></a>");
    expect(elementsOf(root, "c").map(({ text }) => text)).toEqual(["1", "2"]);
    expect(elementOf(root, "d")).toBeNull();
  });
});

describe("a WinRM fault", () => {
  const fault = (code: string, subcode: string, text: string): string =>
    `<s:Envelope><s:Body><s:Fault><s:Code><s:Value>s:Sender</s:Value><s:Subcode><s:Value>w:${subcode}</s:Value></s:Subcode></s:Code><s:Reason><s:Text>the reason</s:Text></s:Reason><s:Detail><f:WSManFault Code="${code}"><f:Message><f:ProviderFault>${text}</f:ProviderFault></f:Message></f:WSManFault></s:Detail></s:Fault></s:Body></s:Envelope>`;

  test.each([
    ["5", "AccessDenied", "permission_denied"],
    ["2150859174", "QuotaLimit", "quota_exceeded"],
    ["2150858995", "EncodingLimit", "winrm_fault"],
    ["2150858817", "InternalError", "winrm_fault"],
  ])("%s is %s: %s", (code, subcode, meaning) => {
    const found = faultIn(readXml(fault(code, subcode, "what the provider says")), "host:5985");
    expect(found?.code).toBe(meaning);
    for (const part of ["host:5985", "what the provider says", code]) expect(found?.message).toContain(part);
    expect(found?.timedOut).toBe(false);
  });

  test("for an expired wait is recognized", () => {
    expect(faultIn(readXml(fault("2150858793", "TimedOut", "")), "h:1")?.timedOut).toBe(true);
    expect(faultIn(readXml(fault("2150858793", "TimedOut", "")), "h:1")?.message).toContain("the reason");
  });

  test("of any length is quoted in part", () => {
    const found = faultIn(readXml(fault("1", "x", "y".repeat(5_000))), "h:1");
    expect(found?.message.length).toBeLessThan(700);
  });

  test("is null for an answer without one", () => {
    expect(faultIn(readXml("<a><b/></a>"), "h:1")).toBeNull();
  });
});

describe("PowerShell's error stream", () => {
  const OPEN = '<Objs Version="1.1.0.1" xmlns="http://schemas.microsoft.com/powershell/2004/04">';
  const PROGRESS =
    '<Obj S="progress" RefId="0"><MS><Obj N="a" RefId="1"><S N="b">hidden</S></Obj><Obj N="c"/></MS></Obj>';
  const cases: [string, string, string][] = [
    ["is unchanged without CLIXML", "plain <b> text & more\n", "plain <b> text & more\n"],
    [
      "is decoded",
      `#< CLIXML\r\n${OPEN}<S S="Error">it's &lt;bad&gt; &amp; _x005F_x000D__x000D__x000A_</S><S S="Error">next</S></Objs>`,
      "it's <bad> & _x000D_\r\nnext",
    ],
    ["loses its progress records", `#< CLIXML\r\n${OPEN}${PROGRESS}<S S="Error">a</S>${PROGRESS}</Objs>`, "a"],
    [
      "keeps the names of other streams",
      `#< CLIXML\r\n${OPEN}<S S="warning">w</S><S S="verbose">v</S><S S="debug">d</S></Objs>`,
      "WARNING: wVERBOSE: vDEBUG: d",
    ],
    [
      "keeps its place among the output of programs",
      `before\n#< CLIXML\r\nnative\r\n${OPEN}<S S="Error">a</S>if 1 < 2\n<other/></Objs>after\n`,
      "before\nnative\r\naif 1 < 2\n<other/>after\n",
    ],
    [
      "of a nested PowerShell is decoded",
      `#< CLIXML\r\n#< CLIXML\r\n${OPEN}<S S="Error">a</S></Objs>${OPEN}</Objs>`,
      "a",
    ],
    ["may be empty", `#< CLIXML\r\n${OPEN}<S S="Error" /><Nil /></Objs>`, ""],
    ["is shown up to where it is cut off", `#< CLIXML\r\n${OPEN}<S S="Error">a</S><S S="Err`, 'a<S S="Err'],
    ["loses progress at its end", `#< CLIXML\r\n${OPEN}<S S="Error">a</S><Obj S="progress"><S>x`, "a"],
    ["may end with half a marker", "text\n#< CLI", "text\n#< CLI"],
  ];

  test.each(cases)("%s", (_, written, read) => {
    const decoder = new ClixmlDecoder();
    expect(decoder.push(Buffer.from(written)) + decoder.end()).toBe(read);
  });

  test.each(cases)("%s, in any chunks", (_, written, read) => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 12 }), { minLength: 1, maxLength: 40 }), (sizes) => {
        const decoder = new ClixmlDecoder();
        const bytes = Buffer.from(written);
        let out = "";
        for (let at = 0, turn = 0; at < bytes.length; turn += 1) {
          const next = at + (sizes[turn % sizes.length] ?? 1);
          out += decoder.push(bytes.subarray(at, next));
          at = next;
        }
        expect(out + decoder.end()).toBe(read);
      }),
    );
  });

  test("of any length is decoded in bounded memory", () => {
    const decoder = new ClixmlDecoder();
    let out = decoder.push(Buffer.from(`#< CLIXML\r\n${OPEN}<S S="Error">`));
    for (let turn = 0; turn < 40; turn += 1) out += decoder.push(Buffer.alloc(65_536, "x"));
    expect(out.length).toBeGreaterThan(1_000_000);
  });
});

describe("the command line of PowerShell", () => {
  const programOf = (commandLine: string): string =>
    Buffer.from(commandLine.split(" ").at(-1) ?? "", "base64").toString("utf16le");

  test("contains a short script, with every kind of quote doubled", () => {
    const { commandLine, input } = powerShellCall("echo 'a' ‘b’ ‚c‛");
    expect(commandLine).toStartWith(
      "powershell.exe -NoProfile -NonInteractive -ExecutionPolicy Bypass -EncodedCommand ",
    );
    expect(input).toBeNull();
    expect(programOf(commandLine)).toContain("$bellhopText = 'echo ''a'' ‘‘b’’ ‚‚c‛‛';");
  });

  test("returns the last command's status from a line that a final backtick of the script cannot escape", () => {
    const lines = programOf(powerShellCall("a `").commandLine).split("\n");
    expect(lines).toContain(
      'try { $bellhopScript = [ScriptBlock]::Create($bellhopText + "`n`nif (-not `$?) { exit 1 }") } catch { }',
    );
    // The script is compiled alone first, so that an incomplete script is refused, not completed.
    expect(lines[1]).toBe("try { $bellhopText = 'a `'; $bellhopScript = [ScriptBlock]::Create($bellhopText) }");
    expect(lines.at(-1)).toBe("& $bellhopScript");
  });

  test("leaves a longer script to standard input", () => {
    for (const script of ["x".repeat(3_000), "é😀\r\n".repeat(100_000)]) {
      const { commandLine, input } = powerShellCall(script);
      expect(commandLine.length).toBeLessThan(COMMAND_LINE_MAX_CHARS);
      expect(Buffer.from(input?.toString("latin1") ?? "", "base64").toString()).toBe(script);
      expect(Math.max(...(input?.toString("latin1").split("\r\n") ?? []).map((line) => line.length))).toBe(4_000);
    }
  });

  test("is never longer than cmd.exe's limit", () => {
    for (let length = 2_500; length < 3_000; length += 1) {
      expect(powerShellCall("'".repeat(length / 2)).commandLine.length).toBeLessThanOrEqual(COMMAND_LINE_MAX_CHARS);
    }
  });
});
