import { List } from "@mantine/core";
import { call } from "../../../api/client.ts";
import { credentials } from "../../../strings/en/credentials.ts";
import { confirm } from "../../../ui/confirm.tsx";
import { useToastMutation } from "../../../ui/use-toast-mutation.ts";
import type { ConnectionView } from "../../../../schema/contract/management.ts";

const text = credentials.withdraw;

/** Withdraws a connection's credential from every agent after a confirmation. */
export function useWithdraw({ id, name }: ConnectionView) {
  const withdraw = useToastMutation(
    () => call("DELETE", "/api/v1/automation/connections/{id}/credentials", { path: { id } }),
    {
      done: () => text.done(name),
      failed: text.failed,
      refreshes: ["/api/v1/automation/connections/{id}", "/api/v1/automation/connections"],
    },
  );
  const begin = async () => {
    const body = (
      <List size="sm" spacing="xs">
        {text.effects.map((effect) => (
          <List.Item key={effect}>{effect}</List.Item>
        ))}
      </List>
    );
    const labels = { title: text.title(name), confirmLabel: text.confirm, keepLabel: text.keep };
    if (await confirm({ ...labels, body, danger: true })) await withdraw.run(undefined);
  };
  return { isPending: withdraw.isPending, begin: () => void begin() };
}
