import "../../../api/zod-config.ts";
import { Alert, Code, Modal, Text } from "@mantine/core";
import { useMediaQuery } from "@mantine/hooks";
import { credentials } from "../../../strings/en/credentials.ts";
import { Delivery } from "./delivery.tsx";
import type { DeliverProps } from "./delivery.tsx";

const text = credentials.deliver;

/** Delivers a connection's credential. Secrets leave the browser only encrypted. */
export default function DeliverDialog(props: DeliverProps) {
  const isNarrow = useMediaQuery("(max-width: 48em)", false, { getInitialValueInEffect: false });
  return (
    <Modal
      opened
      onClose={props.onClose}
      title={text.title(props.connection.name)}
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
    <Alert color="yellow" title={text.notSecure.title}>
      <Text size="sm">
        {text.notSecure.body(<Code>npm run deliver</Code>, <Code>bellhop-agent credentials set</Code>)}
      </Text>
    </Alert>
  );
}
