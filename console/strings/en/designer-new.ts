import type { TriggerType } from "../../../schema/contract/workflow.ts";

/** The page that creates a workflow, and its templates. */
export const designerNew = {
  title: "New workflow",
  notAllowed: "Your role does not allow creating workflows.",
  notCreated: "The workflow was not created",
  example: "Restart the web server",
  triggers: {
    title: "What starts the workflow?",
    hints: {
      webhook: "An alert calls the workflow's address.",
      incident: "An incident is created, escalated or resolved.",
      cron: "At set times.",
      manual: "A person starts it, with optional inputs.",
      failure: "A run of another workflow fails.",
    } satisfies Record<TriggerType, string>,
  },
  templates: {
    title: "Or start from a template",
    hint: "It lacks only your connections, which the editor lists as problems to fix.",
    hello: {
      title: "Say hello from an agent",
      hint: "A person starts one script on an agent’s machine. The shortest way to a first run.",
      name: "Say hello",
      script: 'echo "Hello from $(hostname)"\n',
    },
    restart: {
      title: "Restart a service and alert on failure",
      hint: "An alert names the service, which is restarted. If that fails, the team gets a message with the reason.",
      name: "Restart a service",
      description: "The alert sends the service's name as `service`.",
      message: "{{webhook.service}} was not restarted: {{error.message}}",
    },
    approval: {
      title: "Require approval before a restart",
      hint: "After a critical incident, a person approves before a deployment is restarted.",
      name: "Restart a deployment after approval",
      question: "May the deployment be restarted for “{{incident.title}}”?",
    },
    disk: {
      title: "Check disk space hourly",
      hint: "A script measures disk usage. The team gets a message only when the disk is nearly full.",
      name: "Warn before the disk is full",
      message: "The disk is {{nodes.check-disk.output.stdout}} % full.",
    },
  },
};
