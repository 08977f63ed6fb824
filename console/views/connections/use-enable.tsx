import { call } from "../../api/client.ts";
import { confirm } from "../../ui/confirm.tsx";
import { useToastMutation } from "../../ui/use-toast-mutation.ts";
import type { ConnectionView } from "../../../schema/contract/management.ts";

const PATH = "/api/v1/automation/connections/{id}";

/** Enables a connection, or disables it after a confirmation. */
export function useEnable({ id, name, enabled, revision }: ConnectionView) {
  const change = useToastMutation(
    () =>
      enabled
        ? call("POST", `${PATH}/disable`, { path: { id } }, { ifMatch: revision })
        : call("POST", `${PATH}/enable`, { path: { id } }, { ifMatch: revision }),
    {
      done: (now) => `${name} is ${now.enabled ? "enabled" : "disabled"}.`,
      failed: `${name} was not ${enabled ? "disabled" : "enabled"}`,
      refreshes: ["/api/v1/automation/connections", PATH],
    },
  );
  const begin = async () => {
    const asked =
      !enabled ||
      (await confirm({
        title: `Disable ${name}?`,
        body: "Until you enable it again, workflows cannot select it and steps that use it fail. The credential stays on the agents.",
        confirmLabel: "Disable",
        keepLabel: "Keep enabled",
        danger: true,
      }));
    if (asked) await change.run(undefined);
  };
  return { isPending: change.isPending, begin: () => void begin() };
}
