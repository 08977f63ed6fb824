import type { Permission, Role } from "../../../../schema/contract/people.ts";

/** What each permission allows. */
export const PERMISSION_LABELS: Readonly<Record<Permission, string>> = {
  "automation:read": "See workflows, executions, agents, connections, incidents and integrations.",
  "automation:write": "Create, edit, publish and delete workflows, with their schedules and webhook keys.",
  "code:write":
    "Change and publish steps that run code, and their targets: scripts, SSH, WinRM, SQL, Kubernetes, HTTP calls that write.",
  "automation:execute": "Run workflows manually, cancel and retry runs, and test connections.",
  "automation:approve": "Answer approvals.",
  "connections:write": "Create, edit and delete connections.",
  "credentials:write": "Deliver and withdraw credentials, and set who may use them.",
  "agents:write": "Create, edit, disable and delete agents, and regenerate their keys.",
  "incidents:write": "Open, acknowledge, escalate, reassign and resolve incidents.",
  admin: "Manage users and integrations, see everyone's API tokens, and read the audit log.",
};

/** The purpose of each role. */
export const ROLE_LABELS: Readonly<Record<Role, string>> = {
  viewer: "Sees everything and changes nothing.",
  operator: "For on-call work: runs and cancels workflows, answers approvals, handles incidents.",
  editor: "Does what an operator does, and creates workflows and connections, without credentials.",
  admin: "Does everything, including agents and users.",
};

/** Every permission in display order. */
export const PERMISSIONS: readonly Permission[] = [
  "automation:read",
  "automation:write",
  "code:write",
  "automation:execute",
  "automation:approve",
  "connections:write",
  "credentials:write",
  "agents:write",
  "incidents:write",
  "admin",
];
