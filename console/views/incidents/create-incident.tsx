import { Alert, Button, Group, Modal, Select, SimpleGrid, Stack, TextInput, Textarea } from "@mantine/core";
import { useState } from "react";
import type { FormEvent } from "react";
import { useLocation } from "wouter";
import type { Severity } from "../../../schema/contract/incident.ts";
import { call } from "../../api/client.ts";
import { useAction } from "../../api/queries.ts";
import { fieldError } from "../../ui/field-error.ts";
import { notDone } from "../../ui/not-done.ts";
import { ProblemText } from "../../ui/states.tsx";
import { toastSuccess } from "../../ui/toast.tsx";
import { readTags } from "./tags.ts";

const SEVERITIES: readonly Severity[] = ["critical", "high", "medium", "low"];
const OPTIONAL = [
  ["service", "Service", "shop"],
  ["host", "Host", "web-1"],
  ["source", "Source", "people"],
  ["teamId", "Team", "payments"],
  ["assignedTo", "Assigned to", "ada@example.com"],
  ["dedupKey", "Deduplication key", "disk/web-1"],
] as const;
type Optional = (typeof OPTIONAL)[number][0];

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
        toastSuccess(
          incident.dedupKey === null
            ? "The incident is created."
            : "This is the open incident with that deduplication key.",
        );
        onClose();
        navigate(`/incidents/${incident.id}`);
      },
    },
  );
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
    <Modal opened onClose={onClose} title="Create an incident" size="lg">
      <form onSubmit={submit}>
        <Stack gap="sm">
          <TextInput
            label="Title"
            required
            maxLength={500}
            data-autofocus
            value={title}
            onChange={(event) => setTitle(event.currentTarget.value)}
            error={fieldError(create.error, "title")}
          />
          <Select
            label="Severity"
            allowDeselect={false}
            data={[...SEVERITIES]}
            value={severity}
            onChange={(value) => setSeverity(SEVERITIES.find((one) => one === value) ?? "medium")}
          />
          <Textarea
            label="Description"
            autosize
            minRows={2}
            maxRows={8}
            value={description}
            onChange={(event) => setDescription(event.currentTarget.value)}
            error={fieldError(create.error, "description")}
          />
          <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm">
            {OPTIONAL.map(([name, label, placeholder]) => (
              <TextInput
                key={name}
                label={label}
                placeholder={placeholder}
                value={more[name] ?? ""}
                onChange={(event) => setMore({ ...more, [name]: event.currentTarget.value })}
                error={fieldError(create.error, name)}
              />
            ))}
          </SimpleGrid>
          <Textarea
            label="Tags"
            description="One per line, as name=value."
            placeholder="region=eu-1"
            autosize
            maxRows={6}
            value={tagText}
            onChange={(event) => setTagText(event.currentTarget.value)}
            error={"wrongLine" in read ? `“${read.wrongLine}” is not name=value` : fieldError(create.error, "tags")}
          />
          {create.error === null ? null : (
            <Alert color="red" role="alert" title={notDone("The incident was not created", create.error)}>
              <ProblemText error={create.error} />
            </Alert>
          )}
          <Group justify="space-between">
            <span>Matching active workflows start immediately.</span>
            <Group gap="xs">
              <Button variant="default" onClick={onClose}>
                Cancel
              </Button>
              <Button type="submit" loading={create.isPending} disabled={title.trim() === "" || "wrongLine" in read}>
                Create
              </Button>
            </Group>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}
