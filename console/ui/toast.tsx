import { notifications } from "@mantine/notifications";
import { notDone } from "./not-done.ts";
import { ProblemText } from "./states.tsx";

/** What became of a deed, in a corner: successes go by themselves, failures stay until they are closed. */
export function toastSuccess(message: string): void {
  notifications.show({ color: "teal", message });
}

export function toastFailure(title: string, error: unknown): void {
  notifications.show({
    color: "red",
    title: notDone(title, error),
    message: <ProblemText error={error} />,
    autoClose: false,
  });
}
