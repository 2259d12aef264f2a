/** `docs/safety-check.md` as it is, and `docs/evidence.json`: the page with what the figures give below its mark. */
export function withEvidence(page: string, evidence: unknown): string;
