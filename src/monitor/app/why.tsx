/** "Why is it not learning?": what is wrong first, with the evidence, the limits that it was held against, and what to do. */
import type { DiagnosisRow } from '../../session/index.ts';
import { Sign, type SignKind } from './sign.tsx';
import { diagnosis, run } from './stream.ts';

const STATES: Readonly<Record<DiagnosisRow['state'], readonly [kind: SignKind, word: string]>> = {
  bad: ['bad', 'bad'],
  warn: ['warn', 'doubtful'],
  ok: ['good', 'ok'],
  unknown: ['unknown', 'not known yet'],
};
const ORDER = Object.keys(STATES);

/** How many are bad, for the view's tab; empty for none. */
export function wrongs(): string {
  const bad = diagnosis.value?.filter(({ state }) => state === 'bad').length ?? 0;
  return bad === 0 ? '' : ` (✗ ${bad})`;
}

export function Why() {
  const rows = diagnosis.value;
  if (rows === undefined) {
    return (
      <p class="empty">
        Nothing was looked at yet. Checks come every 5 s while {run.value?.task.name ?? 'the run'} has a learner;
        afterwards: rein why FOLDER.
      </p>
    );
  }
  const sorted = [...rows].sort((a, b) => ORDER.indexOf(a.state) - ORDER.indexOf(b.state));
  const count = (state: DiagnosisRow['state']): number => rows.filter((row) => row.state === state).length;
  return (
    <section class="why">
      <h2>Why is it not learning?</h2>
      <p role="status">
        {count('bad')} bad, {count('warn')} doubtful, {count('ok')} ok, {count('unknown')} not known yet.
      </p>
      <ul class="rows">
        {sorted.map((row) => (
          <Row key={row.id} row={row} />
        ))}
      </ul>
    </section>
  );
}

function Row({ row }: { readonly row: DiagnosisRow }) {
  const { id, state, title, sentence, evidence, threshold, remedy } = row;
  const isWrong = state === 'bad' || state === 'warn';
  return (
    <li id={`why-${id}`} data-state={state}>
      <Sign kind={STATES[state][0]} word={STATES[state][1]} />
      <details open={isWrong}>
        <summary>
          <strong>{title}</strong> {sentence}
        </summary>
        {isWrong ? <p class="remedy">{remedy}</p> : null}
        {evidence.length === 0 ? null : (
          <ul class="evidence">
            {evidence.map((line) => (
              <li key={line}>{line}</li>
            ))}
          </ul>
        )}
        {threshold === '' ? null : <p class="soft">Limits: {threshold}</p>}
      </details>
    </li>
  );
}
