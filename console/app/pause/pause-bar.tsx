import { Anchor, Button, Text } from "@mantine/core";
import { IconPlayerPause } from "@tabler/icons-react";
import { useState } from "react";
import type { PauseView } from "../../../schema/contract/pause.ts";
import { call } from "../../api/client.ts";
import { OVERVIEW } from "../../api/overview.ts";
import { pause as text } from "../../strings/en/pause.ts";
import { actorLabel } from "../../ui/actor-label.ts";
import { confirm } from "../../ui/confirm.tsx";
import { TimeAgo } from "../../ui/time.tsx";
import { useToastMutation } from "../../ui/use-toast-mutation.ts";
import classes from "./pause-bar.module.css";

/** A reason of this length is shown whole on a phone. */
const SHORT_CHARS = 80;

interface PauseBarProps {
  pause: PauseView;
  mayResume: boolean;
}

/** Who paused all runs, since when and why. It is at the bottom of the window, so that nothing moves when it appears. */
export default function PauseBar({ pause: { by, at, reason }, mayResume }: PauseBarProps) {
  const [isWhole, setWhole] = useState(false);
  const resume = useToastMutation(() => call("DELETE", "/api/v1/automation/pause", {}), {
    done: () => text.resume.done,
    failed: text.resume.failed,
    refreshes: [OVERVIEW],
  });
  const ask = async () => {
    const { title, effect, confirm: confirmLabel, keep } = text.resume;
    if (await confirm({ title, body: effect, confirmLabel, keepLabel: keep })) await resume.run(undefined);
  };
  return (
    <>
      {/* The end of the page is not behind the bar. */}
      <div className={classes["space"]} />
      <section className={classes["bar"]} data-bottom-bar aria-label={text.bar}>
        <IconPlayerPause size={20} aria-hidden className={classes["icon"] ?? ""} />
        <div className={classes["text"]} role="status">
          <Text fw={600} size="sm">
            {text.title}
          </Text>
          <Text size="sm" lineClamp={isWhole ? undefined : 3} component="div">
            {text.since(actorLabel(by), <TimeAgo at={at} />, reason)}
          </Text>
          {isWhole || reason.length <= SHORT_CHARS ? null : (
            <Anchor component="button" size="sm" onClick={() => setWhole(true)}>
              {text.wholeReason}
            </Anchor>
          )}
        </div>
        {mayResume ? (
          <Button size="xs" onClick={() => void ask()} loading={resume.isPending}>
            {text.resume.button}
          </Button>
        ) : null}
      </section>
    </>
  );
}
