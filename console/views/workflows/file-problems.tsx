import { Alert, Anchor, Code, List, Text } from "@mantine/core";
import type { FieldError } from "../../../schema/contract/problem.ts";
import { workflows } from "../../strings/en/workflows.ts";

const text = workflows.import;

/** The problems of a file with their line numbers. A click on a number selects the line. */
export function FileProblems({
  problems,
  text: file,
  area,
}: {
  problems: readonly FieldError[];
  text: string;
  area: HTMLTextAreaElement | null;
}) {
  const lines = file.split("\n");
  return (
    <Alert color="red" role="alert" title={text.problems(problems.length)}>
      <List size="sm" spacing={6} listStyleType="none">
        {problems.map(({ path, message, line }) => (
          <List.Item key={`${line ?? ""} ${path} ${message}`}>
            {line === undefined ? null : (
              <>
                <Anchor
                  component="button"
                  type="button"
                  size="sm"
                  underline="always"
                  c="inherit"
                  onClick={() => goTo(area, lines, line)}
                >
                  {text.line(line)}
                </Anchor>
                {": "}
              </>
            )}
            {path === "" ? null : <Code>{path}</Code>} {message}
            {line === undefined ? null : (
              <Text size="xs" ff="monospace" lineClamp={1}>
                {lines[line - 1]?.trim()}
              </Text>
            )}
          </List.Item>
        ))}
      </List>
    </Alert>
  );
}

/** Selects a line and scrolls to it. A text area scrolls to the caret only when it gets the focus. */
function goTo(area: HTMLTextAreaElement | null, lines: readonly string[], line: number): void {
  if (area === null) return;
  const start = lines.slice(0, line - 1).reduce((sum, text) => sum + text.length + 1, 0);
  area.focus();
  area.setSelectionRange(start, start + (lines[line - 1]?.length ?? 0));
  const lineHeight = area.scrollHeight / Math.max(1, lines.length);
  area.scrollTop = Math.max(0, (line - 4) * lineHeight);
}
