import type { Trigger, TriggerType } from "../../../schema/contract/workflow.ts";
import type { Draft } from "./model/commands.ts";
import { designerNew } from "../../strings/en/designer-new.ts";

const text = designerNew;
const { hello, restart, approval, disk } = text.templates;

const TRIGGERS: Record<TriggerType, Trigger> = {
  webhook: { type: "webhook" },
  incident: { type: "incident", events: ["incident.created"] },
  cron: { type: "cron", expression: "0 * * * *" },
  manual: { type: "manual" },
  failure: { type: "failure" },
};

/** A new workflow with only a trigger. */
export function emptyDraft(type: TriggerType): Draft {
  return { name: text.title, trigger: TRIGGERS[type], definition: { nodes: [], edges: [] } };
}

/** A workflow with one script, which needs nothing but an agent. */
export function helloDraft(connectionId?: string): Draft {
  return {
    name: hello.name,
    trigger: TRIGGERS.manual,
    definition: {
      nodes: [
        {
          id: "say-hello",
          type: "action",
          action: "script.bash",
          ...(connectionId === undefined ? {} : { connectionId }),
          params: { script: hello.script },
          timeoutSeconds: 60,
        },
      ],
      edges: [],
    },
  };
}

/** Workflows that work as soon as the person has chosen their connections. */
export const TEMPLATES: readonly { title: string; hint: string; draft: Draft }[] = [
  {
    title: hello.title,
    hint: hello.hint,
    draft: helloDraft(),
  },
  {
    title: restart.title,
    hint: restart.hint,
    draft: {
      name: restart.name,
      description: restart.description,
      trigger: TRIGGERS.webhook,
      definition: {
        nodes: [
          {
            id: "restart-service",
            type: "action",
            action: "os.restartService",
            params: { service: "{{webhook.service}}" },
            timeoutSeconds: 120,
          },
          {
            id: "notify-team",
            type: "action",
            action: "chat.sendMessage",
            params: { text: restart.message },
            timeoutSeconds: 60,
          },
        ],
        edges: [{ from: "restart-service", to: "notify-team", on: "failure" }],
      },
    },
  },
  {
    title: approval.title,
    hint: approval.hint,
    draft: {
      name: approval.name,
      trigger: {
        type: "incident",
        events: ["incident.created"],
        conditions: {
          logic: "all",
          conditions: [{ field: "incident.severity", operator: "equals", value: "critical" }],
        },
      },
      definition: {
        nodes: [
          {
            id: "approve",
            type: "approval",
            message: approval.question,
            timeoutSeconds: 1_800,
            by: "another",
          },
          {
            id: "restart-deployment",
            type: "action",
            action: "kubernetes.restartDeployment",
            params: { deployment: "{{incident.tags.deployment}}", wait: true },
            timeoutSeconds: 600,
          },
        ],
        edges: [{ from: "approve", to: "restart-deployment", on: "approved" }],
      },
    },
  },
  {
    title: disk.title,
    hint: disk.hint,
    draft: {
      name: disk.name,
      trigger: TRIGGERS.cron,
      definition: {
        nodes: [
          {
            id: "check-disk",
            type: "action",
            action: "script.bash",
            params: { script: "df --output=pcent / | tail -n 1 | tr -dc 0-9\n" },
            timeoutSeconds: 60,
          },
          {
            id: "nearly-full",
            type: "condition",
            when: {
              logic: "all",
              conditions: [{ field: "nodes.check-disk.output.stdout", operator: "greaterThan", value: 90 }],
            },
          },
          {
            id: "notify-team",
            type: "action",
            action: "chat.sendMessage",
            params: { text: disk.message },
            timeoutSeconds: 60,
          },
        ],
        edges: [
          { from: "check-disk", to: "nearly-full", on: "success" },
          { from: "nearly-full", to: "notify-team", on: "true" },
        ],
      },
    },
  },
];
