/** Returns the text of `docs/results.md`, and the plots on it by their absolute paths. */
export function resultsPage(): { readonly text: string; readonly plots: ReadonlyMap<string, string> };
