/** "Why is it not learning?" as in the monitor. */
import { Diagnosis, type MetricRecord, quantityText, type Row } from '../../record/index.ts';
import { type Html, html, NOT_RECORDED, NOTHING, sign } from '../page/html.ts';
import { CHECK_STATES, countsText, isWrong, worstFirst } from '../page/signs.ts';

/** Findings, worst first; bad ones are open and show their remedy. */
export function whyRows(records: readonly MetricRecord[]): Html {
  if (!records.some(({ kind }) => kind === 'setup')) return NOT_RECORDED;
  const diagnosis = new Diagnosis();
  for (const record of records) diagnosis.add(record);
  const rows = diagnosis.rows();
  return html`<p>${countsText(rows)}</p><ul class="rows">${worstFirst(rows).map(rowOf)}</ul>`;
}

function rowOf(row: Row): Html {
  const { state, title, sentence, evidence, threshold, remedy } = row;
  const found = evidence.map(({ what, value, unit }) => html`<li>${what}: ${quantityText(value, unit)}</li>`);
  const more = [
    isWrong(row) ? html`<p class="remedy">${remedy}</p>` : NOTHING,
    found.length === 0 ? NOTHING : html`<ul class="evidence">${found}</ul>`,
    threshold === '' ? NOTHING : html`<p>Limits: ${threshold}</p>`,
  ];
  const [kind, word] = CHECK_STATES[state];
  const open = isWrong(row) ? html` open=""` : NOTHING;
  return html`<li>${sign(kind, word)}<details${open}><summary><strong>${title}</strong> ${sentence}</summary>${more}</details></li>`;
}
