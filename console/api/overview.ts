/** The path of the overview: the pages that show it and the changes after which it is read again name it. */
export const OVERVIEW = "/api/v1/automation/overview";
