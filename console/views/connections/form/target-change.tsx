import { Alert, Text } from "@mantine/core";
import type { ConnectionView } from "../../../../schema/contract/management.ts";
import { targetFieldWords } from "../../../../schema/contract/target-words.ts";
import { fieldsThatTakeItAway } from "./fields-that-take-it-away.ts";
import type { FormValues } from "./form-values.ts";

/** Says before saving which of the changed fields take the delivered credential away. */
export function TargetChange({ connection, values }: { connection: ConnectionView; values: FormValues }) {
  const fields = fieldsThatTakeItAway(connection, values);
  if (fields.length === 0) return null;
  return (
    <Alert color="yellow" variant="light" role="status" title="This takes the credential away">
      <Text size="sm">
        Changing the {targetFieldWords(fields)} makes the delivered credential unusable until it is delivered again: it
        was sealed for the place where the connection leads now.
      </Text>
    </Alert>
  );
}
