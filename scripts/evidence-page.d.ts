/** Returns `page`, i.e. docs/safety-check.md, with the figures of `evidence`, i.e. docs/evidence.json, below its mark. */
export function withEvidence(page: string, evidence: unknown): string;
