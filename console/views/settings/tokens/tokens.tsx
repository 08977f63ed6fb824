import { Button, Group, SegmentedControl, Stack, Text } from "@mantine/core";
import { IconPlus } from "@tabler/icons-react";
import { useState } from "react";
import { useLocation, useSearch } from "wouter";
import { useList } from "../../../api/queries.ts";
import { useCan } from "../../../app/session.tsx";
import { LoadMore } from "../../../ui/load-more.tsx";
import { EmptyState, ReadState } from "../../../ui/states.tsx";
import { CreateToken } from "./create-token.tsx";
import { TokenTable } from "./token-table.tsx";

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
          Scripts and other services call the API with a token. It never reaches further than its owner's role. It ends
          when its owner is deleted, and unless tokens are kept, when its owner is disabled or the password changes.
        </Text>
        <Button leftSection={<IconPlus size={18} aria-hidden />} onClick={() => setIsCreating(true)}>
          New token
        </Button>
      </Group>
      {isAdmin ? (
        <SegmentedControl
          aria-label="Whose tokens"
          style={{ alignSelf: "flex-start" }}
          value={owner}
          onChange={(chosen) => navigate(chosen === "everyone" ? `${path}?owner=everyone` : path, { replace: true })}
          data={[
            { value: "me", label: "Mine" },
            { value: "everyone", label: "Everyone's" },
          ]}
        />
      ) : null}
      <ReadState read={{ ...tokens, data: tokens.items }}>
        {(items) =>
          items.length === 0 ? (
            <EmptyState title={owner === "me" ? "You have no API tokens" : "Nobody has an API token"}>
              Make one with "New token" for each script or service, so that each can be taken away by itself.
            </EmptyState>
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
