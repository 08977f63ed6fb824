import { Button } from "@mantine/core";
import type { PathOf } from "../api/operations.ts";
import { common } from "../strings/en/common.ts";
import { confirm } from "./confirm.tsx";
import { useToastMutation } from "./use-toast-mutation.ts";

interface DeleteButtonProps {
  name: string;
  /** What the deletion means for others. */
  effect: string;
  perform: () => Promise<unknown>;
  /** The list that had the item. */
  list: PathOf<"GET">;
}

/** Deletes an item of a list after a question. */
export function DeleteButton({ name, effect, perform, list }: DeleteButtonProps) {
  const { of, title, keep, done, failed } = common.deletion;
  const remove = useToastMutation(perform, { done: () => done(name), failed: failed(name), refreshes: [list] });
  const ask = async () => {
    const options = { title: title(name), body: effect, confirmLabel: common.delete, keepLabel: keep, danger: true };
    if (await confirm(options)) await remove.run(undefined);
  };
  return (
    <Button
      size="xs"
      px="xs"
      variant="default"
      aria-label={of(name)}
      loading={remove.isPending}
      onClick={() => void ask()}
    >
      {common.delete}
    </Button>
  );
}
