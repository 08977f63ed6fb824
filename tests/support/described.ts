import type { Operation } from "../../schema/contract/operation.ts";
import { openApiDocument } from "../../worker/http/openapi/document.ts";
import type { JsonSchema, ResponseObject } from "../../worker/http/openapi/types.ts";
import { endpoints } from "../../worker/routes/endpoints.ts";
import { schemaErrors } from "./json-schema.ts";

export const operations: readonly Operation[] = endpoints.map(({ operation }) => operation);
export const description = openApiDocument(operations);

export function resolveSchema(ref: string): JsonSchema {
  const found = description.components.schemas[ref.replace("#/components/schemas/", "")];
  if (found === undefined) throw new Error(`${ref} is not in the description`);
  return found;
}

/** The differences between an answer and its operation's description: status, content type and body, field by field. */
export async function undescribed(operation: Operation, response: Response): Promise<string[]> {
  const described = responseOf(operation, response.status);
  const here = `${operation.id} ${response.status}`;
  if (described === undefined) return [`${here} is not described: ${await response.text()}`];
  const type = response.headers.get("Content-Type")?.split(";")[0] ?? "";
  if (described.content === undefined) return type === "" || response.status === 304 ? [] : [`${here} has a body`];
  const media = described.content[type];
  if (media === undefined) return [`${here} has the content type ${type}`];
  const { schema, "x-line": line } = media;
  const errorsOf = (against: JsonSchema, text: string) =>
    schemaErrors(against, JSON.parse(text), resolveSchema).map((error) => `${here}: ${error}`);
  if (line !== undefined) {
    const lines = (await response.text()).split("\n");
    if (lines.pop() !== "") return [`${here} does not end with a line break`];
    return lines.flatMap((text) => errorsOf(line, text));
  }
  return type.endsWith("json") ? errorsOf(schema, await response.text()) : [];
}

function responseOf({ path, method }: Operation, status: number): ResponseObject | undefined {
  const response = description.paths[path]?.[method.toLowerCase()]?.responses[status];
  if (response === undefined || !("$ref" in response)) return response;
  return description.components.responses[response.$ref.replace("#/components/responses/", "")];
}
