/** `docs/results.md` as text, and the plots on it by their absolute paths. */
export function resultsPage(): { readonly text: string; readonly plots: ReadonlyMap<string, string> };
