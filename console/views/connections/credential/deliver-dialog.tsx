import "../../../api/zod-config.ts";
import { Alert, Modal, Text } from "@mantine/core";
import { useMediaQuery } from "@mantine/hooks";
import { Delivery } from "./delivery.tsx";
import type { DeliverProps } from "./delivery.tsx";

/** Delivers a connection's credential. Secrets leave the browser only encrypted. */
export default function DeliverDialog(props: DeliverProps) {
  const isNarrow = useMediaQuery("(max-width: 48em)", false, { getInitialValueInEffect: false });
  return (
    <Modal
      opened
      onClose={props.onClose}
      title={`Deliver the credential of ${props.connection.name}`}
      size="lg"
      fullScreen={isNarrow}
      // An accidental click outside the dialog would discard the typed secrets.
      closeOnClickOutside={false}
    >
      {isSecureContext ? <Delivery {...props} /> : <NotSecure />}
    </Modal>
  );
}

/** Browsers offer cryptography only to pages that were loaded securely. */
function NotSecure() {
  return (
    <Alert color="yellow" title="This page was not loaded over https">
      <Text size="sm">
        The browser encrypts the secret, which is possible only on pages that were loaded over https or from localhost.
        Open the console over https, deliver with <code>npm run deliver</code>, or use{" "}
        <code>bellhop-agent credentials set</code> on the agent&apos;s machine.
      </Text>
    </Alert>
  );
}
