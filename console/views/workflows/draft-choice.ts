/** Stands for the draft where a version may be chosen. */
export const DRAFT = "draft";

/** What is compared: ids of versions, or DRAFT. */
export interface Chosen {
  before: string;
  after: string;
}
