import { ActionIcon, Button, Group, Stack, Text } from "@mantine/core";
import { IconDownload, IconTextWrap } from "@tabler/icons-react";
import { useLayoutEffect, useRef, useState } from "react";
import { Copy } from "../../ui/copy.tsx";
import { SHOWN_CHARS, excerpt, readable } from "./output-parts.ts";
import classes from "./executions.module.css";

interface LongTextProps {
  /** The text's name for screen readers. */
  label: string;
  text: string;
  /** Shows the end of a long text first. */
  fromEnd?: boolean;
}

/** A text. A long text is cut, with a button to show more. Copy and download take the whole text. */
export function LongText({ label, text, fromEnd = false }: LongTextProps) {
  const [wraps, setWraps] = useState(true);
  const [chars, setChars] = useState(SHOWN_CHARS);
  const { shown, left } = excerpt(text, chars, fromEnd);
  const box = useRef<HTMLPreElement>(null);
  useLayoutEffect(() => {
    // The end of the output matters most, so the box starts scrolled down.
    if (fromEnd && box.current !== null) box.current.scrollTop = box.current.scrollHeight;
  }, [fromEnd, text]);
  const more =
    left === 0 ? null : (
      <Group gap="xs" my={4}>
        <Text size="xs" c="dimmed">
          {left.toLocaleString("en")} {fromEnd ? "earlier" : "further"} characters are not shown.
        </Text>
        <Button size="compact-xs" variant="default" onClick={() => setChars((before) => before * 4)}>
          Show more
        </Button>
      </Group>
    );
  return (
    <div>
      {fromEnd ? more : null}
      <div className={classes["text"]}>
        <pre ref={box} tabIndex={0} role="region" aria-label={label} data-whole-lines={!wraps || undefined}>
          {readable(shown)}
        </pre>
        <Stack gap={2}>
          <Copy value={text} label={`Copy: ${label}`} />
          {text.trimEnd().includes("\n") ? (
            <>
              <ActionIcon
                variant="subtle"
                color="gray"
                aria-label={`Wrap lines: ${label}`}
                title="Wrap lines"
                aria-pressed={wraps}
                onClick={() => setWraps(!wraps)}
              >
                <IconTextWrap size={16} aria-hidden />
              </ActionIcon>
              <ActionIcon
                variant="subtle"
                color="gray"
                aria-label={`Download: ${label}`}
                title="Download"
                onClick={() => download(text, `${label}.txt`)}
              >
                <IconDownload size={16} aria-hidden />
              </ActionIcon>
            </>
          ) : null}
        </Stack>
      </div>
      {fromEnd ? null : more}
    </div>
  );
}

function download(text: string, name: string): void {
  const url = URL.createObjectURL(new Blob([text], { type: "text/plain;charset=utf-8" }));
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  URL.revokeObjectURL(url);
}
