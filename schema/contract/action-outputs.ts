import type { OutputField } from "./action-types.ts";

type Outputs = Readonly<Record<string, OutputField>>;

/** The values of `nodes.<id>.output` that several actions share. */
export const CUT = {
  truncated: { type: "boolean", help: "whether the output was cut", isOptional: true },
  droppedBytes: { type: "number", help: "the bytes that were cut off, if the agent knows", isOptional: true },
} as const satisfies Outputs;
export const STREAMS = {
  stdout: { type: "text", help: "the standard output" },
  stderr: { type: "text", help: "the standard error output" },
  exitCode: { type: "number", help: "the exit code" },
  ...CUT,
  // The service adds it when a template asks for it.
  json: { type: "any", help: "the standard output, parsed, if it is one JSON value", isOptional: true },
} as const satisfies Outputs;
export const RESPONSE = {
  statusCode: { type: "number", help: "the status of the answer" },
  body: { type: "any", help: "the body of the answer" },
  ...CUT,
} as const satisfies Outputs;
/** Outputs that are text, a number or a truth value in every action that has them: nothing can be below them. */
export const SCALAR_OUTPUTS = {
  stdout: "text",
  stderr: "text",
  exitCode: "a number",
  statusCode: "a number",
  truncated: "true or false",
  droppedBytes: "a number",
} as const;
