import { Button, Text } from "@mantine/core";
import { IconTool } from "@tabler/icons-react";
import { Link } from "wouter";
import type { Overview } from "../../../schema/contract/overview.ts";
import { maintenance } from "../../strings/en/maintenance.ts";
import { shortTime } from "../../strings/time.ts";
import classes from "./pause-bar.module.css";

const text = maintenance.bar;

/** The open maintenance windows, on every page. */
export default function MaintenanceBar({ windows }: { windows: Overview["maintenance"] }) {
  const [first, ...others] = windows.items;
  if (first === undefined) return null;
  const { id, name, endsAt, reason } = first;
  return (
    <>
      <div className={classes["space"]} />
      <section className={classes["bar"]} data-bottom-bar aria-label={text.label}>
        <IconTool size={20} aria-hidden className={classes["icon"] ?? ""} />
        <div className={classes["text"]} role="status">
          <Text fw={600} size="sm">
            {text.title(name, others.length)}
          </Text>
          <Text size="sm" lineClamp={4} component="div">
            {text.until(shortTime(endsAt), reason)}
          </Text>
        </div>
        <Button
          component={Link}
          size="xs"
          variant="default"
          href={others.length === 0 ? `/maintenance/${id}` : "/maintenance"}
        >
          {text.show}
        </Button>
      </section>
    </>
  );
}
