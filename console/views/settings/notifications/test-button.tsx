import { Button } from "@mantine/core";
import { useAction } from "../../../api/queries.ts";
import { asPageError } from "../../../ui/conflict.ts";
import { toastFailure } from "../../../ui/toast.tsx";

interface TestButtonProps<Result> {
  text: { test: string; testOf: (name: string) => string; tested: { failed: (name: string) => string } };
  name: string;
  perform: () => Promise<Result>;
  onDone: (result: Result) => void;
}

/** Sends a test of a receiver or a rule. */
export function TestButton<Result>({ text, name, perform, onDone }: TestButtonProps<Result>) {
  const test = useAction(perform, { onDone });
  const send = async () => {
    try {
      await test.mutateAsync(undefined);
    } catch (error) {
      toastFailure(text.tested.failed(name), asPageError(error));
    }
  };
  return (
    <Button
      size="xs"
      px="xs"
      variant="default"
      aria-label={text.testOf(name)}
      loading={test.isPending}
      onClick={() => void send()}
    >
      {text.test}
    </Button>
  );
}
