/** "Why is it not learning?" as a table. */
import { Diagnosis, type MetricRecord, quantityText, type Row, type RowState } from '../../record/index.ts';
import { badge, type Html, html, type Mood, NOT_RECORDED, table, words } from '../page/html.ts';

const BADGES: Readonly<Record<RowState, readonly [text: string, mood: Mood]>> = {
  bad: ['bad', 'bad'],
  warn: ['doubtful', 'plain'],
  ok: ['ok', 'good'],
  unknown: ['unknown', 'plain'],
};
const ORDER: readonly RowState[] = ['bad', 'warn', 'ok', 'unknown'];

/** What is bad comes first, with its remedy. */
export function whyTable(records: readonly MetricRecord[]): Html {
  if (!records.some(({ kind }) => kind === 'setup')) return NOT_RECORDED;
  const diagnosis = new Diagnosis();
  for (const record of records) diagnosis.add(record);
  const rows = diagnosis.rows().sort((a, b) => ORDER.indexOf(a.state) - ORDER.indexOf(b.state));
  return table(['', words('Check'), words('Found'), words('Thresholds'), words('What to do')], rows.map(cells));
}

function cells({ state, title, sentence, evidence, threshold, remedy }: Row): Html[] {
  const numbers = evidence.map(({ what, value, unit }) => `${quantityText(value, unit)}: ${what}`).join('; ');
  const isWrong = state === 'bad' || state === 'warn';
  return [
    badge(...BADGES[state]),
    html`${title}`,
    html`${sentence}${isWrong && numbers !== '' ? html` <small>${numbers}</small>` : ''}`,
    html`${state === 'unknown' ? '' : threshold}`,
    html`${isWrong ? remedy : ''}`,
  ];
}
