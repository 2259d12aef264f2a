/** Relabelling of an episode: its effect is shown before it is submitted, and it can be undone. */
import { signal } from '@preact/signals';
import { useEffect, useState } from 'preact/hooks';
import type { RelabelListing } from '../web/relabels.ts';
import { ask, notices, readJson } from './stream.ts';

/** Effect of each label where the run is learned from again. */
const MEANINGS = {
  success: 'its last step ends it with reward 1.',
  failure: 'its last step ends it with reward 0.',
  drop: 'its steps count, and none of them is learned from.',
  recovery: 'what the person did in these steps brought the robot back to a known state.',
  correction: 'what the person did in these steps showed how the task is done.',
} as const;
type Word = keyof typeof MEANINGS;
const OUTCOMES: readonly Word[] = ['success', 'failure', 'drop'];
const PHASES: readonly Word[] = ['recovery', 'correction'];

/** Relabels of the run's episodes, oldest first. */
export const relabels = signal<readonly RelabelListing[]>([]);

export async function listRelabels(): Promise<void> {
  relabels.value = (await readJson<readonly RelabelListing[]>('/api/relabels')) ?? [];
}

/** Episode to relabel, which must be in the journal. */
export interface Relabelled {
  /** Number in the trace. */
  readonly episode: number;
  readonly interventionSteps: number;
}

export function Relabel({ episode, interventionSteps }: Relabelled) {
  const [word, setWord] = useState<Word | undefined>(undefined);
  const [steps, setSteps] = useState('');
  const answer = notices.value.findLast(({ isForYou }) => isForYou === true);
  useEffect(() => void listRelabels(), [answer]);
  const button = (each: Word) => (
    <button type="button" key={each} class="say" aria-pressed={word === each} onClick={() => setWord(each)}>
      {each}
    </button>
  );
  const isPhase = word !== undefined && PHASES.includes(word);
  return (
    <section class="relabel" aria-label="Relabel">
      <h2>Relabel episode {episode}</h2>
      <div class="buttons">
        {OUTCOMES.map(button)}
        {interventionSteps > 0 ? PHASES.map(button) : null}
      </div>
      {word === undefined ? null : (
        <>
          <p>
            <b>{word}</b>: {MEANINGS[word]} This holds wherever the run is learned from later, not for the learner that
            runs now. The journal stays as it is.
          </p>
          {isPhase ? (
            <label>
              Steps, from and to{' '}
              <input
                id="relabel-steps"
                placeholder="all of a person"
                value={steps}
                onInput={(event) => setSteps(event.currentTarget.value.trim())}
              />
            </label>
          ) : null}
          <div class="buttons">
            <button
              type="button"
              id="say-it"
              onClick={() => {
                ask({ kind: 'relabel', episode, as: word, ...(isPhase && steps !== '' ? { steps } : {}) });
                setWord(undefined);
              }}
            >
              Say so
            </button>
            <button type="button" onClick={() => setWord(undefined)}>
              Cancel
            </button>
          </div>
        </>
      )}
      {relabels.value.length === 0 ? null : <Said />}
    </section>
  );
}

function Said() {
  return (
    <ul class="said">
      {relabels.value.map(({ id, text }) => (
        <li key={id}>
          {text}{' '}
          <button type="button" onClick={() => ask({ kind: 'relabel', undo: id })}>
            Undo<span class="unseen"> number {id}</span>
          </button>
        </li>
      ))}
    </ul>
  );
}
