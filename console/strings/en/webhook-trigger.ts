import type { ReactNode } from "react";
import { rich } from "../rich.ts";

/** The form of a webhook trigger. */
export const webhookTrigger = {
  about:
    "A POST with a JSON body to this workflow’s address starts it. Generate the address and the secret on the workflow’s page.",
  payload: "Templates read",
  payloads: { variables: "Variables", body: "Whole request" },
  payloadHints: {
    variables: (variables: ReactNode, template: ReactNode) =>
      rich`For callers whose body you choose: templates read the body’s ${variables} as ${template}.`,
    body: (template: ReactNode) =>
      rich`For a sender with a fixed format, such as an alert source: templates read the body as ${template}.`,
  },
  templates: {
    variablesField: "variables",
    variables: "{{webhook.<name>}}",
    body: "{{webhook.body.<path>}}",
  },
  headers: "Headers",
  query: "Address parameters",
  sensitive: "Sensitive values",
  hints: {
    headers: "In lower case. Templates read each as {{webhook.headers.<name>}}. Headers with secrets are refused.",
    query: "Templates read each as {{webhook.query.<name>}}.",
    sensitive: "Paths such as body.customer.token, or body for the whole body. Bellhop shows *** in their place.",
  },
};
