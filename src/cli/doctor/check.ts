/** Checks of the machine, and the printing of their results. */
import { ReinError } from '../../model/index.ts';

export type CheckStatus = 'ok' | 'warn' | 'fail';

/** Result of one check. */
export interface Finding {
  readonly status: CheckStatus;
  /** State or problem in one line. */
  readonly detail: string;
  /** Remedy for the problem. */
  readonly remedy?: string | undefined;
}

/** One check. */
export interface DoctorCheck {
  readonly name: string;
  /** Status when the check itself throws. */
  readonly whenBroken: 'warn' | 'fail';
  run(): Promise<Finding>;
}

export interface NamedFinding extends Finding {
  readonly name: string;
}

/** Runs all checks concurrently, results in the order of `checks`. Never rejects. */
export async function runChecks(checks: readonly DoctorCheck[]): Promise<readonly NamedFinding[]> {
  return Promise.all(
    checks.map(async (check) => {
      try {
        return { name: check.name, ...(await check.run()) };
      } catch (error) {
        const detail = error instanceof Error ? (error.message.split('\n')[0] ?? '') : String(error);
        const remedy = error instanceof ReinError ? error.remedy : undefined;
        return { name: check.name, status: check.whenBroken, detail, remedy };
      }
    }),
  );
}

/** 1 if something essential failed, else 0. */
export function exitCodeOf(findings: readonly NamedFinding[]): number {
  return findings.some((finding) => finding.status === 'fail') ? 1 : 0;
}

/** Formats the findings as a table with remedies, and a last line that sums up for `whom`. */
export function tableOf(findings: readonly NamedFinding[], whom = 'Rein'): string {
  const width = Math.max(...findings.map((finding) => finding.name.length));
  const lines = findings.flatMap(({ name, status, detail, remedy }) => {
    const line = `${status.padEnd(4)}  ${name.padEnd(width)}  ${detail}`;
    return remedy === undefined ? [line] : [line, `${' '.repeat(width + 8)}→ ${remedy}`];
  });
  const count = (status: CheckStatus): number => findings.filter((finding) => finding.status === status).length;
  const [failed, warned] = [count('fail'), count('warn')];
  const last =
    failed > 0
      ? `${failed} failed: ${whom} will not run here.`
      : warned > 0
        ? `Ready, with ${warned} ${warned === 1 ? 'warning' : 'warnings'}.`
        : 'Ready.';
  return `${lines.join('\n')}\n\n${last}\n`;
}

/** Formats the findings as JSON. `next`: the next step, if known. */
export function jsonOf(findings: readonly NamedFinding[], next?: string): string {
  const checks = findings.map(({ name, status, detail, remedy }) => ({ name, status, detail, remedy: remedy ?? null }));
  const rest = next === undefined ? {} : { next };
  return `${JSON.stringify({ ok: exitCodeOf(findings) === 0, checks, ...rest }, null, 2)}\n`;
}
