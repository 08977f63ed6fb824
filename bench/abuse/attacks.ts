/** A workflow that a viewer sends to the check, as a request body. */
export interface Attack {
  readonly name: string;
  readonly body: string;
}

/** The longest allowed code text, less room for the template at its end. */
const TEXT_CHARS = 199_000;
const TEMPLATE = "{{webhook.v}}";

export const SMALL: Attack = {
  name: "a small workflow",
  body: workflow([script("bash", `systemctl restart "${TEMPLATE}"`)]),
};

/** The two attacks of the security review (its finding H1), and as many templates as a script holds. */
export const SCRIPTS: readonly Attack[] = [
  {
    name: "30,000 words in a Python list",
    body: workflow([script("python", `subprocess.run(["sh",${'"w",'.repeat(30_000)}"${TEMPLATE}"])`)]),
  },
  { name: "20,000 times sudo", body: workflow([script("bash", `${"sudo ".repeat(20_000)}ls ${TEMPLATE}`)]) },
  { name: "24,000 templates", body: workflow([script("bash", "{{w.v}} ".repeat(24_000))]) },
];

/** The longest text of each that the check's budget allows is among the slowest checks. */
export const GROWING: readonly { readonly name: string; readonly of: (chars: number) => Attack }[] = [
  { name: "commands in bash", of: (chars) => grown("a=b; ", chars, (text) => script("bash", text)) },
  { name: "colons in SQL", of: (chars) => grown(":", chars, query) },
  { name: "templates in Python", of: (chars) => grown(`'${TEMPLATE}'\n`, chars, (text) => script("python", text)) },
];

type Node = Readonly<Record<string, unknown>>;

function grown(piece: string, chars: number, toNode: (text: string) => Node): Attack {
  const nodes: Node[] = [];
  for (let left = chars; left > 0; left -= TEXT_CHARS) {
    nodes.push(toNode(`${piece.repeat(Math.min(left, TEXT_CHARS) / piece.length)}\n${TEMPLATE}`));
  }
  return { name: "", body: workflow(nodes) };
}

function script(language: "bash" | "python", text: string): Node {
  return { action: `script.${language}`, params: { script: text } };
}

function query(text: string): Node {
  return { action: "database.executeQuery", params: { query: text } };
}

function workflow(actions: readonly Node[]): string {
  const nodes = actions.map((action, index) => ({ id: `n${index}`, type: "action", ...action }));
  return JSON.stringify({ name: "abuse", trigger: { type: "webhook" }, definition: { nodes, edges: [] } });
}
