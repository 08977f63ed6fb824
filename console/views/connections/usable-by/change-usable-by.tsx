import { Checkbox, Group, MultiSelect, Radio, Stack, TagsInput, Text } from "@mantine/core";
import { useState } from "react";
import type { ConnectionView } from "../../../../schema/contract/management.ts";
import type { Role } from "../../../../schema/contract/people.ts";
import type { UsableBy } from "../../../../schema/contract/usable-by.ts";
import { call } from "../../../api/client.ts";
import { useAction } from "../../../api/queries.ts";
import { useFieldErrors } from "../../../ui/field-errors.ts";
import { toastSuccess } from "../../../ui/toast.tsx";
import { DialogForm } from "../../../ui/dialog-form.tsx";
import { nameOf, usePeople, useWorkflowNames } from "./use-people.ts";
import type { Names } from "./use-people.ts";
import { common } from "../../../strings/en/common.ts";
import { connections } from "../../../strings/en/connections.ts";

const text = connections.usableBy.dialog;

const PATH = "/api/v1/automation/connections/{id}";
const ROLES = ["viewer", "operator", "editor", "admin"] as const satisfies readonly Role[];
const NO_ONE: UsableBy = { people: [], roles: [], workflows: [] };

/** A choice between everyone and lists of people, roles and workflows. */
export function ChangeUsableBy({ connection, close }: { connection: ConnectionView; close: () => void }) {
  // The opened revision: a concurrent change is not overwritten.
  const [{ id, name, revision, usableBy, credentialStatus }] = useState(connection);
  const [isForAll, setIsForAll] = useState(usableBy === null);
  const [named, setNamed] = useState(usableBy ?? NO_ONE);
  const [people, workflows] = [usePeople(), useWorkflowNames()];
  const change = useAction(
    (body: { usableBy: UsableBy | null }) => call("PATCH", PATH, { path: { id }, body }, { ifMatch: revision }),
    {
      refreshes: ["/api/v1/automation/connections", PATH],
      onDone: () => {
        toastSuccess(text.saved(name));
        close();
      },
    },
  );
  const errors = useFieldErrors(change.error, {
    "usableBy.people": named.people,
    "usableBy.roles": named.roles,
    "usableBy.workflows": named.workflows,
  });
  const errorOf = (field: keyof UsableBy) => errors.of(`usableBy.${field}`);
  return (
    <DialogForm
      title={text.title(name)}
      submitLabel={common.save}
      close={close}
      submit={() => change.mutate({ usableBy: isForAll ? null : named })}
      isPending={change.isPending}
      error={errors.rest}
    >
      <Radio.Group label={text.choice} value={isForAll ? "all" : "named"} onChange={(to) => setIsForAll(to === "all")}>
        <Stack gap={8} mt={6}>
          <Radio value="all" label={text.everyone} />
          <Radio value="named" label={text.named} />
        </Stack>
      </Radio.Group>
      {isForAll ? null : (
        <>
          {people.mayRead ? (
            <MultiSelect
              label={connections.usableBy.people}
              description={text.peopleHelp}
              data={optionsOf(people, named.people)}
              value={named.people}
              onChange={(ids) => setNamed({ ...named, people: ids })}
              error={errorOf("people")}
              searchable
            />
          ) : (
            <TagsInput
              label={connections.usableBy.people}
              description={text.idsHelp}
              value={named.people}
              onChange={(ids) => setNamed({ ...named, people: ids })}
              error={errorOf("people")}
            />
          )}
          <Checkbox.Group
            label={connections.usableBy.roles}
            description={text.rolesHelp}
            value={named.roles}
            onChange={(chosen) => setNamed({ ...named, roles: ROLES.filter((role) => chosen.includes(role)) })}
            error={errorOf("roles")}
          >
            <Group mt={6}>
              {ROLES.map((role) => (
                <Checkbox key={role} value={role} label={role} />
              ))}
            </Group>
          </Checkbox.Group>
          <MultiSelect
            label={common.workflows}
            description={text.workflowsHelp}
            data={optionsOf(workflows, named.workflows)}
            value={named.workflows}
            onChange={(ids) => setNamed({ ...named, workflows: ids })}
            error={errorOf("workflows")}
            searchable
          />
          {isNoOne(named) ? <Text size="sm">{text.noOne}</Text> : null}
        </>
      )}
      {credentialStatus !== null && isSealedAgain(usableBy, isForAll ? null : named) ? (
        <Text size="sm">{text.sealed}</Text>
      ) : null}
    </DialogForm>
  );
}

/** The options include the chosen ids, also when their names are unknown. */
function optionsOf(names: Names, chosen: readonly string[]): { value: string; label: string }[] {
  const ids = new Set([...names.byId.keys(), ...chosen]);
  return [...ids].map((value) => ({ value, label: nameOf(value, names) }));
}

function isNoOne({ people, roles, workflows }: UsableBy): boolean {
  return people.length + roles.length + workflows.length === 0;
}

function isSealedAgain(before: UsableBy | null, after: UsableBy | null): boolean {
  return sealedText(before) !== sealedText(after);
}

/** A copy of the contract's `sealedWorkflows`, which would load its schemas. */
function sealedText(usableBy: UsableBy | null): string | null {
  if (usableBy === null || usableBy.people.length + usableBy.roles.length > 0) return null;
  return usableBy.workflows.toSorted().join();
}
