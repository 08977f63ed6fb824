import { z } from "zod";
import { agentCredentialSchema, deliverCredentialsSchema, recipientSchema } from "../credential.ts";
import { connectionTestSchema, laterTestSchema, testConnectionQuerySchema } from "../management.ts";
import type { Operation } from "../operation.ts";

const tag = "Connections";

export const listRecipients = {
  id: "listRecipients",
  method: "GET",
  path: "/api/v1/automation/connections/{id}/recipients",
  tag,
  summary: "List whom to seal a credential to",
  description:
    "The connection's agent, or those of its pool, that have registered: each with the public key to seal to, its fingerprint, which the agent itself shows, too, and the version and the target that the sealed text must carry. The target is where the credential will be used: show it to the person who delivers.",
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
    'Takes a credential sealed for each agent by itself: a compact JWE with the protected header `{"alg":"ECDH-ES","enc":"A256GCM","kid":<fingerprint>}`, made with the `publicKey` that the recipients name (RFC 7516; any JOSE library makes it), whose plaintext is the JSON `{"agentId":…,"connectionId":…,"version":…,"target":[…],"secrets":{…}}`; the names in `secrets` are those of the connection\'s type. `target` is that of the recipient: the agent uses the credential for no other. `npm run deliver` does this on your machine. To the service it is opaque: it cannot open it, keeps it until its agent acknowledges it, and 24 hours at the most. It overwrites what the agent has, and what still waits. A request may have 4 MiB: large credentials for many agents are sent in several.',
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
    "Takes the connection's credential from every agent that has it, at its next synchronisation, and throws away what still waits. A connection that works without one needs none from then on.",
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
    "Has the connection's agent try it, without doing anything on the target, and waits up to 30 seconds, or as long as the query says. When no agent has answered by then, 202 names the job, which goes on: `GET /jobs/{id}` shows its end. A disabled connection can be tested, too. Where the connection says in `usableBy` who may use it, others need `credentials:write`.",
  access: "automation:execute",
  query: testConnectionQuerySchema,
  answer: { kind: "data", status: 200, data: connectionTestSchema, later: laterTestSchema },
  errors: ["not_found", "conflict"],
} as const satisfies Operation;
