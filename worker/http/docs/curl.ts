import type { OperationObject, ParameterObject } from "../openapi/types.ts";

/** The shell variable with the credentials of each scheme. */
const VARIABLES: Readonly<Record<string, string>> = {
  bearer: "BELLHOP_TOKEN",
  webhookSecret: "WEBHOOK_SECRET",
  agentKey: "AGENT_KEY",
};

/** People do not type a workflow file into a shell, and `--data` would remove its line breaks. */
const FILE = "--data-binary @workflow.yaml";

/** A call to paste into a shell, with its inputs in variables. */
export function curlExample(method: string, path: string, operation: OperationObject): string {
  const [type, media] = Object.entries(operation.requestBody?.content ?? {})[0] ?? [];
  const scheme = Object.keys(operation.security[0] ?? {})[0] ?? "";
  const variable = VARIABLES[scheme];
  const streams = Object.values(operation.responses).some(
    (response) => "content" in response && response.content?.["text/event-stream"] !== undefined,
  );
  const lines = [
    `curl ${streams ? "-N " : ""}${method === "GET" ? "" : `-X ${method} `}"$BELLHOP_URL${address(path, operation.parameters)}"`,
    ...(variable === undefined ? [] : [`-H "Authorization: Bearer $${variable}"`]),
    ...operation.parameters.flatMap(headerLine),
    ...(type === undefined || media === undefined
      ? []
      : [
          `-H 'Content-Type: ${type}'`,
          type === "application/yaml" ? FILE : `--data ${quoted(exampleText(media.example))}`,
        ]),
  ];
  return lines.join(" \\\n  ");
}

function address(path: string, parameters: readonly ParameterObject[]): string {
  const needed = parameters.filter((parameter) => parameter.in === "query" && parameter.required);
  const query = needed.map(({ name, example }) => `${name}=${encodeURIComponent(String(example ?? ""))}`).join("&");
  return path.replaceAll(/\{(\w+)\}/gu, (_, name: string) => `$${shellName(name)}`) + (query === "" ? "" : `?${query}`);
}

function headerLine(parameter: ParameterObject): string[] {
  if (parameter.in !== "header") return [];
  if (parameter.name === "Idempotency-Key") return [`-H "Idempotency-Key: $(uuidgen)"`];
  if (parameter.name === "Bellhop-Session") return [`-H "Bellhop-Session: $SESSION"`];
  return parameter.required ? [`-H "${parameter.name}: $${shellName(parameter.name)}"`] : [];
}

function shellName(name: string): string {
  return name
    .replaceAll(/([a-z])([A-Z])/gu, "$1_$2")
    .replaceAll("-", "_")
    .toUpperCase();
}

function exampleText(example: unknown): string {
  return typeof example === "string" ? example : JSON.stringify(example ?? {}, null, 2);
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
