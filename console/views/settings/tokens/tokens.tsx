import { Button, Group, SegmentedControl, Stack, Text } from "@mantine/core";
import { IconPlus } from "@tabler/icons-react";
import { useState } from "react";
import { useLocation, useSearch } from "wouter";
import { useList } from "../../../api/queries.ts";
import { useCan } from "../../../app/session.tsx";
import { settings } from "../../../strings/en/settings.ts";
import { LoadMore } from "../../../ui/load-more.tsx";
import { EmptyState, ReadState } from "../../../ui/states.tsx";
import { CreateToken } from "./create-token.tsx";
import { TokenTable } from "./token-table.tsx";

const text = settings.tokens;

/** The user's API tokens; administrators can also see everyone's. */
export default function Tokens() {
  const [path, navigate] = useLocation();
  const isAdmin = useCan("admin");
  const search = useSearch();
  const owner = isAdmin && new URLSearchParams(search).get("owner") === "everyone" ? "everyone" : "me";
  const tokens = useList("/api/v1/auth/tokens", { query: { owner } });
  const [isCreating, setIsCreating] = useState(false);
  return (
    <Stack gap="md">
      <Group justify="space-between">
        <Text size="sm" maw={640}>
          {text.intro}
        </Text>
        <Button leftSection={<IconPlus size={18} aria-hidden />} onClick={() => setIsCreating(true)}>
          {text.create}
        </Button>
      </Group>
      {isAdmin ? (
        <SegmentedControl
          aria-label={text.whose}
          style={{ alignSelf: "flex-start" }}
          value={owner}
          onChange={(chosen) => navigate(chosen === "everyone" ? `${path}?owner=everyone` : path, { replace: true })}
          data={[
            { value: "me", label: text.mine },
            { value: "everyone", label: text.everyones },
          ]}
        />
      ) : null}
      <ReadState read={{ ...tokens, data: tokens.items }}>
        {(items) =>
          items.length === 0 ? (
            <EmptyState title={owner === "me" ? text.youHaveNone : text.nobodyHasOne}>{text.emptyHelp}</EmptyState>
          ) : (
            <>
              <TokenTable tokens={items} withOwners={owner === "everyone"} />
              <LoadMore list={tokens} />
            </>
          )
        }
      </ReadState>
      {isCreating ? <CreateToken close={() => setIsCreating(false)} /> : null}
    </Stack>
  );
}
