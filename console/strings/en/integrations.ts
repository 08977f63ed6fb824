import type { ReactNode } from "react";
import type { Severity } from "../../../schema/contract/incident.ts";
import type { DeliveryResult, IntegrationKind } from "../../../schema/contract/integration.ts";
import { rich } from "../rich.ts";

/** The integrations: their list, their creation, and test events. */
export const integrations = {
  list: {
    description:
      "URLs that receive events from your alerting tools. Events become incidents, which can start workflows.",
    create: "New integration",
    integration: "Integration",
    url: "URL",
    none: {
      title: "No integrations yet",
      what: "An integration is a URL with a key for one of your alerting tools: Alertmanager, any tool that uses PagerDuty's Events API, or CloudEvents.",
      create: "Create one, and paste its configuration into the tool.",
      ask: "An administrator can create one.",
    },
    dots: "The dots hide the key. Bellhop stores only a hash of it, so the full URL is shown only once, when the integration is created.",
    edit: (name: string) => `Edit ${name}`,
    test: (name: string) => `Test ${name}`,
    delete: (name: string) => `Delete ${name}`,
  },
  kinds: {
    alertmanager: {
      label: "Prometheus Alertmanager",
      what: "A webhook receiver: every alert of a group becomes an incident, and a resolved alert resolves it.",
    },
    pagerduty: {
      label: "PagerDuty Events API v2",
      what: "For tools that send to PagerDuty and let you change the URL.",
    },
    cloudevents: {
      label: "CloudEvents 1.0",
      what: "For event buses and your own programs: structured, batched or binary, over HTTP.",
    },
  } satisfies Record<IntegrationKind, { label: string; what: string }>,
  create: {
    nameHelp: "The source of the alerts.",
    exampleName: "Alertmanager of eu-1",
    kind: "Kind",
    failed: "The integration was not created",
    url: "The integration's URL",
    urlOnce:
      "The URL contains the key and is shown only once. Anyone with the URL can open and resolve incidents. If you lose it, delete the integration and create another one.",
    urlSaved: "I've saved the URL",
  },
  edit: {
    title: (name: string) => `Edit ${name}`,
    nameHelp: "The source of the incidents that it opens from now on.",
    words: (severity: Severity) => `Words for ${severity}`,
    wrongWord: (word: string, problem: string) => `${word}: ${problem}`,
    other: "All other unknown words",
    otherHelp: "Bellhop knows the usual words, such as page, error, warning and info.",
    done: (name: string) => `${name} is saved.`,
  },
  configuration: {
    alertmanager: "alertmanager.yml: a receiver, and a route to it",
    pagerduty: "URL to use instead of https://events.pagerduty.com/v2/enqueue",
    pagerdutyConfigs: "Alertmanager's pagerduty_configs",
    cloudevents: "URL to POST events to: structured, batched or binary",
    knative: "Knative: a trigger that delivers to it",
    shell: "Test from a shell",
  },
  remove: {
    title: (name: string) => `Delete ${name}?`,
    effect: "Its key stops working immediately. This cannot be undone.",
    events: "Events from the tool no longer create incidents or start workflows.",
    open: "Its incidents stay. The tool can no longer resolve the open ones: someone must resolve them here.",
    keep: "Keep integration",
    done: (name: string) => `${name} is deleted.`,
    failed: (name: string) => `${name} was not deleted`,
  },
  address: {
    help: "It was shown when the integration was created, and the tool has it. Bellhop does not store it.",
    isOther: "This is not the URL of an integration. Such a URL contains a key that starts with itg.",
    isOf: (kind: string, wanted: string) => `This is the URL of an integration for ${kind}, not for ${wanted}.`,
  },
  testEvent: {
    send: "Send a test event",
    resolve: "Send the event that resolves it",
    failed: "The test event was not accepted",
    proves:
      "This browser sends the event to this deployment. The test shows that the key works and what an event causes, but not that your tool reaches the URL.",
    title: "Test event from Bellhop's console",
    description: "A test of an integration. Nothing is wrong.",
    noEvent: "The answer contains no event.",
    notFound: "The event was accepted, but its incident is not among the newest 50.",
    outcomes: {
      created: "Accepted: it created an incident",
      updated: "Accepted: it updated an open incident",
      acknowledged: "Accepted: it acknowledged the incident",
      resolved: "Accepted: it resolved the incident",
      unchanged: "Accepted: it changed nothing",
      ignored: "Accepted, but ignored",
      rejected: "Rejected: the event is not valid",
    } satisfies Record<DeliveryResult["outcome"], string>,
    incident: "The incident",
    started: (workflows: readonly (string | null)[]) =>
      `It started ${workflows.map((name) => name ?? "a deleted workflow").join(", ")}.`,
    startedNone: "It started no workflow.",
    matching: "Looking for workflows to start …",
  },
  wouldStart: {
    effect: "The event creates an incident of severity low, for service bellhop-test.",
    none: "No active workflow has a trigger for new incidents, so none starts.",
    some: (workflows: ReactNode) =>
      rich`These active workflows have a trigger for new incidents, and start if their conditions match: ${workflows}.`,
    unknown: "Active workflows with a matching incident trigger start.",
    unconditional: (workflow: ReactNode) => rich`${workflow} (no conditions, so it starts)`,
  },
};
