import type { ReactNode } from "react";
import type { IncidentEventView, IncidentStatus, IncidentView } from "../../../schema/contract/incident.ts";
import { number } from "../format.ts";
import { rich } from "../rich.ts";

/** The list of incidents, the page of an incident, and its dialogs. */
export const incidents = {
  list: {
    description: "Problems reported by alerts or people. Each change of an incident can start workflows.",
    create: "New incident",
    statuses: {
      triggered: "Triggered",
      acknowledged: "Acknowledged",
      resolved: "Resolved",
    } satisfies Record<IncidentStatus, string>,
    everyStatus: "All",
    anySeverity: "Any severity",
    exact: (field: string) => `${field} (exact)`,
    noMatch: "No matching incidents",
    none: {
      title: "No incidents",
      text: "Incidents come from your alerting tools through an integration, or are created manually.",
    },
  },
  fields: {
    title: "Title",
    service: "Service",
    host: "Host",
    team: "Team",
    assignedTo: "Assigned to",
    dedupKey: "Deduplication key",
    tags: "Tags",
    reason: "Reason",
    resolved: "Resolved",
    where: "Where",
  },
  level: (level: number) => `escalation level ${level}`,
  escalatedTo: (level: number) => `Escalated to level ${level}`,
  wholeDescription: "The whole description",
  events: {
    title: "Events",
    names: {
      "incident.created": "Created",
      "incident.acknowledged": "Acknowledged",
      "incident.resolved": "Resolved",
      "incident.escalated": "Escalated",
      "incident.reassigned": "Reassigned",
    } satisfies Record<IncidentEventView["type"], string>,
    by: (at: ReactNode, actor: string) => rich`${at}, by ${actor}`,
    matching: "Looking for workflows to start …",
    noneStarted: "No matching active workflow.",
    deletedWorkflow: "A deleted workflow",
    onlyFirst: (events: number) => `Only the first ${number(events)} events are shown.`,
  },
  actions: {
    acknowledge: {
      name: "Acknowledge",
      done: "The incident is acknowledged.",
      failed: "The incident was not acknowledged",
    },
    resolve: { name: "Resolve", done: "The incident is resolved.", failed: "The incident was not resolved" },
    escalate: {
      name: "Escalate",
      done: (level: number) => `The incident is escalated to level ${level}.`,
      effect: (level: number, status: IncidentStatus) =>
        `Raises the escalation level to ${level}. The status stays ${status}. Workflows with an escalation trigger start.`,
    },
    reassign: { name: "Reassign", done: "The incident is reassigned." },
    anyway: (name: string) => `${name} anyway`,
  },
  assign: {
    title: (action: string, incident: string) => `${action}: ${incident}`,
    teamHelp: "Leave empty for no team.",
    assignedToHelp: "Leave empty to unassign.",
    toMe: "Assign to me",
    reasonHelp: "Shown with the event.",
    failed: "The incident was not changed",
    over: {
      title: "This incident is resolved",
      text: "Another person, or the tool that reported it, resolved it after you opened this dialog. Your change was not made.",
    },
    overtaken: ({ status, escalationLevel, assignedTo, teamId }: IncidentView) =>
      `Another person changed this incident after you opened this dialog. It is now ${status}, at level ${escalationLevel}, assigned to ${assignedTo ?? teamId ?? "no one"}. Check this, then try again if necessary.`,
  },
  create: {
    title: "New incident",
    tagsHelp: "One per line, as name=value.",
    wrongTag: (line: string) => `“${line}” is not name=value`,
    effect: "Matching active workflows start immediately.",
    done: "The incident is created.",
    wasOpen: "This is the open incident with that deduplication key.",
    failed: "The incident was not created",
    examples: {
      service: "shop",
      host: "web-1",
      source: "help desk",
      teamId: "payments",
      assignedTo: "ada@example.com",
      dedupKey: "disk/web-1",
      tags: "region=eu-1",
    },
  },
};
