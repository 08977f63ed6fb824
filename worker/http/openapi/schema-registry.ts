import type { z } from "zod";
import { ANSWERED_COMPONENTS, SENT_COMPONENTS, SHARED_COMPONENTS } from "../../../schema/contract/api/components.ts";
import type { Answer, Operation } from "../../../schema/contract/operation.ts";
import { jsonSchemas } from "./json-schemas.ts";
import type { JsonSchema } from "./types.ts";

/** The shapes of the document: named ones are components, all others are written out in place. */
export interface SchemaRegistry {
  /** The shape that a caller sends: fields with a default are optional. */
  input(schema: z.ZodType): JsonSchema;
  /** The shape that the service answers with. */
  output(schema: z.ZodType): JsonSchema;
  readonly components: Readonly<Record<string, JsonSchema>>;
  resolve(ref: string): JsonSchema;
}

/** Collects the shapes of all inputs and answers of the operations. */
export function schemaRegistry(operations: readonly Operation[]): SchemaRegistry {
  const taken = operations.flatMap(({ query, body }) => [query ?? [], body ?? []].flat());
  const answered = operations.flatMap(({ answer }) => schemasOf(answer));
  const requests = jsonSchemas("input", { ...SHARED_COMPONENTS, ...SENT_COMPONENTS }, taken);
  const answers = jsonSchemas("output", { ...SHARED_COMPONENTS, ...ANSWERED_COMPONENTS }, answered);
  for (const name of Object.keys(SHARED_COMPONENTS)) {
    if (JSON.stringify(requests.named[name]) !== JSON.stringify(answers.named[name]))
      throw new Error(`${name} is not the same when it is sent and answered. Name it in SENT_COMPONENTS, too.`);
  }
  const components = { ...requests.named, ...answers.named };
  return {
    input: (schema) => requests.of(schema),
    output: (schema) => answers.of(schema),
    components,
    resolve: (ref) => components[ref.slice(ref.lastIndexOf("/") + 1)] ?? {},
  };
}

function schemasOf(answer: Answer): readonly z.ZodType[] {
  switch (answer.kind) {
    case "data":
      return [answer.data, answer.later ?? []].flat();
    case "page":
      return [answer.item];
    case "events":
      return Object.values(answer.events);
    case "lines":
      return [answer.line];
    case "raw":
      return [answer.schema ?? []].flat();
    case "upgrade":
      return [];
  }
}
