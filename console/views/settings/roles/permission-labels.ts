import type { Permission, Role } from "../../../../schema/contract/people.ts";

/** What each permission allows. */
export const PERMISSION_LABELS: Readonly<Record<Permission, string>> = {
  "automation:read": "See workflows, executions, agents, connections, incidents and integrations.",
  "automation:write": "Make, edit, publish and delete workflows, with their schedules and webhook keys.",
  "code:write":
    "Change and publish what runs code, and where: scripts, SSH, WinRM, SQL, Kubernetes, HTTP calls that write.",
  "automation:execute": "Start workflows by hand, cancel executions, run them again, and test connections.",
  "automation:approve": "Answer approvals that an execution waits for.",
  "connections:write": "Make, edit and delete connections.",
  "credentials:write": "Deliver and withdraw credentials, and say who may use them.",
  "agents:write": "Make, edit, disable and delete agents, and renew their keys.",
  "incidents:write": "Open, acknowledge, escalate, reassign and resolve incidents.",
  admin: "Manage users and integrations, see everybody's API tokens, and read the audit log.",
};

/** The purpose of each role. */
export const ROLE_LABELS: Readonly<Record<Role, string>> = {
  viewer: "Looks, and changes nothing.",
  operator: "Is on call: starts and stops what is there, answers approvals, handles incidents.",
  editor: "Builds: what an operator does, and workflows and connections, without their credentials.",
  admin: "Does everything, agents and people included.",
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
