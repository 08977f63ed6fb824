import { Button, Group, Text } from "@mantine/core";
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

/** A text, wrapped. A long text is cut, with a button to show more. The copy button copies the whole text. */
export function LongText({ label, text, fromEnd = false }: LongTextProps) {
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
        <pre ref={box} tabIndex={0} role="region" aria-label={label}>
          {readable(shown)}
        </pre>
        <Copy value={text} label={`Copy: ${label}`} />
      </div>
      {fromEnd ? null : more}
    </div>
  );
}
