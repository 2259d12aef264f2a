/** Returns a sentence for a page of figures; `of`: a commit, or a day as YYYY-MM-DD. `which`: all of the page, or its oldest part. */
export function ageSentence(of: string, which?: 'all' | 'oldestPart'): string;
/** Returns `text` with all counts set to 0. */
export function withoutAges(text: string): string;
/** Returns `text` with the counts of the repository at `root`. */
export function withAges(text: string, root: string): string;
/** Returns the README's `text` with each linked page of figures dated as that page itself is. `read` returns the text of a page. */
export function withLinkedAges(text: string, read: (path: string) => string): string;
