import { Anchor, List, Stack, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useEffect } from "react";
import { Link, useLocation } from "wouter";
import { help as text } from "../../strings/en/help.ts";
import { Page } from "../../ui/page.tsx";
import { NotHere, ReadState } from "../../ui/states.tsx";
import classes from "./help.module.css";

interface Head {
  slug: string;
  title: string;
}

/** By the file's path: the page's path and title, and the function that loads its HTML. vite.config.ts makes both. */
const HEADS = import.meta.glob<Head>("../../../docs/**/*.md", { query: "?head", import: "default", eager: true });
const HTML = import.meta.glob<string>("../../../docs/**/*.md", { import: "default" });

/** A page of docs/; without a path, the list of all pages. */
export default function Help({ params }: { params: Record<string, string | undefined> }) {
  const slug = params["*"] ?? "";
  const file = Object.keys(HEADS).find((path) => HEADS[path]?.slug === slug);
  const head = file === undefined ? undefined : HEADS[file];
  if (slug === "") return <Contents />;
  if (file === undefined || head === undefined) return <NotHere what={text.what(slug)} />;
  return (
    <Page title={head.title} above={[{ label: text.title, href: "/help" }]}>
      <Doc key={file} file={file} />
    </Page>
  );
}

function Doc({ file }: { file: string }) {
  const [, navigate] = useLocation();
  const read = useQuery({
    queryKey: ["docs", file],
    queryFn: async () => (await HTML[file]?.()) ?? "",
    staleTime: Number.POSITIVE_INFINITY,
  });
  const isRead = read.data !== undefined;
  useEffect(() => {
    if (isRead) goToHeading();
    addEventListener("hashchange", goToHeading);
    return () => removeEventListener("hashchange", goToHeading);
  }, [isRead]);
  useEffect(() => {
    const follow = (event: MouseEvent) => {
      const link = event.target instanceof Element ? event.target.closest<HTMLAnchorElement>("article a") : null;
      const isPlain = event.button === 0 && !event.ctrlKey && !event.metaKey && !event.shiftKey;
      if (link === null || !isPlain || link.origin !== location.origin || link.pathname === location.pathname) return;
      event.preventDefault();
      navigate(`${link.pathname}${link.hash}`);
    };
    addEventListener("click", follow);
    return () => removeEventListener("click", follow);
  }, [navigate]);
  return (
    <ReadState read={read}>
      {(html) => <article className={classes["doc"]} dangerouslySetInnerHTML={{ __html: html }} />}
    </ReadState>
  );
}

/** Shows the heading that the address names. */
function goToHeading(): void {
  // The address can hold anything, such as a % that encodes nothing.
  const headings = [...document.querySelectorAll("article [id]")];
  headings.find(({ id }) => [id, encodeURIComponent(id)].includes(location.hash.slice(1)))?.scrollIntoView();
}

const GROUPS = ["guides", "connections", "deploy", "design", "decisions"] as const;

function Contents() {
  const pages = Object.values(HEADS).toSorted((a, b) => a.slug.localeCompare(b.slug, "en"));
  return (
    <Page title={text.title}>
      {GROUPS.map((group) => (
        <Stack key={group} gap="xs" component="section">
          <Title order={2} size="h4">
            {text.groups[group]}
          </Title>
          <List spacing={4}>
            {pages
              .filter(({ slug }) => groupOf(slug) === group)
              .map(({ slug, title }) => (
                <List.Item key={slug}>
                  <Anchor component={Link} href={`/help/${slug}`}>
                    {title}
                  </Anchor>
                </List.Item>
              ))}
          </List>
        </Stack>
      ))}
    </Page>
  );
}

function groupOf(slug: string): (typeof GROUPS)[number] {
  return GROUPS.find((group) => slug === group || slug.startsWith(`${group}/`)) ?? "guides";
}
