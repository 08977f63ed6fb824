/** The pages of the documentation, and the links to them. */
export const help = {
  link: "Help",
  title: "Documentation",
  what: (slug: string) => `page “${slug}” of the documentation`,
  groups: {
    guides: "Guides",
    connections: "Connections",
    deploy: "Deployment",
    design: "How it works",
    decisions: "Decisions",
  },
};
