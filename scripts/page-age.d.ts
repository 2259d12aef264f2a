/** A sentence for a page of figures; `of`: a commit, or a day as YYYY-MM-DD. `which`: all of the page, or the oldest part of several. */
export function ageSentence(of: string, which?: 'all' | 'oldestPart'): string;
/** `text` without the counts in it. */
export function withoutAges(text: string): string;
/** `text` with the counts of the repository at `root`. */
export function withAges(text: string, root: string): string;
/** `text` of the README, in which each page of figures that it links is of what that page says it is of. `read` gives the text of a page. */
export function withLinkedAges(text: string, read: (path: string) => string): string;
