import { ActionIcon, Button, Group, Modal, Stack, Text, useComputedColorScheme } from "@mantine/core";
import { IconArrowsMaximize, IconDownload, IconTextWrap } from "@tabler/icons-react";
import { Suspense, lazy, useLayoutEffect, useMemo, useRef, useState } from "react";
import { executionOutput as texts } from "../../strings/en/execution-output.ts";
import { Copy } from "../../ui/copy.tsx";
import { LoadingState } from "../../ui/states.tsx";
import { download } from "./output/download.ts";
import { cssOf } from "./output/styles.ts";
import { styledPieces, terminalText } from "./output/terminal-text.ts";
import { useViewerState } from "./output/use-place.ts";
import type { OutputPlace } from "./output/use-place.ts";
import { excerptOf, sizeLabel } from "./output-parts.ts";
import classes from "./executions.module.css";

const Viewer = lazy(() => import("./output/viewer.tsx"));

interface LongTextProps {
  /** The text's name for screen readers. */
  label: string;
  text: string;
  /** Show the end of a long text first. */
  fromEnd?: boolean;
  isJson?: boolean;
  /** Says that the text is not complete. */
  note?: string | null;
  /** Lines of a text with a place have links. */
  place?: OutputPlace | null;
}

/** A text. A long one is cut; the viewer, and copy and download, have all of it. */
export function LongText({ label, text, fromEnd = false, isJson = false, note = null, place = null }: LongTextProps) {
  const [wraps, setWraps] = useState(true);
  const dark = useComputedColorScheme("light", { getInitialValueInEffect: false }) === "dark";
  const viewer = useViewerState(place);
  const pieces = useMemo(() => {
    const shown = terminalText(text);
    const { from, to } = excerptOf(shown.text, fromEnd);
    return { left: shown.text.length - (to - from), styled: styledPieces(shown, from, to) };
  }, [text, fromEnd]);
  const box = useRef<HTMLPreElement>(null);
  useLayoutEffect(() => {
    // The end of the output matters most, so the box starts scrolled down.
    if (fromEnd && box.current !== null) box.current.scrollTop = box.current.scrollHeight;
  }, [fromEnd, text]);
  const more =
    pieces.left === 0 ? null : (
      <Group gap="xs" my={4}>
        <Text size="xs" c="dimmed">
          {fromEnd ? texts.earlier(pieces.left) : texts.further(pieces.left)}
        </Text>
        <Button size="compact-xs" variant="default" onClick={viewer.open}>
          {texts.viewAll}
        </Button>
      </Group>
    );
  return (
    <div>
      {fromEnd ? more : null}
      <div className={classes["text"]}>
        <pre ref={box} tabIndex={0} role="region" aria-label={label} data-whole-lines={!wraps || undefined}>
          {pieces.styled.map((piece, index) => {
            const style = cssOf(piece.style, dark);
            return style === undefined ? (
              piece.text
            ) : (
              // oxlint-disable-next-line react/no-array-index-key -- the pieces are only shown
              <span key={index} style={style}>
                {piece.text}
              </span>
            );
          })}
        </pre>
        <Stack gap={2}>
          <Copy value={text} label={texts.actions.copy(label)} />
          {text.trimEnd().includes("\n") ? (
            <>
              <ActionIcon
                variant="subtle"
                color="gray"
                aria-label={texts.actions.open(label)}
                title={texts.hints.open}
                onClick={viewer.open}
              >
                <IconArrowsMaximize size={16} aria-hidden />
              </ActionIcon>
              <ActionIcon
                variant="subtle"
                color="gray"
                aria-label={texts.actions.wrap(label)}
                title={texts.hints.wrap}
                aria-pressed={wraps}
                onClick={() => setWraps(!wraps)}
              >
                <IconTextWrap size={16} aria-hidden />
              </ActionIcon>
              <ActionIcon
                variant="subtle"
                color="gray"
                aria-label={texts.actions.download(label)}
                title={texts.hints.download}
                onClick={() => download(text, isJson, label)}
              >
                <IconDownload size={16} aria-hidden />
              </ActionIcon>
            </>
          ) : null}
        </Stack>
      </div>
      {fromEnd ? null : more}
      <Modal
        fullScreen
        opened={viewer.isOpen}
        onClose={viewer.close}
        title={`${label} (${sizeLabel(text)})`}
        classNames={{ content: classes["viewer"] ?? "", body: classes["viewer-body"] ?? "" }}
      >
        <Suspense fallback={<LoadingState />}>
          <Viewer
            label={label}
            text={text}
            isJson={isJson}
            fromEnd={fromEnd}
            note={note}
            hasLinks={place !== null}
            state={viewer}
          />
        </Suspense>
      </Modal>
    </div>
  );
}
