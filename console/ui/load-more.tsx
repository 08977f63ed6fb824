import { Button, Center } from "@mantine/core";

interface Pages {
  hasNextPage: boolean;
  isFetchingNextPage: boolean;
  fetchNextPage: () => unknown;
}

/** The way to what a list has beyond what it shows; nothing when it shows all. */
export function LoadMore({ list }: { list: Pages }) {
  if (!list.hasNextPage) return null;
  return (
    <Center>
      <Button variant="default" loading={list.isFetchingNextPage} onClick={() => void list.fetchNextPage()}>
        Show more
      </Button>
    </Center>
  );
}
