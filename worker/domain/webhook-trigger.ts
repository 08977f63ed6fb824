import type { FieldError } from "../../schema/contract/problem.ts";
import { SECRET_PARAMETER, holdsSecret, payloadNames } from "../../schema/contract/webhook-trigger.ts";
import type { WebhookTrigger } from "../../schema/contract/webhook-trigger.ts";
import { parsePath } from "./template/parse.ts";

const LISTS = ["headers", "query", "sensitive"] as const;

/** Problems with the names of a webhook trigger, each with its path below the trigger, such as `headers.0`. */
export function webhookProblems(trigger: WebhookTrigger): FieldError[] {
  const names = payloadNames(trigger);
  return LISTS.flatMap((list) => {
    const given = trigger[list];
    if (given === undefined) return [];
    if (names === null) return [{ path: list, message: 'needs the payload "body"' }];
    return given.flatMap((name, index) => {
      const message = given.indexOf(name) < index ? "is a repeat" : problemOf(list, name, trigger);
      return message === null ? [] : [{ path: `${list}.${index}`, message }];
    });
  });
}

function problemOf(list: (typeof LISTS)[number], name: string, trigger: WebhookTrigger): string | null {
  if (list === "headers") return holdsSecret(name) ? "may hold a secret, so no template can read it" : null;
  if (list === "query") return name === SECRET_PARAMETER ? "is the webhook's secret" : null;
  const [part, first, ...below] = parsePath(name) ?? [];
  if (part === "body") return null;
  const isNamed = first !== undefined && below.length === 0 && (part === "headers" || part === "query");
  if (isNamed && trigger[part]?.includes(first) === true) return null;
  return "must be body, body.<path>, or headers.<name> or query.<name> of a name in the same trigger";
}
