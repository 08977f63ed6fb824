import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { call } from "../../../api/client.ts";
import { credentials } from "../../../strings/en/credentials.ts";
import type { AgentCredential, Recipient, Secrets } from "../../../../schema/contract/credential.ts";
import { sealedRequests, sealTo } from "../../../../schema/contract/sealing.ts";
import type { Store } from "./compared.ts";
import { rememberTarget } from "./confirmed-target.ts";
import { asDeliveryError } from "./delivery-problem.ts";

/** An accepted delivery: its agents with their versions. */
export interface Delivered {
  recipients: readonly Pick<Recipient, "agentId" | "name" | "version">[];
  /** The service's answer. */
  statuses: readonly AgentCredential[];
}

/**
 * Seals secrets for each agent and sends them to the service. It is not a mutation of the query client, which would
 * keep its arguments for a while: the secrets are an argument here.
 */
export function useDelivery(connectionId: string, store: Store) {
  const queries = useQueryClient();
  const [isBusy, setBusy] = useState(false);
  const [problem, setProblem] = useState<unknown>(null);
  const [delivered, setDelivered] = useState<Delivered | null>(null);

  const deliver = async (recipients: readonly Recipient[], secrets: Secrets): Promise<boolean> => {
    setBusy(true);
    setProblem(null);
    const path = { id: connectionId };
    let names: string[] = [];
    try {
      const sealed = await Promise.all(recipients.map((recipient) => sealTo(recipient, connectionId, secrets)));
      let statuses: AgentCredential[] = [];
      for (const part of sealedRequests(sealed)) {
        names = part.map(
          ({ agentId }) =>
            recipients.find((one) => one.agentId === agentId)?.name ?? credentials.deliver.problems.unnamed,
        );
        statuses = await call("POST", "/api/v1/automation/connections/{id}/credentials", {
          path,
          body: { sealed: part },
        });
      }
      for (const { target } of recipients) rememberTarget(connectionId, target, store);
      setDelivered({ recipients, statuses });
      return true;
    } catch (error) {
      setProblem(asDeliveryError(error, names));
      return false;
    } finally {
      setBusy(false);
      // Also after a failure: some requests may have succeeded and changed the versions.
      for (const read of ["/api/v1/automation/connections", "/api/v1/automation/connections/{id}"]) {
        void queries.invalidateQueries({ queryKey: [read] });
      }
    }
  };
  return { isBusy, problem, delivered, deliver, again: () => setDelivered(null) };
}
