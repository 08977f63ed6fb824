import "../../api/zod-config.ts";
import { Stack } from "@mantine/core";
import { useState } from "react";
import { useLocation } from "wouter";
import { call } from "../../api/client.ts";
import { useAction, useRead } from "../../api/queries.ts";
import { useCan } from "../../app/session.tsx";
import { isChangedMeanwhile } from "../../ui/conflict.ts";
import { Page } from "../../ui/page.tsx";
import { NoPermission, ReadState } from "../../ui/states.tsx";
import { toastSuccess } from "../../ui/toast.tsx";
import type { ConnectionView } from "../../../schema/contract/management.ts";
import { ConnectionForm } from "./form/connection-form.tsx";
import { EditedByOthers } from "./form/edited-by-others.tsx";
import { changesOf, valuesOf } from "./form/form-values.ts";
import { KeptAddress } from "./form/kept-address.tsx";
import { TargetChange } from "./form/target-change.tsx";
import { useConnectionForm } from "./form/use-connection-form.ts";
import { TypeIcon } from "../../ui/type-icon.tsx";
import { common } from "../../strings/en/common.ts";
import { connectionForms } from "../../strings/en/connection-forms.ts";

const text = connectionForms.edit;

const PATH = "/api/v1/automation/connections/{id}";

/** Edits the opened revision of a connection. A change by another person is shown, and typed text stays. */
export default function EditConnection({ params: { id = "" } }: { params: Record<string, string | undefined> }) {
  const may = useCan("connections:write");
  const read = useRead(PATH, { path: { id } }, { enabled: may });
  const above = [
    { label: common.connections, href: "/connections" },
    { label: read.data?.name ?? common.connection, href: `/connections/${id}` },
  ];
  if (!may) {
    return (
      <Page title={text.title} above={above}>
        <NoPermission>{text.notAllowed}</NoPermission>
      </Page>
    );
  }
  return (
    <Page title={text.title} above={above} beside={read.data === undefined ? null : <TypeIcon type={read.data.type} />}>
      <ReadState read={read}>{(connection) => <EditForm now={connection} readAgain={read.refetch} />}</ReadState>
    </Page>
  );
}

/** `now` is read again while the form is open. The form keeps its first state. */
function EditForm({ now, readAgain }: { now: ConnectionView; readAgain: () => unknown }) {
  const [, navigate] = useLocation();
  const [base, setBase] = useState(now);
  const form = useConnectionForm(base.type, valuesOf(base));
  const href = `/connections/${base.id}`;
  const save = useAction(
    ({ revision }: { revision: number }) =>
      call(
        "PATCH",
        PATH,
        { path: { id: base.id }, body: changesOf(base.type, valuesOf(base), form.values) },
        { ifMatch: revision },
      ),
    {
      refreshes: ["/api/v1/automation/connections", PATH],
      onDone: ({ name }) => {
        toastSuccess(text.done(name));
        navigate(href);
      },
    },
  );
  const submit = (revision: number) =>
    save.mutate(
      { revision },
      {
        onError: (error) => {
          form.take(error);
          if (isChangedMeanwhile(error)) void readAgain();
        },
      },
    );
  // The newer revision of another person, also when it is read before an attempt to save.
  const theirs = now.revision > base.revision && (save.isIdle || save.isError) ? now : null;
  return (
    <Stack>
      {theirs === null ? null : (
        <EditedByOthers
          before={base}
          theirs={theirs}
          busy={save.isPending}
          onOverwrite={() => (form.isRight ? submit(theirs.revision) : form.attempt())}
          onTakeTheirs={() => {
            setBase(theirs);
            form.replace(valuesOf(theirs));
            save.reset();
          }}
        />
      )}
      <ConnectionForm
        type={base.type}
        form={form}
        submitLabel={common.save}
        busy={save.isPending}
        problem={isChangedMeanwhile(save.error) && theirs !== null ? null : save.error}
        onSubmit={() => submit(base.revision)}
        cancelHref={href}
      >
        <KeptAddress connection={base} form={form} />
        <TargetChange connection={now} values={form.values} />
      </ConnectionForm>
    </Stack>
  );
}
