import type { OpenApiDocument, OperationObject } from "../openapi/types.ts";
import { Html, article, details, html, prose, section, table } from "./html.ts";
import { answerContent, operationSection } from "./operation.ts";
import { schemaBlock } from "./schema.ts";
import { STYLE } from "./style.ts";
import { writingWorkflows } from "./writing-workflows.ts";

interface Entry {
  path: string;
  method: string;
  operation: OperationObject;
}

/** The API's description as one page that loads nothing: no script, no font, no image. */
export function docsPage(document: OpenApiDocument): string {
  const entries = Object.entries(document.paths).flatMap(([path, members]) =>
    Object.entries(members).map(([method, operation]) => ({ path, method, operation })),
  );
  const byTag = Map.groupBy(entries, ({ operation }) => operation.tags[0] ?? "");
  const tags = document.tags.map((tag) => ({ ...tag, entries: byTag.get(tag.name) ?? [] }));
  const page = html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>${document.info.title} API</title>
        ${new Html(`<style>${STYLE}</style>`)}
      </head>
      <body>
        <details class="index">
          <summary>${document.info.title} API: contents</summary>
          ${index(tags)}
        </details>
        <nav class="index" aria-label="Contents">
          <a class="home" href="#top">${document.info.title} API</a>${index(tags)}
        </nav>
        <main id="top">
          <h1>${document.info.title} API</h1>
          ${prose(document.info.description)}
          <p>The same for programs: <a href="/api/v1/openapi.json">openapi.json</a> (OpenAPI ${document.openapi}).</p>
          ${authentication(document)} ${writingWorkflows()}
          ${tags.map(({ name, description, entries: members }) =>
            section(
              anchor(name),
              name,
              html`${prose(description)}
              ${members.map(({ path, method, operation }) => operationSection(document, path, method, operation))}`,
            ),
          )}
          ${errors(document)} ${shapes(document)}
        </main>
      </body>
    </html> `;
  return page.text;
}

function index(tags: readonly { name: string; entries: readonly Entry[] }[]): Html {
  return html`<ul>
      <li><a href="#authentication">Authentication</a></li>
      <li><a href="#writing-workflows">Writing workflows</a></li>
    </ul>
    ${tags.map(
      ({ name, entries }) =>
        html`<p><a href="#${anchor(name)}">${name}</a></p>
          <ul>
            ${entries.map(
              ({ operation }) => html`<li><a href="#${operation.operationId}">${operation.summary}</a></li>`,
            )}
          </ul>`,
    )}
    <ul>
      <li><a href="#errors">Errors</a></li>
      <li><a href="#shapes">Shapes</a></li>
    </ul>`;
}

function authentication({ components }: OpenApiDocument): Html {
  const rows = Object.entries(components.securitySchemes).map(([name, scheme]) => {
    const carried = scheme["in"] === "cookie" ? `Cookie: ${scheme["name"] ?? ""}` : "Authorization: Bearer …";
    return [name, html`<code>${carried}</code>`, prose(scheme["description"] ?? "")];
  });
  return section(
    "authentication",
    "Authentication",
    html`<p>
        The examples use two shell variables: <code>BELLHOP_URL</code>, the address of the deployment, and
        <code>BELLHOP_TOKEN</code>.
      </p>
      ${table(["Scheme", "Sent as", "What it is"], rows)}`,
  );
}

function errors({ components }: OpenApiDocument): Html {
  const schema = { $ref: "#/components/schemas/Problem" };
  const entries = Object.entries(components.responses).map(([name, { description, content = {} }]) => {
    const media = Object.entries(content).map(([type, said]) => answerContent(type, { ...said, schema }));
    return details(`error-${name}`, prose(description), media);
  });
  return section("errors", "Errors", entries);
}

function shapes({ components }: OpenApiDocument): Html {
  const entries = Object.entries(components.schemas).map(([name, schema]) =>
    article(`schema-${name}`, name, schemaBlock(schema)),
  );
  return section("shapes", "Shapes", entries);
}

function anchor(tag: string): string {
  return `tag-${tag.toLowerCase().replaceAll(/[^a-z0-9]+/gu, "-")}`;
}
