import type { TriggerType } from "../../../schema/contract/workflow.ts";
import { number } from "../format.ts";

/** Texts that several areas share. */
export const common = {
  // Buttons and menus.
  add: "Add",
  approve: "Approve",
  cancel: "Cancel",
  close: "Close",
  copy: "Copy",
  copied: "Copied",
  copyId: "Copy the id",
  create: "Create",
  delete: "Delete",
  /** The deletion of an item of a list. */
  deletion: {
    of: (name: string) => `Delete ${name}`,
    title: (name: string) => `Delete ${name}?`,
    keep: "Keep it",
    done: (name: string) => `${name} was deleted`,
    failed: (name: string) => `${name} was not deleted`,
  },
  disable: "Disable",
  edit: "Edit",
  enable: "Enable",
  more: "More",
  reject: "Reject",
  remove: "Remove",
  save: "Save",
  search: "Search",
  showAll: "Show all",
  showMore: "Show more",
  test: "Test",
  tryAgain: "Try again",

  // Fields, columns and headings.
  actions: "Actions",
  changeHistory: "Change history",
  changed: "Changed",
  created: "Created",
  description: "Description",
  details: "Details",
  email: "Email",
  id: "Id",
  name: "Name",
  none: "none",
  password: "Password",
  severity: "Severity",
  source: "Source",
  status: "Status",
  trigger: "Trigger",
  type: "Type",

  // The things of Bellhop: names of pages and columns.
  agent: "Agent",
  agents: "Agents",
  connection: "Connection",
  connections: "Connections",
  execution: "Execution",
  executions: "Executions",
  incident: "Incident",
  incidents: "Incidents",
  integrations: "Integrations",
  pool: "Pool",
  settings: "Settings",
  workflow: "Workflow",
  workflows: "Workflows",

  /** What starts a workflow. */
  triggers: {
    webhook: "Webhook",
    cron: "Schedule",
    incident: "Incident",
    manual: "Manual",
    failure: "Failed run",
  } satisfies Record<TriggerType, string>,

  loading: "Loading",
  required: "Required.",
  /** Errors of number fields. */
  numbers: {
    any: "a number",
    whole: "a whole number",
    within: (kind: string, min: number, max: number) => {
      if (Number.isFinite(max)) return `Must be ${kind} from ${number(min)} to ${number(max)}.`;
      return Number.isFinite(min) ? `Must be ${kind} of at least ${number(min)}.` : `Must be ${kind}.`;
    },
  },
  notSaved: "Nothing was saved",
};
