/** The label for an actor's id in the API: a person's email address, or a token's name. */
export function actorLabel(actor: string): string {
  if (actor.startsWith("user:")) return actor.slice("user:".length);
  if (actor.startsWith("token:")) return `API token ${actor.slice("token:".length)}`;
  if (actor.startsWith("integration:")) return "an integration";
  return actor === "bootstrap" ? "the bootstrap token" : actor;
}
