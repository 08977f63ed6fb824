import type { z } from "zod";
import { ANSWERED_COMPONENTS, SENT_COMPONENTS, SHARED_COMPONENTS } from "../../../schema/contract/api/components.ts";
import type { Answer, Operation } from "../../../schema/contract/operation.ts";
import { jsonSchemas } from "./json-schemas.ts";
import type { JsonSchema } from "./types.ts";

/** The contract's shapes as the document has them: named ones are components, all others are written out in place. */
export interface SchemaBook {
  /** What a caller sends: fields with a default may be left out. */
  input(schema: z.ZodType): JsonSchema;
  /** What the service answers. */
  output(schema: z.ZodType): JsonSchema;
  readonly components: Readonly<Record<string, JsonSchema>>;
  resolve(ref: string): JsonSchema;
}

/** Of everything that the operations take and answer. */
export function schemaBook(operations: readonly Operation[]): SchemaBook {
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
    case "raw":
      return [answer.schema ?? []].flat();
    case "upgrade":
      return [];
  }
}
