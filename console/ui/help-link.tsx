import { Anchor } from "@mantine/core";
import { IconHelp } from "@tabler/icons-react";
import { createContext, useContext } from "react";
import { help as text } from "../strings/en/help.ts";

/** The help of the page that is shown: a page of docs/ and its heading, "workflows#triggers". */
export const HelpOfThePage = createContext<string | null>(null);

/** A link to the documentation, in another tab: the page may have a form with typed text. `to` replaces the page's help. */
export function HelpLink({ to }: { to?: string | undefined }) {
  const ofThePage = useContext(HelpOfThePage);
  const target = to ?? ofThePage;
  if (target === null) return null;
  return (
    <Anchor href={`/help/${target}`} target="_blank" size="sm" inline display="inline-flex" style={{ gap: 4 }}>
      <IconHelp size={16} aria-hidden />
      {text.link}
    </Anchor>
  );
}
