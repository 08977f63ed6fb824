/** The names of `nodes.<id>.output` that several actions share. `json` is stdout parsed, where it is one JSON value. */
export const STREAMS = ["stdout", "stderr", "exitCode", "truncated", "json"] as const;
export const RESPONSE = ["statusCode", "body", "truncated"] as const;
