import type { MaintenanceMode, MaintenanceState, SuppressedAs } from "../../../schema/contract/maintenance.ts";
import { count } from "../format.ts";
import { spelledDuration } from "../time.ts";

/** Maintenance windows. */
export const maintenance = {
  title: "Maintenance",
  states: { planned: "Planned", open: "Open", ended: "Ended" } satisfies Record<MaintenanceState, string>,
  modes: {
    hold: "Hold runs until the window ends",
    ask: "Ask: a person runs each",
    skip: "Skip runs",
  } satisfies Record<MaintenanceMode, string>,
  suppressed: {
    held: "Held",
    asked: "Asked a person",
    skipped: "Skipped",
  } satisfies Record<SuppressedAs, string>,
  everything: "All workflows",
  tag: (tag: string) => `tag ${tag}`,
  service: (service: string) => `service ${service}`,

  list: {
    description: "While a window is open, events and schedules start no runs of its workflows.",
    create: "New window",
    none: {
      title: "No maintenance windows",
      help: "Plan one before work on your systems, so that expected alerts start no repairs.",
    },
    appliesTo: "Applies to",
    starts: "Starts",
    ends: "Ends",
    mode: "Runs",
  },

  detail: {
    what: (id: string) => `maintenance window ${id}`,
    endNow: "End now",
    ended: "The window has ended.",
    notEnded: "The window was not ended",
    confirmEnd: {
      title: "End this window now?",
      body: "Held runs begin. Runs that wait for a person go on waiting.",
      confirm: "End window",
      keep: "Keep open",
    },
    confirmDelete: {
      title: "Delete this window?",
      body: "It ends: held runs begin, and runs that wait for a person go on waiting. Its list of suppressed runs is lost.",
      confirm: "Delete window",
      keep: "Keep window",
    },
    deleted: "The window was deleted.",
    notDeleted: "The window was not deleted",
  },

  form: {
    create: "New maintenance window",
    edit: "Edit maintenance window",
    submitCreate: "Create",
    created: "The window was created.",
    saved: "The window was saved.",
    reason: "Reason",
    reasonHint: "Shown to everyone while the window is open.",
    starts: "Starts (your time)",
    ends: "Ends (your time)",
    endsAfter: "Must be after the start.",
    endsWithin: (ms: number) => `Must be at most ${spelledDuration(ms / 1_000)} after the start.`,
    mode: "What happens to runs",
    everything: "Apply to all workflows",
    nothing: "Choose workflows, tags or services, or apply it to all workflows.",
    workflows: "Workflows",
    tags: "Workflows with a tag",
    services: "Services",
    servicesHint:
      "Matches the service of incidents and webhook events, also as Alertmanager, Grafana, PagerDuty and GitHub send it, or the key of a run. Upper and lower case are the same. For other events, use a tag.",
  },

  runs: {
    label: "Suppressed runs",
    title: "Suppressed runs",
    none: "This window has not kept any run from beginning.",
    what: "In this window",
    runNow: "Run now",
    runAll: "Run all",
    showRun: "Show run",
    begun: "The run was started.",
    notBegun: "The run was not started",
    confirmAll: {
      title: "Run everything that this window suppressed?",
      body: "Held runs and those that wait for a person begin now. Skipped runs start again with the same event. Each runs once.",
      confirm: "Run all",
      keep: "Cancel",
    },
    allBegun: (begun: number, failed: number) =>
      failed === 0 ? `${count(begun, "run")} started.` : `${count(begun, "run")} started, ${failed} could not start.`,
    allNotBegun: "Not all runs were started",
  },

  bar: {
    label: "Maintenance",
    title: (name: string, others: number) =>
      others === 0 ? `Maintenance: ${name}` : `Maintenance: ${name} and ${count(others, "more window")}`,
    until: (at: string, reason: string | null) => (reason === null ? `Until ${at}` : `Until ${at}: ${reason}`),
    show: "Show",
  },

  anyway: {
    title: "A maintenance window is open",
    body: "It keeps events and schedules from running this workflow. Run it now in spite of that?",
    confirm: "Run anyway",
    keep: "Do not run",
  },
};
