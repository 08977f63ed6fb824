import { Checkbox, Group, MultiSelect, Radio, Stack, TagsInput, Text } from "@mantine/core";
import { useState } from "react";
import type { ConnectionView } from "../../../../schema/contract/management.ts";
import type { Role } from "../../../../schema/contract/people.ts";
import type { UsableBy } from "../../../../schema/contract/usable-by.ts";
import { call } from "../../../api/client.ts";
import { useAction } from "../../../api/queries.ts";
import { fieldError } from "../../../ui/field-error.ts";
import { toastSuccess } from "../../../ui/toast.tsx";
import { DialogForm } from "../../../ui/dialog-form.tsx";
import { nameOf, usePeople, useWorkflowNames } from "./use-people.ts";
import type { Names } from "./use-people.ts";

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
        toastSuccess(`Saved who may use ${name}.`);
        close();
      },
    },
  );
  const errorOf = (field: keyof UsableBy) => fieldError(change.error, `usableBy.${field}`);
  return (
    <DialogForm
      title={`Who may use ${name}?`}
      submitLabel="Save"
      close={close}
      submit={() => change.mutate({ usableBy: isForAll ? null : named })}
      isPending={change.isPending}
      error={change.error}
      fields={["usableBy.people", "usableBy.roles", "usableBy.workflows"]}
    >
      <Radio.Group
        label="It may be used by"
        value={isForAll ? "all" : "named"}
        onChange={(to) => setIsForAll(to === "all")}
      >
        <Stack gap={8} mt={6}>
          <Radio value="all" label="Everyone who may edit workflows" />
          <Radio value="named" label="Only those named here" />
        </Stack>
      </Radio.Group>
      {isForAll ? null : (
        <>
          {people.mayRead ? (
            <MultiSelect
              label="People"
              description="Workflows that these people publish may use it."
              data={optionsOf(people, named.people)}
              value={named.people}
              onChange={(ids) => setNamed({ ...named, people: ids })}
              error={errorOf("people")}
              searchable
            />
          ) : (
            <TagsInput
              label="People"
              description="Ids of users. Workflows that these people publish may use it."
              value={named.people}
              onChange={(ids) => setNamed({ ...named, people: ids })}
              error={errorOf("people")}
            />
          )}
          <Checkbox.Group
            label="Roles"
            description="The same applies to everyone with one of these roles."
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
            label="Workflows"
            description="These workflows may use it, no matter who published them. Only administrators and people who may use it can publish them."
            data={optionsOf(workflows, named.workflows)}
            value={named.workflows}
            onChange={(ids) => setNamed({ ...named, workflows: ids })}
            error={errorOf("workflows")}
            searchable
          />
          {isNoOne(named) ? <Text size="sm">With nothing chosen, no workflow may use it.</Text> : null}
        </>
      )}
      {credentialStatus !== null && isSealedAgain(usableBy, isForAll ? null : named) ? (
        <Text size="sm">
          A list that has only workflows is encrypted with the credential. Deliver the credential again after this
          change.
        </Text>
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
