import { List } from "@mantine/core";
import { call } from "../../../api/client.ts";
import { confirm } from "../../../ui/confirm.tsx";
import { useToastMutation } from "../../../ui/use-toast-mutation.ts";
import type { ConnectionView } from "../../../../schema/contract/management.ts";

/** Withdraws a connection's credential from every agent after a confirmation. */
export function useWithdraw({ id, name }: ConnectionView) {
  const withdraw = useToastMutation(
    () => call("DELETE", "/api/v1/automation/connections/{id}/credentials", { path: { id } }),
    {
      done: () => `The credential of ${name} is withdrawn: each agent deletes it with its next poll.`,
      failed: "The credential was not withdrawn",
      refreshes: ["/api/v1/automation/connections/{id}", "/api/v1/automation/connections"],
    },
  );
  const begin = async () => {
    const body = (
      <List size="sm" spacing="xs">
        <List.Item>Every agent deletes it from its vault. An offline agent does so when it is back.</List.Item>
        <List.Item>Deliveries that were not fetched yet are deleted.</List.Item>
        <List.Item>Steps that need it wait or fail until you deliver again.</List.Item>
        <List.Item>The secret itself stays valid on the target. If it may have leaked, change it there, too.</List.Item>
      </List>
    );
    const title = `Withdraw the credential of ${name}?`;
    const labels = { confirmLabel: "Withdraw credential", keepLabel: "Keep credential" };
    if (await confirm({ title, body, ...labels, danger: true })) await withdraw.run(undefined);
  };
  return { isPending: withdraw.isPending, begin: () => void begin() };
}
