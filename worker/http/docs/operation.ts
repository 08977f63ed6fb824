import type {
  JsonSchema,
  MediaObject,
  OpenApiDocument,
  OperationObject,
  ParameterObject,
  ResponseObject,
} from "../openapi/types.ts";
import { curlExample } from "./curl.ts";
import { article, details, fieldName, html, inline, prose, table } from "./html.ts";
import type { Html } from "./html.ts";
import { notesOf, schemaBlock, typeOf } from "./schema.ts";

/** One operation: its purpose, input and answers, and a call to paste. */
export function operationSection(
  document: OpenApiDocument,
  path: string,
  method: string,
  operation: OperationObject,
): Html {
  const { operationId, summary, description } = operation;
  return article(
    operationId,
    summary,
    html`<p class="address">
        <span class="method ${method}">${method.toUpperCase()}</span> <code>${breakable(path)}</code>
      </p>
      ${description === undefined ? null : prose(description)}
      <p class="access">${access(operation)}</p>
      ${parametersTable(operation.parameters)} ${requestBody(document, operation)}
      <h4>Example</h4>
      <pre><code>${curlExample(method.toUpperCase(), path, operation)}</code></pre>
      <h4>Answers</h4>
      ${Object.entries(operation.responses).map(([status, response]) => answer(document, status, response))}`,
  );
}

/** Lets a long address break after its slashes. */
function breakable(path: string): readonly Html[] {
  return path.split("/").map((part, index) => (index === 0 ? html`${part}` : html`/<wbr />${part}`));
}

function access({ security }: OperationObject): Html {
  const [first] = security;
  const [scheme, roles] = Object.entries(first ?? {})[0] ?? [];
  if (scheme === undefined) return html`Open to everyone.`;
  if (scheme === "webhookSecret")
    return html`Needs the webhook's secret: as bearer token, by a signature or in the address, as its verification says.`;
  if (scheme === "agentKey") return html`Needs an agent's API key as bearer token.`;
  const [permission] = roles ?? [];
  return permission === undefined
    ? html`Open to everyone who is signed in or holds a token.`
    : html`Needs the permission <code>${permission}</code>.`;
}

function parametersTable(parameters: readonly ParameterObject[]): Html | null {
  if (parameters.length === 0) return null;
  const rows = parameters.map(({ name, in: place, required, description, schema }) => {
    const said = description === undefined ? null : html`${inline(description)} `;
    return [fieldName(name, required), place, typeOf(schema), html`${said}${notesOf(schema)}`];
  });
  return html`<h4>Parameters</h4>
    ${table(["Name", "In", "Type", "Notes"], rows)}`;
}

function requestBody({ components }: OpenApiDocument, { requestBody }: OperationObject): Html | null {
  if (requestBody === undefined) return null;
  const media = Object.entries(requestBody.content).map(
    ([type, { schema }]) =>
      html`<p class="media"><code>${type}</code>${requestBody.required ? null : ", optional"}</p>
        ${shape(schema)}${ownFields(components.schemas, schema)}`,
  );
  return html`<h4>Body</h4>
    ${media}`;
}

function answer(document: OpenApiDocument, status: string, response: ResponseObject | { $ref: string }): Html {
  if ("$ref" in response) {
    const name = response.$ref.replace("#/components/responses/", "");
    return html`<p class="error">
      <a class="status" href="#error-${name}">${status}</a>
      <span>${inline(document.components.responses[name]?.description ?? "")}</span>
    </p>`;
  }
  const content = Object.entries(response.content ?? {}).map(([type, media]) => answerContent(type, media));
  const summary = html`<span class="status ok">${status}</span> ${response.description}`;
  return details(null, summary, html`${headerList(response.headers)}${content}`);
}

function headerList(headers: ResponseObject["headers"]): Html | null {
  if (headers === undefined) return null;
  const items = Object.entries(headers).map(
    ([name, { description }]) => html`<li><code>${name}</code>: ${inline(description)}</li>`,
  );
  return html`<ul>
    ${items}
  </ul>`;
}

export function answerContent(type: string, media: MediaObject): Html {
  const all = Object.values(media.examples ?? {}).map(({ value }) => value);
  const examples = media.example === undefined ? all : [media.example];
  const events = Object.entries(media["x-events"] ?? {}).map(
    ([name, schema]) =>
      html`<h5>event <code>${name}</code></h5>
        ${shape(schema)}`,
  );
  return html`<p class="media"><code>${type}</code></p>
    ${events.length > 0 ? events : shape(media["x-line"] ?? media.schema)}
    ${examples.map((example) => html`<pre><code>${JSON.stringify(example, null, 2)}</code></pre>`)}`;
}

/** Shows the fields of the body in place, even of a named shape, because readers look for them first. */
function ownFields(schemas: Record<string, JsonSchema>, { $ref }: JsonSchema): Html | null {
  const named = $ref === undefined ? undefined : schemas[$ref.slice($ref.lastIndexOf("/") + 1)];
  return named === undefined ? null : schemaBlock(named);
}

function shape(schema: MediaObject["schema"]): Html {
  return schema.$ref === undefined ? schemaBlock(schema) : html`<p class="type">${typeOf(schema)}</p>`;
}
