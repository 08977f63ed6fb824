import { MultiSelect, Stack, Switch } from "@mantine/core";
import { approverRoleSchema } from "../../schema/contract/approval.ts";
import type { ApproverRole } from "../../schema/contract/approval.ts";
import type { FieldError } from "../../schema/contract/problem.ts";
import type { ApprovalNode } from "../../schema/contract/workflow.ts";
import { messageOf } from "../api/problem.ts";
import { useAll } from "../api/use-all.ts";
import { useCan, useMe } from "../app/session.tsx";
import { workflowForms } from "../strings/en/workflow-forms.ts";
import { problemText } from "./problems.ts";
import { put } from "./put.ts";

const text = workflowForms.approval;

interface ApproversFieldProps {
  node: ApprovalNode;
  problems: readonly FieldError[];
  readOnly: boolean;
  onChange: (node: ApprovalNode) => void;
}

/** The fields for who may answer an approval. */
export function ApproversField({ node, problems, readOnly, onChange }: ApproversFieldProps) {
  const isAdmin = useCan("admin");
  const { roles = [], people = [] } = node.approvers ?? {};
  const name = (next: { roles: readonly ApproverRole[]; people: readonly string[] }) => {
    const approvers = {
      ...(next.roles.length === 0 ? {} : { roles: [...next.roles] }),
      ...(next.people.length === 0 ? {} : { people: [...next.people] }),
    };
    onChange(put(node, { approvers: Object.keys(approvers).length === 0 ? undefined : approvers }));
  };
  const peopleField = {
    value: people,
    error: problemText(problems, "approvers.people"),
    readOnly,
    onChange: (next: string[]) => name({ roles, people: next }),
  };
  return (
    <Stack gap="sm">
      <Switch
        data-part="by"
        label={text.another}
        description={text.anotherHint}
        checked={node.by === "another"}
        disabled={readOnly}
        error={problemText(problems, "by")}
        onChange={(event) => onChange(put(node, { by: event.currentTarget.checked ? "another" : undefined }))}
      />
      <MultiSelect
        data-part="approvers.roles"
        label={text.roles}
        description={text.rolesHint}
        data={approverRoleSchema.options.map((role) => ({ value: role, label: text.roleNames[role] }))}
        value={roles}
        error={problemText(problems, "approvers.roles")}
        readOnly={readOnly}
        onChange={(next) => name({ roles: approverRoleSchema.options.filter((role) => next.includes(role)), people })}
      />
      {isAdmin ? <AnyPeople {...peopleField} /> : <OwnPeople {...peopleField} />}
    </Stack>
  );
}

interface PeopleProps {
  value: string[];
  error: string | null;
  readOnly: boolean;
  onChange: (ids: string[]) => void;
}

function AnyPeople({ value, error, ...field }: PeopleProps) {
  const users = useAll("/api/v1/automation/users", { query: { limit: 200 } });
  const own = users.error === null ? null : text.peopleNotLoaded(messageOf(users.error));
  const emails = new Map((users.items ?? []).map(({ id, email }) => [id, email]));
  return <PeopleSelect {...field} value={value} emails={emails} error={error ?? own} description={null} />;
}

/** Only administrators can read the list of users. Others can add themselves and keep the people already named. */
function OwnPeople(field: PeopleProps) {
  const { user } = useMe();
  const emails = new Map(user === null ? [] : [[user.id, user.email]]);
  return <PeopleSelect {...field} emails={emails} description={text.peopleHint} />;
}

function PeopleSelect({
  value,
  emails,
  ...field
}: PeopleProps & { emails: ReadonlyMap<string, string>; description: string | null }) {
  const ids = [...new Set([...emails.keys(), ...value])];
  return (
    <MultiSelect
      data-part="approvers.people"
      label={text.people}
      data={ids.map((id) => ({ value: id, label: emails.get(id) ?? id }))}
      value={value}
      searchable
      limit={100}
      nothingFoundMessage={text.noPeople}
      {...field}
    />
  );
}
