import { Box, Button, Group, SegmentedControl, Stack, Text } from "@mantine/core";
import { IconPlus } from "@tabler/icons-react";
import { useCallback, useState } from "react";
import type { ConditionGroup } from "../../schema/contract/condition.ts";
import type { FieldError } from "../../schema/contract/problem.ts";
import { conditions } from "../strings/en/conditions.ts";
import type { Completion } from "./completion.ts";
import { ConditionRow, RowButtons } from "./condition-row.tsx";
import type { RowCommands } from "./condition-row.tsx";
import { EMPTY_CONDITION, addMember, canNest, indent, outdent, removeMember, replaceMember } from "./condition-tree.ts";
import type { Moved, TreePath } from "./condition-tree.ts";
import { sentenceOf } from "./condition-labels.ts";
import { problemText, problemsElsewhere } from "./problems.ts";

const text = conditions.form;

interface ConditionBuilderProps {
  group: ConditionGroup;
  /** The path in the form: `when`. */
  path: string;
  problems: readonly FieldError[];
  /** An incident trigger's conditions name fields of the incident. */
  ofIncident: boolean;
  /** Replaces the paths that the form offers. */
  fields?: () => readonly Completion[];
  /** Focuses the first condition, which the person has just added. */
  startsFocused?: boolean;
  readOnly: boolean;
  onChange: (group: ConditionGroup) => void;
}

/** Conditions in groups of all or any, with a sentence that summarises them. */
export function ConditionBuilder(props: ConditionBuilderProps) {
  const { group, readOnly, onChange } = props;
  const [focused, setFocused] = useState<string | null>(props.startsFocused === true ? "0" : null);
  const onFocused = useCallback(() => setFocused(null), []);
  const go = (moved: Moved | null) => {
    if (moved === null) return;
    onChange(moved.group);
    setFocused(moved.at.join("."));
  };
  return (
    <Stack gap="xs">
      <MemberGroup
        {...props}
        root={group}
        at={[]}
        focused={focused}
        onFocused={onFocused}
        go={go}
        readOnly={readOnly}
      />
      {/* A trigger may have no conditions; a step without any has a problem, which is shown. */}
      {group.conditions.length > 0 || props.ofIncident ? <Text size="sm">{sentenceOf(group)}</Text> : null}
    </Stack>
  );
}

interface GroupProps extends ConditionBuilderProps {
  root: ConditionGroup;
  at: TreePath;
  focused: string | null;
  onFocused: () => void;
  go: (moved: Moved | null) => void;
}

function MemberGroup(props: GroupProps) {
  const { group, root, at, path, problems, readOnly, onChange, go } = props;
  const name = at.length === 0 ? text.title : text.group(numberOf(at));
  const own = problemsElsewhere(
    problems,
    group.conditions.map((_member, index) => `${path}.conditions.${index}`),
  ).map((one) => (one.path === `${path}.conditions` ? { ...one, path } : one));
  return (
    <Box
      data-field={path}
      role="group"
      aria-label={name}
      pl={at.length === 0 ? 0 : "sm"}
      style={at.length === 0 ? {} : { borderInlineStart: "2px solid var(--mantine-color-default-border)" }}
    >
      <Stack gap={8}>
        <Group gap="xs" justify="space-between">
          <SegmentedControl
            size="xs"
            aria-label={text.logic(name)}
            data={[
              { value: "all", label: text.logics.all },
              { value: "any", label: text.logics.any },
            ]}
            value={group.logic}
            readOnly={readOnly}
            onChange={(logic) => onChange({ ...group, logic: logic === "any" ? "any" : "all" })}
          />
          {at.length === 0 || readOnly ? null : <RowButtons name={name} commands={commandsOf(root, at, go)} />}
        </Group>
        {group.conditions.map((member, index) => {
          const memberPath = [...at, index];
          const shared = { ...props, path: `${path}.conditions.${index}`, at: memberPath };
          const replace = (next: typeof member) => onChange(replaceMember(group, [index], next));
          const key = index;
          if ("conditions" in member) return <MemberGroup key={key} {...shared} group={member} onChange={replace} />;
          return (
            <ConditionRow
              key={key}
              condition={member}
              name={text.condition(numberOf(memberPath))}
              path={shared.path}
              problems={problems}
              ofIncident={props.ofIncident}
              fields={props.fields ?? null}
              readOnly={readOnly}
              isFocused={props.focused === memberPath.join(".")}
              onFocused={props.onFocused}
              commands={commandsOf(root, memberPath, go)}
              onChange={replace}
            />
          );
        })}
        {problemText(own, path) === null ? null : (
          <Text size="xs" c="red" role="alert">
            {problemText(own, path)}
          </Text>
        )}
        {readOnly ? null : (
          <Group gap="xs">
            <Button
              size="compact-sm"
              variant="default"
              leftSection={<IconPlus size={14} aria-hidden />}
              aria-label={at.length === 0 ? text.add : text.addTo(numberOf(at))}
              onClick={() => go(addMember(root, at, EMPTY_CONDITION))}
            >
              {text.add}
            </Button>
            {canNest(at) ? (
              <Button
                size="compact-sm"
                variant="subtle"
                aria-label={at.length === 0 ? text.addGroup : text.addGroupTo(numberOf(at))}
                onClick={() => {
                  const added = addMember(root, at, {
                    logic: group.logic === "all" ? "any" : "all",
                    conditions: [EMPTY_CONDITION],
                  });
                  go({ ...added, at: [...added.at, 0] });
                }}
              >
                {text.addGroup}
              </Button>
            ) : null}
          </Group>
        )}
      </Stack>
    </Box>
  );
}

function commandsOf(root: ConditionGroup, at: TreePath, go: (moved: Moved | null) => void): RowCommands {
  const inwards = indent(root, at);
  const outwards = outdent(root, at);
  return {
    indent: inwards === null ? null : () => go(inwards),
    outdent: outwards === null ? null : () => go(outwards),
    remove: () => {
      const last = at.at(-1) ?? 0;
      go({ group: removeMember(root, at), at: [...at.slice(0, -1), Math.max(0, last - 1)] });
    },
  };
}

function numberOf(at: TreePath): string {
  return at.map((index) => index + 1).join(".");
}
