/** The episodes of the run, the newest first; one of them at a time is looked at step by step. */
import { signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { type EpisodeTrace, Player } from './player.tsx';
import { Relabel } from './relabel.tsx';
import { episodes, operators, readJson } from './stream.ts';

/** How an episode ended, as a trace tells it. */
interface Listed {
  readonly episode: number;
  readonly purpose: string;
  readonly success: boolean;
  readonly endedBy: string;
  readonly steps: number;
  /** Steps that can be played back. */
  readonly traced?: number;
  readonly returnSum: number;
  readonly interventions: number;
  readonly interventionSteps: number;
  readonly atMs: number;
  /** Where the journal has it. */
  readonly recordedAs?: object;
}

/** Of the run's trace; empty where it keeps none. */
const traced = signal<readonly Listed[]>([]);
const looked = signal<EpisodeTrace | undefined>(undefined);
const relabelled = signal<Listed | undefined>(undefined);
const problem = signal('');
const MOST_SHOWN = 200;
const LIST_MS = 3000;

async function list(): Promise<void> {
  traced.value = (await readJson<readonly Listed[]>('/api/episodes')) ?? [];
}

async function look(episode: number): Promise<void> {
  const trace = await readJson<EpisodeTrace>(`/api/episodes/${episode}`);
  problem.value = trace === undefined ? `Episode ${episode} is not in the trace any more.` : '';
  looked.value = trace;
}

export function Episodes() {
  useEffect(() => {
    void list();
    const timer = setInterval(() => void list(), LIST_MS);
    return () => clearInterval(timer);
  }, []);
  const isTraced = traced.value.length > 0;
  const shown: readonly Listed[] = isTraced ? traced.value : episodes.value;
  const maySay = isTraced && operators.value?.right === 'operate';
  if (shown.length === 0) return <p class="empty">No episode has ended yet.</p>;
  return (
    <>
      {looked.value === undefined ? null : <Player key={looked.value.episode} trace={looked.value} />}
      {relabelled.value === undefined || !maySay ? null : (
        <Relabel key={relabelled.value.episode} {...relabelled.value} />
      )}
      {problem.value === '' ? null : <p class="empty">{problem.value}</p>}
      <section>
        <h2>Episodes</h2>
        {isTraced ? null : (
          <p>Those that this page has heard of. Their steps are not kept, so there is nothing to play back.</p>
        )}
        <div class="scroll">
          <table>
            <thead>
              <tr>
                <th>episode</th>
                <th>purpose</th>
                <th>ended by</th>
                <th>steps</th>
                <th>return</th>
                <th>interventions</th>
                <th>at</th>
                {isTraced ? <th>steps, one by one</th> : null}
                {maySay ? <th>what is learned</th> : null}
              </tr>
            </thead>
            <tbody>
              {[...shown]
                .reverse()
                .slice(0, MOST_SHOWN)
                .map((episode) => (
                  <Line
                    key={`${episode.episode} ${episode.atMs}`}
                    episode={episode}
                    isTraced={isTraced}
                    maySay={maySay}
                  />
                ))}
            </tbody>
          </table>
        </div>
      </section>
    </>
  );
}

interface LineProps {
  readonly episode: Listed;
  readonly isTraced: boolean;
  /** This page's person may relabel. */
  readonly maySay: boolean;
}

function Line({ episode, isTraced, maySay }: LineProps) {
  const {
    episode: number,
    purpose,
    success,
    endedBy,
    steps,
    traced = 0,
    returnSum,
    interventions,
    interventionSteps,
    atMs,
  } = episode;
  const isLooked = looked.value?.episode === number;
  return (
    <tr aria-current={isLooked ? 'true' : undefined}>
      <td>{number}</td>
      <td>{purpose}</td>
      <td>
        {success ? '✓ ' : ''}
        {endedBy}
      </td>
      <td>{steps}</td>
      <td>{returnSum.toFixed(2)}</td>
      <td>
        {interventions} ({interventionSteps} steps)
      </td>
      <td>{new Date(atMs).toLocaleTimeString()}</td>
      {isTraced ? (
        <td>
          {traced === 0 ? (
            <span title="Of a run that is faster than real time the trace keeps some episodes.">not kept</span>
          ) : (
            <button type="button" class="look" disabled={isLooked} onClick={() => void look(number)}>
              Play back<span class="unseen"> episode {number}</span>
            </button>
          )}
        </td>
      ) : null}
      {maySay ? (
        <td>
          {episode.recordedAs === undefined ? null : (
            <button
              type="button"
              class="relabel-it"
              onClick={() => {
                relabelled.value = episode;
              }}
            >
              Relabel<span class="unseen"> episode {number}</span>
            </button>
          )}
        </td>
      ) : null}
    </tr>
  );
}
