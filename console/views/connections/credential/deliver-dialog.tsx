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
      closeButtonProps={{ "aria-label": "Close" }}
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
        The secret is encrypted in the browser, and browsers encrypt only on pages that came over https, or from this
        very machine (localhost). Open the console by its https address, or deliver with <code>npm run deliver</code>,
        or on the agent&apos;s machine with <code>bellhop-agent credentials set</code>.
      </Text>
    </Alert>
  );
}
