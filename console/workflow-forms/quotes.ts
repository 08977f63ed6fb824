import type { CodeLanguage } from "../../schema/contract/action.ts";

/**
 * Whether a position in code is inside quotes or a template. When in doubt the answer is true: all quotes must be
 * closed both in the text before the position and in the position's line alone.
 */
export function isInsideQuotes(code: string, at: number, language: CodeLanguage | "unknown"): boolean {
  const before = code.slice(0, at);
  const line = before.slice(before.lastIndexOf("\n") + 1);
  return isOpen(before, language) || isOpen(line, language);
}

/** Whether quotes are left after all closed parts are removed. */
function isOpen(text: string, language: CodeLanguage | "unknown"): boolean {
  const { closed, open } = RULES[language];
  return open.test(text.replaceAll(TEMPLATE, "").replaceAll(closed, ""));
}

const TEMPLATE = /\{\{(?:\s*(?:"\{\{"|'\{\{')\s*|[^{}\n]*)\}\}/gu;

interface Rule {
  readonly closed: RegExp;
  readonly open: RegExp;
}

/** Here-documents, comments and strings. A string with `$(` counts as closed only if its content needs no parser. */
const SHELL: Rule = {
  closed: any(
    /\\[^]/u,
    /(?<!<)<<-?\s*(?<quote>["']?)(?<end>\w+)\k<quote>[^\n]*\n(?:[^]*?\n)??\t*\k<end>(?=\n|$)/u,
    /(?<![^\s;&|(])#[^\n]*\n/u,
    /\$'(?:\\[^]|[^'\\])*'/u,
    /(?<!\$)'[^']*'/u,
    /"(?:\\[^]|\$\((?:[^()"'`\\]|'[^']*'|"(?:[^"`\\$]|\$(?!\())*")*\)|[^"\\`$]|\$(?!\())*"/u,
    /`[^`"']*`/u,
  ),
  open: /['"`]|\{\{|(?<!<)<<(?!<)/u,
};

const RULES: Readonly<Record<CodeLanguage | "unknown", Rule>> = {
  bash: SHELL,
  sh: SHELL,
  unknown: SHELL,
  powershell: {
    closed: any(
      /`[^]/u,
      /<#[^]*?#>/u,
      /(?<![^\s;&|({])#[^\n]*\n/u,
      /@'[ \t]*\n(?:[^]*?\n)??'@/u,
      /@"[ \t]*\n(?:[^]*?\n)??"@/u,
      /(?<!@)'[^']*'/u,
      /(?<!@)"(?:`[^]|\$\([^()"'`]*\)|[^"`$]|\$(?!\())*"/u,
    ),
    // PowerShell also accepts typographic quotes.
    open: /['"‘’‚‛“”„]|\{\{|<#/u,
  },
  python: {
    closed: any(
      /#[^\n]*\n/u,
      /"""(?:\\[^]|(?!""")[^\\])*"""/u,
      /'''(?:\\[^]|(?!''')[^\\])*'''/u,
      /"(?!"")(?:\\[^]|[^"\\\n])*"/u,
      /'(?!'')(?:\\[^]|[^'\\\n])*'/u,
    ),
    open: /['"]|\{\{/u,
  },
  sql: {
    // Whether a backslash escapes a quote depends on the server.
    closed: any(/'[^'\\]*'/u, /"[^"\\]*"/u, /`[^`]*`/u, /--[^\n]*\n/u, /\/\*[^]*?\*\//u),
    open: /['"`\\]|\{\{|--|\/\*|\$\w*\$/u,
  },
  cmd: { closed: any(/\^[^]/u, /"[^"\n]*"/u), open: /['"]|\{\{/u },
};

function any(...parts: readonly RegExp[]): RegExp {
  return new RegExp(parts.map(({ source }) => source).join("|"), "gu");
}
