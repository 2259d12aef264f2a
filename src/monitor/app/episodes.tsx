/** Episode list of the run, newest first and paged; one episode at a time can be inspected step by step. */
import { computed, signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { focusOn } from './focus.ts';
import { type EpisodeTrace, Player } from './player.tsx';
import { listRelabels, Relabel, relabels } from './relabel.tsx';
import { Scroll } from './scroll.tsx';
import { episodes, operators, purposeText, readJson } from './stream.ts';
import { timeOf } from './times.ts';

/** Outcome of an episode, from the trace. */
interface Listed {
  readonly episode: number;
  readonly purpose: string;
  readonly success: boolean;
  readonly endedBy: string;
  readonly steps: number;
  /** Number of steps that can be played back. */
  readonly traced?: number;
  readonly returnSum: number;
  readonly interventions: number;
  readonly interventionSteps: number;
  readonly atMs: number;
  /** Location in the journal. */
  readonly recordedAs?: { readonly epoch: number; readonly episode: number };
}

/** Ends decided by a task or an operator, or by the time limit; all others are cuts. */
const DECIDED: readonly string[] = ['success', 'failure', 'time limit'];
const FILTERS = {
  all: () => true,
  failures: ({ success }) => !success,
  'with help': ({ interventionSteps }) => interventionSteps > 0,
  cut: ({ endedBy }) => !DECIDED.includes(endedBy),
  relabelled: (episode) => saidOf(episode) !== undefined,
} as const satisfies Readonly<Record<string, (episode: Listed) => boolean>>;
type Filter = keyof typeof FILTERS;

/** Episodes in the run's trace; empty if the run keeps none. */
const traced = signal<readonly Listed[]>([]);
const looked = signal<EpisodeTrace | undefined>(undefined);
const relabelled = signal<Listed | undefined>(undefined);
const problem = signal('');
const filter = signal<Filter>('all');
/** Page index, from 0; newest episodes first. */
const page = signal(0);
const ROWS = 100;
const LIST_MS = 3000;

/** Episodes that pass the filter, newest first. */
const found = computed(() => {
  const all: readonly Listed[] = traced.value.length > 0 ? traced.value : episodes.value;
  return all.filter(FILTERS[filter.value]).reverse();
});

/** Latest relabel of an episode, if any. */
function saidOf({ recordedAs }: Listed): string | undefined {
  if (recordedAs === undefined) return undefined;
  const { epoch, episode } = recordedAs;
  return relabels.value.findLast(({ of }) => of?.epoch === epoch && of.episode === episode)?.text;
}

/** Fetches new episodes. */
async function list(): Promise<void> {
  const known = traced.peek();
  const from = (known.at(-1)?.episode ?? -1) + 1;
  const all = (await readJson<readonly Listed[]>(`/api/episodes?from=${from}`)) ?? [];
  const added = all.filter(({ episode }) => episode >= from);
  if (added.length > 0) traced.value = [...known.filter(({ episode }) => episode < from), ...added];
}

async function look(episode: number): Promise<void> {
  const trace = await readJson<EpisodeTrace>(`/api/episodes/${episode}`);
  problem.value = trace === undefined ? `Episode ${episode} is not in the trace any more.` : '';
  looked.value = trace;
  focusOn('.player');
}

function relabel(episode: Listed): void {
  relabelled.value = episode;
  focusOn('.relabel');
}

export function Episodes() {
  useEffect(() => {
    void list();
    void listRelabels();
    const timer = setInterval(() => void list(), LIST_MS);
    return () => clearInterval(timer);
  }, []);
  const isTraced = traced.value.length > 0;
  const maySay = isTraced && operators.value?.right === 'operate';
  if (!isTraced && episodes.value.length === 0) return <p class="empty">No episode has ended yet.</p>;
  const shown = found.value.slice(page.value * ROWS, (page.value + 1) * ROWS);
  return (
    <>
      {looked.value === undefined ? null : <Player key={looked.value.episode} trace={looked.value} />}
      {relabelled.value === undefined || !maySay ? null : (
        <Relabel key={relabelled.value.episode} {...relabelled.value} />
      )}
      {problem.value === '' ? null : (
        <p class="empty" role="alert">
          {problem.value}
        </p>
      )}
      <section>
        <h2>Episodes</h2>
        {isTraced ? null : (
          <p>Those that ended while this page was open. Their steps are not kept, so there is nothing to play back.</p>
        )}
        <Pages />
        <Scroll label="List of episodes">
          <table class="as-cards">
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
              {shown.map((episode) => (
                <Line
                  key={`${episode.episode} ${episode.atMs}`}
                  episode={episode}
                  isTraced={isTraced}
                  maySay={maySay}
                />
              ))}
            </tbody>
          </table>
        </Scroll>
        {shown.length === 0 ? <p class="empty">None of them is one of these.</p> : null}
      </section>
    </>
  );
}

/** Filter of the list and its pages. */
function Pages() {
  const all = traced.value.length > 0 ? traced.value.length : episodes.value.length;
  const { length } = found.value;
  const last = Math.max(0, Math.ceil(length / ROWS) - 1);
  const first = page.value * ROWS;
  const turn = (to: number, word: string, isOff: boolean) => (
    <button type="button" disabled={isOff} onClick={() => turnTo(to)}>
      {word}
    </button>
  );
  return (
    <div class="choices">
      <label>
        Show{' '}
        <select
          id="filter"
          value={filter.value}
          onChange={(event) => {
            filter.value = event.currentTarget.value as Filter;
            page.value = 0;
          }}
        >
          {Object.keys(FILTERS).map((name) => (
            <option key={name} value={name}>
              {name}
            </option>
          ))}
        </select>
      </label>
      {turn(page.value - 1, 'Newer', page.value === 0)}
      {turn(page.value + 1, 'Older', page.value >= last)}
      {turn(last, 'Oldest', page.value >= last)}
      <span class="soft" id="listed">
        {length === 0 ? 'none' : `${first + 1} to ${Math.min(length, first + ROWS)}`} of {length}
        {length === all ? '' : `, of all ${all}`}
      </span>
    </div>
  );
}

function turnTo(to: number): void {
  page.value = to;
}

interface LineProps {
  readonly episode: Listed;
  readonly isTraced: boolean;
  /** This page's operator may relabel. */
  readonly maySay: boolean;
}

function Line({ episode, isTraced, maySay }: LineProps) {
  const { episode: number, purpose, success, endedBy, steps, traced = 0, returnSum } = episode;
  const { interventions, interventionSteps, atMs } = episode;
  const isLooked = looked.value?.episode === number;
  const said = saidOf(episode);
  return (
    <tr aria-current={isLooked ? 'true' : undefined} class={said === undefined ? undefined : 'relabelled'}>
      <td data-head="episode">{number}</td>
      <td data-head="purpose">{purposeText(purpose)}</td>
      <td data-head="ended by">
        {success ? '✓ ' : ''}
        {endedBy}
        {said === undefined ? null : <span class="said-of">✎ {said}</span>}
      </td>
      <td data-head="steps">{steps}</td>
      <td data-head="return">{returnSum.toFixed(2)}</td>
      <td data-head="interventions">
        {interventions} ({interventionSteps} steps)
      </td>
      <td data-head="at">{timeOf(atMs)}</td>
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
            <button type="button" class="relabel-it" onClick={() => relabel(episode)}>
              Relabel<span class="unseen"> episode {number}</span>
            </button>
          )}
        </td>
      ) : null}
    </tr>
  );
}
