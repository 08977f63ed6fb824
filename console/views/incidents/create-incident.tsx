import { Alert, Button, Group, Modal, Select, SimpleGrid, Stack, TextInput, Textarea } from "@mantine/core";
import { useState } from "react";
import type { FormEvent } from "react";
import { useLocation } from "wouter";
import type { Severity } from "../../../schema/contract/incident.ts";
import { call } from "../../api/client.ts";
import { useAction } from "../../api/queries.ts";
import { common } from "../../strings/en/common.ts";
import { incidents } from "../../strings/en/incidents.ts";
import { useFieldErrors } from "../../ui/field-errors.ts";
import { notDone } from "../../ui/not-done.ts";
import { ProblemText } from "../../ui/states.tsx";
import { toastSuccess } from "../../ui/toast.tsx";
import { SEVERITIES } from "./filter.ts";
import { readTags } from "./tags.ts";

const text = incidents.create;
const { fields } = incidents;
const OPTIONAL = [
  ["service", fields.service],
  ["host", fields.host],
  ["source", common.source],
  ["teamId", fields.team],
  ["assignedTo", fields.assignedTo],
  ["dedupKey", fields.dedupKey],
] as const;
type Optional = (typeof OPTIONAL)[number][0];
const EMPTY = Object.fromEntries(OPTIONAL.map(([name]) => [name, ""]));

/** Creates an incident manually. */
export function CreateIncident({ onClose }: { onClose: () => void }) {
  const [, navigate] = useLocation();
  const [title, setTitle] = useState("");
  const [severity, setSeverity] = useState<Severity>("medium");
  const [description, setDescription] = useState("");
  const [tagText, setTagText] = useState("");
  const [more, setMore] = useState<Partial<Record<Optional, string>>>({});
  const read = readTags(tagText);
  const create = useAction(
    (
      body: { title: string; severity: Severity; description?: string; tags: Record<string, string> } & typeof more,
      options,
    ) => call("POST", "/api/v1/automation/incidents", { body }, options),
    {
      refreshes: ["/api/v1/automation/incidents"],
      onDone: (incident) => {
        // With a deduplication key the answer may be an incident that was open already and was updated.
        toastSuccess(incident.dedupKey === null ? text.done : text.wasOpen);
        onClose();
        navigate(`/incidents/${incident.id}`);
      },
    },
  );
  const errors = useFieldErrors(create.error, { title, description, ...EMPTY, ...more, tags: tagText });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if ("wrongLine" in read) return;
    const given = Object.entries(more).filter(([, value]) => value.trim() !== "");
    create.mutate({
      title,
      severity,
      ...(description === "" ? {} : { description }),
      ...Object.fromEntries(given),
      tags: read.tags,
    });
  };
  return (
    <Modal opened onClose={onClose} title={text.title} size="lg">
      <form onSubmit={submit} noValidate>
        <Stack gap="sm">
          <TextInput
            label={fields.title}
            required
            maxLength={500}
            data-autofocus
            value={title}
            onChange={(event) => setTitle(event.currentTarget.value)}
            error={errors.of("title")}
          />
          <Select
            label={common.severity}
            allowDeselect={false}
            data={[...SEVERITIES]}
            value={severity}
            onChange={(value) => setSeverity(SEVERITIES.find((one) => one === value) ?? "medium")}
          />
          <Textarea
            label={common.description}
            autosize
            minRows={2}
            maxRows={8}
            value={description}
            onChange={(event) => setDescription(event.currentTarget.value)}
            error={errors.of("description")}
          />
          <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm">
            {OPTIONAL.map(([name, label]) => (
              <TextInput
                key={name}
                label={label}
                placeholder={text.examples[name]}
                value={more[name] ?? ""}
                onChange={(event) => setMore({ ...more, [name]: event.currentTarget.value })}
                error={errors.of(name)}
              />
            ))}
          </SimpleGrid>
          <Textarea
            label={fields.tags}
            description={text.tagsHelp}
            placeholder={text.examples.tags}
            autosize
            maxRows={6}
            value={tagText}
            onChange={(event) => setTagText(event.currentTarget.value)}
            error={"wrongLine" in read ? text.wrongTag(read.wrongLine) : errors.of("tags")}
          />
          {errors.rest === null ? null : (
            <Alert color="red" role="alert" title={notDone(text.failed, create.error)}>
              <ProblemText error={errors.rest} />
            </Alert>
          )}
          <Group justify="space-between">
            <span>{text.effect}</span>
            <Group gap="xs">
              <Button variant="default" onClick={onClose}>
                {common.cancel}
              </Button>
              <Button type="submit" loading={create.isPending}>
                {common.create}
              </Button>
            </Group>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}
