import type { JobView } from "../../../schema/contract/execution.ts";

/** A job's name for people: its action or its purpose. */
export function jobName({ kind, action }: Pick<JobView, "kind" | "action">): string {
  switch (kind) {
    case "action":
      return action ?? "An action";
    case "connectionTest":
      return "Connection test";
    case "credentialSync":
      return "Credential delivery";
  }
}
