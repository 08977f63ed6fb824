import type { JsonValue } from "../../../schema/contract/json.ts";
import type {
  JsonSchema,
  MediaObject,
  OpenApiDocument,
  OperationObject,
  ParameterObject,
  ResponseObject,
} from "../openapi/types.ts";
import { curlExample } from "./curl.ts";
import { html, inline, prose } from "./html.ts";
import type { Html } from "./html.ts";
import { notesOf, schemaBlock, typeOf } from "./schema.ts";

/** One operation: what it is for, what it takes, what it answers, and a call to paste. */
export function operationSection(
  document: OpenApiDocument,
  path: string,
  method: string,
  operation: OperationObject,
): Html {
  const { operationId, summary, description } = operation;
  return html`<article id="${operationId}">
    <h3><a href="#${operationId}">${summary}</a></h3>
    <p class="address"><span class="method ${method}">${method.toUpperCase()}</span> <code>${breakable(path)}</code></p>
    ${description === undefined ? null : prose(description)}
    <p class="access">${access(operation)}</p>
    ${parametersTable(operation.parameters)} ${requestBody(document, operation)}
    <h4>Example</h4>
    <pre><code>${curlExample(method.toUpperCase(), path, operation)}</code></pre>
    <h4>Answers</h4>
    ${Object.entries(operation.responses).map(([status, response]) => answer(document, status, response))}
  </article>`;
}

/** A long address may be broken after its slashes. */
function breakable(path: string): readonly Html[] {
  return path.split("/").map((part, index) => (index === 0 ? html`${part}` : html`/<wbr />${part}`));
}

function access({ security }: OperationObject): Html {
  const [first] = security;
  const [scheme, roles] = Object.entries(first ?? {})[0] ?? [];
  if (scheme === undefined) return html`Open to everybody.`;
  if (scheme === "webhookSecret") return html`Needs the webhook's secret as bearer token.`;
  if (scheme === "agentKey") return html`Needs an agent's API key as bearer token.`;
  const [permission] = roles ?? [];
  return permission === undefined
    ? html`Open to everybody who is signed in or holds a token.`
    : html`Needs the permission <code>${permission}</code>.`;
}

function parametersTable(parameters: readonly ParameterObject[]): Html | null {
  if (parameters.length === 0) return null;
  const rows = parameters.map(({ name, in: place, required, description, schema }) => {
    const notes = description === undefined ? notesOf(schema) : html`${inline(description)} ${notesOf(schema)}`;
    const mark = required ? null : html` <small>optional</small>`;
    return html`<tr>
      <td><code>${name}</code>${mark}</td>
      <td>${place}</td>
      <td>${typeOf(schema)}</td>
      <td>${notes}</td>
    </tr>`;
  });
  return html`<h4>Parameters</h4>
    <div class="scroll">
      <table>
        <thead>
          <tr>
            <th>Name</th>
            <th>In</th>
            <th>Type</th>
            <th>Notes</th>
          </tr>
        </thead>
        <tbody>
          ${rows}
        </tbody>
      </table>
    </div>`;
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
  const name = "$ref" in response ? response.$ref.replace("#/components/responses/", "") : null;
  if (name !== null) {
    const { description = "" } = document.components.responses[name] ?? {};
    return html`<p class="error">
      <a class="status" href="#error-${name}">${status}</a> <span>${inline(description)}</span>
    </p>`;
  }
  if (!("description" in response)) return html``;
  const content = Object.entries(response.content ?? {}).map(([type, media]) => answerContent(type, media));
  return html`<details class="answer">
    <summary><span class="status ok">${status}</span> ${response.description}</summary>
    ${headerList(response.headers)}${content}
  </details>`;
}

function headerList(headers: ResponseObject["headers"]): Html | null {
  if (headers === undefined) return null;
  return html`<ul>
    ${Object.entries(headers).map(
      ([name, { description }]) => html`<li><code>${name}</code>: ${inline(description)}</li>`,
    )}
  </ul>`;
}

export function answerContent(type: string, media: MediaObject): Html {
  const events = Object.entries(media["x-events"] ?? {});
  const examples: JsonValue[] = [
    ...(media.example === undefined ? [] : [media.example]),
    ...Object.values(media.examples ?? {}).map(({ value }) => value),
  ];
  return html`<p class="media"><code>${type}</code></p>
    ${
      events.length > 0
        ? events.map(
            ([name, schema]) =>
              html`<h5>event <code>${name}</code></h5>
                ${shape(schema)}`,
          )
        : shape(media.schema)
    }
    ${examples.map((example) => html`<pre><code>${JSON.stringify(example, null, 2)}</code></pre>`)}`;
}

/** What is to be sent is shown on the spot, though it has a name: it is what the reader came for. */
function ownFields(schemas: Record<string, JsonSchema>, { $ref }: JsonSchema): Html | null {
  const named = $ref === undefined ? undefined : schemas[$ref.slice($ref.lastIndexOf("/") + 1)];
  return named === undefined ? null : schemaBlock(named);
}

function shape(schema: MediaObject["schema"]): Html {
  return schema.$ref === undefined ? schemaBlock(schema) : html`<p class="type">${typeOf(schema)}</p>`;
}
