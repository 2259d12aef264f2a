/** "Why is it not learning?": worst findings first, with evidence, the limits that it was compared with, and remedies. */
import type { DiagnosisRow } from '../../session/index.ts';
import { CHECK_STATES, countsText, isWrong, worstFirst } from '../page/signs.ts';
import { Sign } from './sign.tsx';
import { diagnosis, run } from './stream.ts';

/** Number of bad findings, for the view's tab; empty if there are none. */
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
  return (
    <section class="why">
      <h2>Why is it not learning?</h2>
      <p role="status">{countsText(rows)}</p>
      {run.value?.command === 'learn' ? (
        <p>A learner has its own figures alone. Rewards, demonstrations and actions are checked on its robot's page.</p>
      ) : null}
      <ul class="rows">
        {worstFirst(rows).map((row) => (
          <Row key={row.id} row={row} />
        ))}
      </ul>
    </section>
  );
}

function Row({ row }: { readonly row: DiagnosisRow }) {
  const { id, state, title, sentence, evidence, threshold, remedy } = row;
  const [kind, word] = CHECK_STATES[state];
  return (
    <li id={`why-${id}`} data-state={state}>
      <Sign kind={kind} word={word} />
      <details open={isWrong(row)}>
        <summary>
          <strong>{title}</strong> {sentence}
        </summary>
        {isWrong(row) ? <p class="remedy">{remedy}</p> : null}
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
