/** The names of `nodes.<id>.output` that several actions share. */
export const STREAMS = ["stdout", "stderr", "exitCode", "truncated"] as const;
export const RESPONSE = ["statusCode", "body", "truncated"] as const;
