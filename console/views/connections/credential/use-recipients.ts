import { useQuery } from "@tanstack/react-query";
import { call } from "../../../api/client.ts";
import type { Recipient } from "../../../../schema/contract/credential.ts";
import { fingerprintOf } from "../../../../schema/contract/sealing.ts";

export interface CheckedRecipient extends Recipient {
  /** The fingerprint of the key that is used for sealing, computed in this browser. */
  computed: string;
}

/** The agents to seal for, read again for each delivery because a key or version may be outdated. */
export function useRecipients(connectionId: string) {
  return useQuery<CheckedRecipient[]>({
    queryKey: ["/api/v1/automation/connections/{id}/recipients", "checked", connectionId],
    queryFn: async ({ signal }) => {
      const path = { id: connectionId };
      const recipients = await call("GET", "/api/v1/automation/connections/{id}/recipients", { path }, { signal });
      return Promise.all(recipients.map(async (one) => ({ ...one, computed: await fingerprintOf(one) })));
    },
    staleTime: 0,
    gcTime: 0,
    refetchOnWindowFocus: false,
  });
}
