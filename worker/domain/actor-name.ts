/** An actor in a sentence: a person's email address, or which token. */
export function actorName(actor: string): string {
  if (actor === "bootstrap") return "the bootstrap token";
  return actor.replace(/^user:/u, "").replace(/^token:/u, "the API token ");
}
