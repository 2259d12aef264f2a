/** Line of docs/results/runs.jsonl. */
export type ResultsRun = Readonly<Record<string, unknown>>;
export function page(runs: readonly ResultsRun[]): string;
