/** Panel of `rein record`: the recording's contents, and the operator's buttons. */
import { Figure } from './figures.tsx';
import { MoveButton } from './move-button.tsx';
import { isSeated } from './operate.ts';
import { ask, status } from './stream.ts';

export function Recording() {
  const told = status.value?.recording;
  if (told === undefined) return null;
  const { state, kept, wanted, failed, redone, deleted, steps, stepsPerS, meanSteps, journalBytes, freeBytes } = told;
  const isShown = state !== 'waiting';
  const button = (
    id: string,
    label: string,
    kind: 'recordStart' | 'recordStop' | 'redo' | 'delete',
    isOff: boolean,
  ) => (
    <MoveButton id={id} isOff={!isSeated.value || isOff} press={() => ask({ kind })}>
      {label}
    </MoveButton>
  );
  return (
    <section class="recording" aria-label="Recording" data-state={state}>
      <h2>{state === 'recording' ? '● Recording' : state === 'judging' ? 'Was it a success?' : 'Demonstrations'}</h2>
      <div class="buttons">
        {button('record-start', 'Record', 'recordStart', isShown)}
        {button('record-stop', 'Stop recording', 'recordStop', state !== 'recording')}
        {button('redo', 'Redo', 'redo', !isShown)}
        {button('delete', 'Delete the last', 'delete', isShown || kept === 0)}
      </div>
      <ul class="cards">
        <Figure label="kept" value={String(kept)} note={wanted === null ? '' : `of ${wanted}`} />
        <Figure
          label="success"
          value={kept + failed === 0 ? '–' : `${Math.round((100 * kept) / (kept + failed))} %`}
          note={`${failed} failed, ${redone} redone, ${deleted} deleted`}
        />
        <Figure label="length" value={`${Math.round(meanSteps)} steps`} note={`now ${steps}`} />
        <Figure label="rate" value={`${stepsPerS.toFixed(1)} /s`} note="steps" />
        <Figure
          label="disk"
          value={`${(journalBytes / 1e6).toFixed(1)} MB`}
          note={`${Math.round(freeBytes / 1e9)} GB free`}
        />
      </ul>
    </section>
  );
}
