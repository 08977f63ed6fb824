import type { Trigger, TriggerType } from "../../../schema/contract/workflow.ts";
import type { Draft } from "./model/commands.ts";

const TRIGGERS: Record<TriggerType, Trigger> = {
  webhook: { type: "webhook" },
  incident: { type: "incident", events: ["incident.created"] },
  cron: { type: "cron", expression: "0 * * * *" },
  manual: { type: "manual" },
};

/** A new workflow with only a trigger. */
export function emptyDraft(type: TriggerType): Draft {
  return { name: "New workflow", trigger: TRIGGERS[type], definition: { nodes: [], edges: [] } };
}

/** Workflows that work as soon as the person has chosen their connections. */
export const TEMPLATES: readonly { title: string; hint: string; draft: Draft }[] = [
  {
    title: "Restart a service and alert on failure",
    hint: "An alert names the service, which is restarted. If that fails, the team gets a message with the reason.",
    draft: {
      name: "Restart a service",
      description: "The alert sends the service's name as `service`.",
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
            params: { text: "{{webhook.service}} was not restarted: {{error.message}}" },
            timeoutSeconds: 60,
          },
        ],
        edges: [{ from: "restart-service", to: "notify-team", on: "failure" }],
      },
    },
  },
  {
    title: "Require approval before a restart",
    hint: "After a critical incident, a person approves before a deployment is restarted.",
    draft: {
      name: "Restart a deployment after approval",
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
            message: "May the deployment be restarted for “{{incident.title}}”?",
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
    title: "Check disk space hourly",
    hint: "A script measures disk usage. The team gets a message only when the disk is nearly full.",
    draft: {
      name: "Warn before the disk is full",
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
            params: { text: "The disk is {{nodes.check-disk.output.stdout}} % full." },
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
