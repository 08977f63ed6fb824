import type { ReactNode } from "react";
import type { JobStatus } from "../../../schema/contract/execution.ts";
import { count, number, someOf } from "../format.ts";
import { rich } from "../rich.ts";

/** The pages of connections, without their forms and credentials. */
export const connections = {
  runsOn: "Runs on",
  usedBy: "Used by",
  credential: "Credential",
  list: {
    description: "The systems that your workflows work on. Only agents have their secrets.",
    create: "New connection",
    none: {
      title: "No connections yet",
      body: "A connection names a host, cluster, database or service, and the agent that reaches it.",
      mayCreate: "Create the first one here.",
      mayNotCreate: "Editors and administrators can create one.",
    },
    searched: "Name, host, agent, pool …",
    anyType: "Any type",
    shown: (shown: number, all: number, isMore: boolean) =>
      `${shown === all ? number(all) : `${number(shown)} of ${number(all)}`} shown${isMore ? "; there are more" : ""}`,
    noMatch: {
      title: "No connections match",
      body: (all: number, isMore: boolean) =>
        `None of the ${number(all)} ${isMore ? "loaded connections" : "connections"} has this type and these words.`,
    },
    usersLimited: (workflows: number) => `“Used by” counts only the newest ${count(workflows, "workflow")}.`,
    state: "State",
    notNeeded: "not needed",
    delivered: (agents: number, all: number) => `${number(agents)} of ${count(all, "agent")}`,
    usersUnread: "…",
    noUser: "no workflow",
    users: (workflows: number, isComplete: boolean) =>
      `${isComplete ? "" : "at least "}${count(workflows, "workflow")}`,
  },
  enabled: "enabled",
  disabled: "disabled",
  where: {
    pool: (pool: ReactNode) => rich`Pool ${pool}`,
    service: "The service itself",
    notAssigned: "Not assigned",
    deleted: "A deleted agent",
    unnamed: "An agent",
  },
  detail: {
    configuration: "Configuration",
    disabled: "The connection is disabled: steps that use it fail when they run.",
    mistake: (field: string, message: string) => `${field}: ${message}.`,
    fields: "Fields",
    field: (name: string) => `Field ${name}`,
    yes: "yes",
    no: "no",
  },
  enable: {
    enabled: (name: string) => `${name} is enabled.`,
    disabled: (name: string) => `${name} is disabled.`,
    notEnabled: (name: string) => `${name} was not enabled`,
    notDisabled: (name: string) => `${name} was not disabled`,
    title: (name: string) => `Disable ${name}?`,
    effect:
      "Until you enable it again, workflows cannot select it and steps that use it fail. The credential stays on the agents.",
    keep: "Keep enabled",
  },
  remove: {
    done: (name: string) => `${name} was deleted.`,
    failed: (name: string) => `${name} was not deleted`,
    title: (name: string) => `Delete ${name}?`,
    effect:
      "This cannot be undone. Each agent deletes the credential with its next synchronization. The secret itself stays valid on the target.",
    confirm: "Delete connection",
    keep: "Keep connection",
    used: {
      title: (name: string) => `Published workflows use ${name}`,
      effect: "Steps of these workflows that use the connection will fail. Change or unpublish the workflows first.",
      confirm: "Delete anyway",
    },
  },
  users: {
    none: "No workflow uses it.",
    noneOfNewest: (workflows: number) => `None of the newest ${count(workflows, "workflow")} uses it.`,
    ofDrafts: "Based on drafts. Published versions may differ.",
    ofNewestDrafts: (workflows: number) =>
      `Based on the drafts of the newest ${count(workflows, "workflow")}. There are more.`,
    active: "published, active",
    inactive: "published, not active",
    draft: "draft",
  },
  test: {
    title: "Test",
    ofService: "The service reports which of its channels are set up.",
    ofAgent: "The agent tests the connection without changing anything on the target.",
    host: "Host to test",
    hostHelp: (hosts: readonly string[]) => `One of the connection's hosts: ${someOf(hosts)}.`,
    begin: "Test the connection",
    again: "Test again",
    notAssigned: "Assign an agent or a pool before you test the connection.",
    notTested: "Not tested yet.",
    notAllowed: "Your role cannot test connections. Ask an operator, an editor or an administrator.",
    refused: "The test could not start",
    asking: "Asking the agent.",
    running: (time: ReactNode, agent: string | undefined) =>
      agent === undefined ? rich`Testing: ${time}` : rich`Testing on ${agent}: ${time}`,
    unread: (reason: string) => `The progress could not be read: ${reason}`,
    mayLeave:
      "You can leave this page: the test continues, and the outcome is here when you return. The test stops after 10 minutes of waiting.",
    passed: "Test passed",
    ofHost: (host: string) => `Host: ${host}`,
    failed: "Test failed",
    ended: (ago: ReactNode, duration: string | null, agent: ReactNode, isWithout: boolean, by: string | null) =>
      rich`${ago}${duration === null ? "" : `, in ${duration}`}${agent === null ? "" : rich`, on ${agent}`}${isWithout ? ", without a credential" : ""}${by === null ? "" : `, by ${by}`}`,
    beforeChange: "This was before the last change of the connection or its credential. Test again.",
    checks: "Checks",
    check: (name: string, isOk: boolean) => `${name}: ${isOk ? "ok" : "failed"}`,
    unnamedCheck: "A check",
    /** The progress of a test that runs as a job. */
    progress: {
      queued: "The test waits for an agent.",
      assigned: "The test is assigned to an agent, which gets it with its next poll.",
      delivered: "The agent has the test and has not started it.",
      running: "The agent is testing.",
      succeeded: "The test has ended.",
      failed: "The test has ended.",
      timed_out: "The agent did not finish the test in time.",
      cancelled: "The test was cancelled.",
    } satisfies Record<JobStatus, string>,
  },
  usableBy: {
    title: "Who may use it",
    change: "Change who may use it",
    everyone: "Everyone who may edit workflows.",
    noOne: "No one. No workflow may use it.",
    rule: "A workflow may use the connection when it is named here, or when one of these people published it.",
    people: "People",
    roles: "Roles",
    unknown: (id: string) => `${id} (unknown)`,
    dialog: {
      title: (name: string) => `Who may use ${name}?`,
      saved: (name: string) => `Saved who may use ${name}.`,
      choice: "It may be used by",
      everyone: "Everyone who may edit workflows",
      named: "Only those named here",
      peopleHelp: "Workflows that these people publish may use it.",
      idsHelp: "Ids of users. Workflows that these people publish may use it.",
      rolesHelp: "The same applies to everyone with one of these roles.",
      workflowsHelp:
        "These workflows may use it, no matter who published them. Only administrators and people who may use it can publish them.",
      noOne: "With nothing chosen, no workflow may use it.",
      sealed:
        "A list that has only workflows is encrypted with the credential. Deliver the credential again after this change.",
    },
  },
};
