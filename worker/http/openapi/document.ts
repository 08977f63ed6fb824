import { TAGS } from "../../../schema/contract/api/tags.ts";
import type { Operation } from "../../../schema/contract/operation.ts";
import type { ProblemCode } from "../../../schema/contract/problem.ts";
import { operationObject } from "./operation-object.ts";
import { problemComponentName, problemResponseObject } from "./problems.ts";
import { schemaRegistry } from "./schema-registry.ts";
import type { OpenApiDocument, ResponseObject } from "./types.ts";

const DESCRIPTION = [
  "Everything is JSON. A success is `{success: true, data}`; a list is `{success: true, data: [...], nextCursor}`. Send `nextCursor` as `cursor` to get the next page. Unknown parameters of a query and unknown fields of a body are refused; an answer may get further fields.",
  "An error is `application/problem+json` with a stable `code`; `detail` is for people and says what to do next. Every address answers 405, with `Allow`, to methods that it does not support.",
  "Times are ISO 8601 in UTC. Ids are `<kind>_<uuidv7>` and rise with time.",
].join("\n\n");

/** The API's description in OpenAPI 3.1, derived from the operations. */
export function openApiDocument(operations: readonly Operation[]): OpenApiDocument {
  const registry = schemaRegistry(operations);
  const responses: Record<string, ResponseObject> = {};
  const problem = (codes: readonly ProblemCode[]) => {
    const name = problemComponentName(codes);
    responses[name] ??= problemResponseObject(codes);
    return { $ref: `#/components/responses/${name}` };
  };
  const paths: OpenApiDocument["paths"] = {};
  for (const operation of operations) {
    const members = (paths[operation.path] ??= {});
    members[operation.method.toLowerCase()] = operationObject(operation, registry, problem);
  }
  return {
    openapi: "3.1.1",
    info: {
      title: "Bellhop",
      version: "1",
      description: DESCRIPTION,
      license: { name: "Apache-2.0", identifier: "Apache-2.0" },
    },
    servers: [{ url: "/" }],
    tags: Object.entries(TAGS).map(([name, description]) => ({ name, description })),
    paths,
    components: {
      schemas: sorted(registry.components),
      responses: sorted(responses),
      securitySchemes: SECURITY_SCHEMES,
    },
  };
}

const SECURITY_SCHEMES = {
  bearer: {
    type: "http",
    scheme: "bearer",
    description: "An API token, or a token of the deployment's OIDC issuer.",
  },
  session: {
    type: "apiKey",
    in: "cookie",
    name: "bellhop_session",
    description:
      "The session of a signed-in person; over https the name begins with `__Host-`. Writes also need an `Origin` header of this deployment.",
  },
  webhookSecret: {
    type: "http",
    scheme: "bearer",
    description: "The secret that was created with the webhook key, if its verification is `bearer`.",
  },
  agentKey: { type: "http", scheme: "bearer", description: "The API key of an agent." },
} as const;

function sorted<T>(record: Readonly<Record<string, T>>): Record<string, T> {
  return Object.fromEntries(Object.entries(record).sort(([a], [b]) => (a < b ? -1 : 1)));
}
