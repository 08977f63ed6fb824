/** The draft's value in a choice of versions. */
export const DRAFT = "draft";

/** The compared versions, each by its id or DRAFT. */
export interface Chosen {
  before: string;
  after: string;
}
