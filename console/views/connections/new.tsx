import "../../api/zod-config.ts";
import { Card, Group, SimpleGrid, Text } from "@mantine/core";
import { Link, useLocation, useSearchParams } from "wouter";
import { call } from "../../api/client.ts";
import { useAction } from "../../api/queries.ts";
import { useCan } from "../../app/session.tsx";
import { Page } from "../../ui/page.tsx";
import { NoPermission } from "../../ui/states.tsx";
import { toastSuccess } from "../../ui/toast.tsx";
import { needsCredential } from "../../../schema/contract/connection.ts";
import type { ConnectionType } from "../../../schema/contract/connection.ts";
import { ConnectionForm } from "./form/connection-form.tsx";
import { startValues, toAssignment, toConfig } from "./form/form-values.ts";
import { useConnectionForm } from "./form/use-connection-form.ts";
import { TypeIcon } from "../../ui/type-icon.tsx";
import { CONNECTION_TYPES, descriptorOf, isConnectionType } from "../../../schema/contract/connection.ts";
import { common } from "../../strings/en/common.ts";
import { connectionForms } from "../../strings/en/connection-forms.ts";

const text = connectionForms.create;

const ABOVE = [{ label: common.connections, href: "/connections" }];

/** A new connection: a choice of the type, then the form of that type. */
export default function NewConnection() {
  const [search] = useSearchParams();
  const type = search.get("type");
  if (!useCan("connections:write")) {
    return (
      <Page title={text.title} above={ABOVE}>
        <NoPermission>{text.notAllowed}</NoPermission>
      </Page>
    );
  }
  return isConnectionType(type) ? <NewOfType key={type} type={type} /> : <ChooseType />;
}

function ChooseType() {
  return (
    <Page title={text.title} above={ABOVE} description={text.choose}>
      <SimpleGrid cols={{ base: 1, xs: 2, md: 3 }} spacing="sm" component="nav" aria-label={text.types}>
        {CONNECTION_TYPES.map((type) => (
          <Card key={type} withBorder component={Link} href={`/connections/new?type=${type}`} padding="sm">
            <Group gap="sm" wrap="nowrap" align="flex-start">
              <TypeIcon type={type} size={24} />
              <div>
                <Text fw={600}>{descriptorOf(type).label}</Text>
                <Text size="sm" c="dimmed">
                  {descriptorOf(type).does}
                </Text>
              </div>
            </Group>
          </Card>
        ))}
      </SimpleGrid>
    </Page>
  );
}

function NewOfType({ type }: { type: ConnectionType }) {
  const [, navigate] = useLocation();
  const form = useConnectionForm(type, startValues(type));
  const { name, config } = form.values;
  const sent = toConfig(type, config);
  // A connection that logs in is unusable without a credential, so the page opens the delivery next.
  const deliversNext = needsCredential({ type, config: sent }) === true;
  const create = useAction(
    (body: { name: string; config: typeof sent; agentId: string | null; poolId: string | null }, { idempotencyKey }) =>
      call("POST", "/api/v1/automation/connections", { body: { type, ...body } }, { idempotencyKey }),
    {
      refreshes: ["/api/v1/automation/connections"],
      onDone: (created) => {
        toastSuccess(text.done(created.name));
        const isAssigned = created.agentId !== null || created.poolId !== null;
        navigate(`/connections/${created.id}${deliversNext && isAssigned ? "?deliver" : ""}`);
      },
    },
  );
  const save = () =>
    create.mutate({ name, config: sent, ...toAssignment(form.values) }, { onError: (error) => form.take(error) });
  return (
    <Page
      title={text.titleOf(descriptorOf(type).label)}
      above={[...ABOVE, { label: text.parent, href: "/connections/new" }]}
      description={descriptorOf(type).does}
      help={`connections/${type}`}
    >
      <ConnectionForm
        type={type}
        form={form}
        submitLabel={text.submit}
        busy={create.isPending}
        problem={create.error}
        onSubmit={save}
        cancelHref="/connections"
      />
    </Page>
  );
}
