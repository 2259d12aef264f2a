/** Body of `rein why`. */
import { ReinError } from '../../model/index.ts';
import { Diagnosis, quantityText, type Row, type RowState } from '../../record/index.ts';
import type { WhyOptions } from '../why.ts';
import { pages } from './report.ts';

/** Resolves to the exit code. Rejects with `ReinError` if the folder holds no metrics. */
export async function whyBody({ run, format }: WhyOptions): Promise<number> {
  const { loadReportData } = await pages();
  const { records } = await loadReportData(run);
  if (records.length === 0) {
    throw new ReinError('storage', `${run} holds no metrics of a run.`, {
      remedy: 'Give the folder of a rein sim, run or learn, such as runs/a1.',
    });
  }
  const diagnosis = new Diagnosis();
  for (const record of records) diagnosis.add(record);
  const rows = diagnosis.rows();
  process.stdout.write(format === 'json' ? `${JSON.stringify(rows, undefined, 2)}\n` : whyText(rows));
  return rows.some(({ state }) => state === 'bad') ? 1 : 0;
}

const WORDS: Readonly<Record<RowState, string>> = { bad: 'bad', warn: 'doubtful', ok: 'ok', unknown: 'unknown' };
const INDENT = '          ';

/** Formats the rows as text: bad rows first and in full, rows without a problem in one line. */
export function whyText(rows: readonly Row[]): string {
  const of = (state: RowState): Row[] => rows.filter((row) => row.state === state);
  const counts = (['bad', 'warn', 'ok', 'unknown'] as const).map((state) => `${of(state).length} ${WORDS[state]}`);
  const whole = [...of('bad'), ...of('warn')].flatMap((row) => ['', ...lines(row)]);
  const fine = of('ok').map(({ title, sentence }) => `ok        ${title}? No: ${sentence}`);
  const open = of('unknown').map(({ title, sentence }) => `unknown   ${title}? ${sentence}`);
  return `${[`Why is it not learning? ${rows.length} checks: ${counts.join(', ')}.`, ...whole, '', ...fine, ...open].join('\n')}\n`;
}

function lines({ state, title, sentence, evidence, threshold, remedy }: Row): string[] {
  return [
    `${WORDS[state].padEnd(INDENT.length)}${title}`,
    `${INDENT}${sentence}`,
    ...evidence.map(({ what, value, unit }) => `${INDENT}  ${quantityText(value, unit)}: ${what}`),
    `${INDENT}Thresholds: ${threshold}.`,
    `${INDENT}→ ${remedy}`,
  ];
}
