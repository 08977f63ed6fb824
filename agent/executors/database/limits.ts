import { ExecutorFailure } from "../shared/failures.ts";

export function rowTooLarge(): ExecutorFailure {
  const message =
    "The result has a row of more than 16 MiB, which this agent does not read; the connection was closed, so the server rolled the statement back, unless the statement itself commits. Select fewer columns, or a part of the large one, such as its first 1,000 characters.";
  return new ExecutorFailure("query_failed", message);
}
