import { notifications } from "@mantine/notifications";
import { notDone } from "./not-done.ts";
import { ProblemText } from "./states.tsx";

/** A message in the corner about a change: successes disappear after a while, failures stay until they are closed. */
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
