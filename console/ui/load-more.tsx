import { Button, Center } from "@mantine/core";
import { common } from "../strings/en/common.ts";

interface Pages {
  hasNextPage: boolean;
  isFetchingNextPage: boolean;
  fetchNextPage: () => unknown;
}

/** A button that loads the next page of a list; nothing when all items are shown. */
export function LoadMore({ list }: { list: Pages }) {
  if (!list.hasNextPage) return null;
  return (
    <Center>
      <Button variant="default" loading={list.isFetchingNextPage} onClick={() => void list.fetchNextPage()}>
        {common.showMore}
      </Button>
    </Center>
  );
}
