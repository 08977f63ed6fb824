/** The headings of the API's description, in order: the most wanted ones come first. */
export const TAGS = {
  Overview: "What needs a person now.",
  Workflows: "A workflow is a trigger and a graph of nodes. Executions run its published version.",
  Schedules: "When a cron trigger starts its workflow, and which runs it missed.",
  Webhooks: "A request to a workflow's own address starts it.",
  Executions: "One run of a workflow: its nodes, their outputs, its approvals and its events.",
  Jobs: "One action of an execution that an agent carries out.",
  Pause: "Keeps every agent from getting new actions, for the whole deployment.",
  Limits: "How often runs may act on a target, counted across workflows.",
  Connections: "A target of actions: its address and who reaches it. Its credential is sealed for agents.",
  Agents: "An agent runs inside a customer's network and carries out jobs there.",
  Pools: "A pool is a group of agents. Each of them can take the jobs of the pool.",
  Statistics: "Counts and durations of executions over time.",
  Incidents: "What alerts report. Workflows start on the events of an incident.",
  Integrations: "Addresses that take alerts from other products and turn them into incidents.",
  Notifications: "The channels of the action `notification.sendNotification`.",
  "Installing agents": "Downloads of the agent and its install scripts.",
  "Sign-in": "How people sign in, and their sessions.",
  "API tokens": "Tokens by which programs call the API for a user.",
  Retention: "How long records are kept, and what is deleted when.",
  Users: "People, their roles and whether they may sign in.",
  "Audit log": "Who changed what, and when.",
  "Agent protocol": "The calls that agents make: they register, take jobs and report results.",
  Health: "Whether the service runs and can do its work, and its metrics.",
  "This description": "The API's description, for programs and for people.",
} as const satisfies Record<string, string>;

export type Tag = keyof typeof TAGS;
