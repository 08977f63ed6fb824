import { z } from "zod";
import { RESPONSE } from "../action-outputs.ts";
import { text } from "../action-params.ts";
import { jsonObjectSchema } from "../json.ts";
import { configFields, connectionType, paramFields, secretForm } from "./descriptor.ts";
import { address, httpUrl, secretText } from "./fields.ts";

const ISSUE = {
  ...RESPONSE,
  issueKey: { type: "text", help: "the issue's key" },
  issueUrl: { type: "text", help: "the address of the issue's page", isOptional: true },
} as const;
const ISSUE_KEY = { schema: z.string().min(1).max(128), label: "Issue key", placeholder: "OPS-42" } as const;

export const ticketing = connectionType({
  label: "Ticketing",
  does: "Creates and changes issues in Jira Cloud.",
  needs: "The Jira site, and an account's email address and API token.",
  icon: "ticket",
  config: configFields({
    serverUrl: {
      schema: httpUrl,
      label: "Jira site",
      placeholder: "https://acme.atlassian.net",
      target: { label: "Jira site" },
    },
    email: {
      schema: z.email(),
      label: "Account email address",
      help: "The account that the API token belongs to.",
      target: { label: "account" },
    },
  }),
  secrets: secretForm({
    apiToken: {
      schema: secretText,
      label: "API token",
      help: "Create it at id.atlassian.com under Security, API tokens.",
    },
  }),
  needsCredential: () => true,
  target: ({ serverUrl, email }) => ({ serverUrl: address(serverUrl), email }),
  runsCode: false,
  stages: ["API reachable", "Authentication"],
  actions: {
    "ticketing.createIssue": {
      label: "Create issue",
      effect: "unsafe",
      params: paramFields({
        projectKey: { schema: z.string().min(1).max(64), label: "Project key", placeholder: "OPS" },
        issueType: { schema: z.string().min(1).max(128), label: "Issue type", placeholder: "Task" },
        summary: { schema: z.string().min(1).max(4_096), label: "Summary" },
        description: { schema: text.optional(), label: "Description" },
        fields: { schema: jsonObjectSchema.optional(), label: "Fields" },
      }),
      output: ISSUE,
      example: { projectKey: "OPS", issueType: "Task", summary: "The disk of web-1 is full" },
    },
    "ticketing.updateIssue": {
      label: "Update issue",
      effect: "idempotent",
      params: paramFields({ issueKey: ISSUE_KEY, fields: { schema: jsonObjectSchema, label: "Fields" } }),
      output: ISSUE,
      example: { issueKey: "OPS-42", fields: { priority: { name: "High" } } },
    },
    "ticketing.addComment": {
      label: "Add comment",
      effect: "unsafe",
      params: paramFields({ issueKey: ISSUE_KEY, body: { schema: text, label: "Body" } }),
      output: ISSUE,
      example: { issueKey: "OPS-42", body: "The disk was cleaned." },
    },
    "ticketing.transitionIssue": {
      label: "Transition issue",
      effect: "unsafe",
      params: paramFields({
        issueKey: ISSUE_KEY,
        transition: { schema: z.string().min(1).max(256), label: "Transition", placeholder: "Done" },
      }),
      output: { ...ISSUE, changed: { type: "boolean", help: "whether anything changed" } },
      example: { issueKey: "OPS-42", transition: "Done" },
    },
  },
  example: {
    config: { serverUrl: "https://acme.atlassian.net", email: "bot@example.com" },
    secrets: [{ apiToken: "an-api-token" }],
  },
});
