import { Badge, Group } from "@mantine/core";
import { Link } from "wouter";

/** The tags of a workflow. Each leads to the list of the workflows that have it. */
export function Tags({ tags }: { tags: readonly string[] }) {
  if (tags.length === 0) return null;
  return (
    <Group gap={4}>
      {tags.map((tag) => (
        <Badge
          key={tag}
          component={Link}
          href={`/workflows?tag=${encodeURIComponent(tag)}`}
          variant="default"
          radius="sm"
          size="sm"
          tt="none"
          fw={400}
          style={{ cursor: "pointer" }}
        >
          {tag}
        </Badge>
      ))}
    </Group>
  );
}
