/** The names of `nodes.<id>.output` that several actions share. `json` is stdout parsed, where it is one JSON value. */
export const STREAMS = ["stdout", "stderr", "exitCode", "truncated", "json"] as const;
export const RESPONSE = ["statusCode", "body", "truncated"] as const;
/** Outputs that are text, a number or a truth value in every action that has them: nothing can be below them. */
export const SCALAR_OUTPUTS = {
  stdout: "text",
  stderr: "text",
  exitCode: "a number",
  statusCode: "a number",
  truncated: "true or false",
} as const;
