import { z } from "zod";
import { agentCredentialSchema, deliverCredentialsSchema, recipientSchema } from "../credential.ts";
import {
  connectionTestSchema,
  lastTestAnswerSchema,
  laterTestSchema,
  testConnectionQuerySchema,
} from "../management.ts";
import type { Operation } from "../operation.ts";

const tag = "Connections";

export const listRecipients = {
  id: "listRecipients",
  method: "GET",
  path: "/api/v1/automation/connections/{id}/recipients",
  tag,
  summary: "List the recipients of a credential",
  description:
    "The registered agents of the connection or of its pool. Each has the public key to seal with, the key's fingerprint, which the agent itself also shows, and the version and target to put into the sealed text. The target is where the credential will be used: show it to the person who delivers.",
  access: "credentials:write",
  answer: { kind: "data", status: 200, data: z.array(recipientSchema) },
  errors: ["not_found", "conflict"],
} as const satisfies Operation;

export const deliverCredentials = {
  id: "deliverCredentials",
  method: "POST",
  path: "/api/v1/automation/connections/{id}/credentials",
  tag,
  summary: "Deliver a credential",
  description:
    'Takes one sealed credential for each agent: a compact JWE (RFC 7516) with the protected header `{"alg":"ECDH-ES","enc":"A256GCM","kid":<fingerprint>}`, encrypted with the recipient\'s `publicKey`. Its plaintext is the JSON `{"agentId":…,"connectionId":…,"version":…,"target":[…],"secrets":{…}}`, with the names of the connection\'s type in `secrets` and the recipient\'s `target`. The agent uses the credential for no other target. `npm run deliver` does this on your machine. The service cannot open it, and keeps it until the agent acknowledges it, at most 24 hours. It replaces the agent\'s present credential and one that still waits. A request has at most 4 MiB: send large credentials for many agents in several requests.',
  access: "credentials:write",
  body: deliverCredentialsSchema,
  example: {
    sealed: [{ agentId: "agt_019a9f0e-6b1c-7c3a-9d2e-2f4b6a8c0e11", jwe: "eyJhbGciOi….….….….…", version: 1 }],
  },
  answer: { kind: "data", status: 202, data: z.array(agentCredentialSchema) },
  errors: ["not_found", "conflict"],
} as const satisfies Operation;

export const withdrawCredentials = {
  id: "withdrawCredentials",
  method: "DELETE",
  path: "/api/v1/automation/connections/{id}/credentials",
  tag,
  summary: "Withdraw a credential",
  description:
    "Deletes the connection's credential from every agent at that agent's next synchronisation, and drops deliveries that still wait. A connection that works without a credential then needs none.",
  access: "credentials:write",
  answer: { kind: "data", status: 202, data: z.array(agentCredentialSchema) },
  errors: ["not_found"],
} as const satisfies Operation;

export const testConnection = {
  id: "testConnection",
  method: "POST",
  path: "/api/v1/automation/connections/{id}/test",
  tag,
  summary: "Test a connection",
  description:
    "The connection's agent tests it without changing anything on the target. The call waits up to 30 seconds, or as long as the query says. If no agent has answered by then, 202 names the job, which continues: `GET /jobs/{id}` shows its result. A disabled connection can be tested, too. Callers whom `usableBy` does not allow need `credentials:write`.",
  access: "automation:execute",
  query: testConnectionQuerySchema,
  answer: { kind: "data", status: 200, data: connectionTestSchema, later: laterTestSchema },
  errors: ["not_found", "conflict"],
} as const satisfies Operation;

export const getConnectionTest = {
  id: "getConnectionTest",
  method: "GET",
  path: "/api/v1/automation/connections/{id}/test",
  tag,
  summary: "Get the last test of a connection",
  description:
    "The outcome of the newest test that has ended, who tested, and whether the connection or its credential was changed since. A test that still runs is a job.",
  access: "automation:read",
  answer: { kind: "data", status: 200, data: lastTestAnswerSchema },
  errors: ["not_found"],
} as const satisfies Operation;
