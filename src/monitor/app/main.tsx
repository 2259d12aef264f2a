/** Monitor page: description of a run, its activity, and the operator's buttons. */
import './main.css';
import { computed, signal } from '@preact/signals';
import { Component, type ComponentChildren, render } from 'preact';
import { useEffect } from 'preact/hooks';
import { type Badge, badgeOf } from '../page/shown-state.ts';
import { HelpBanner, helpWanted, SoundSwitch } from './alarm.tsx';
import { Episodes } from './episodes.tsx';
import { Health } from './health.tsx';
import { KeysChip } from './keys-chip.tsx';
import { Live } from './live.tsx';
import { isSeated, operate } from './operate.ts';
import { hearStopKeys } from './page-keys.ts';
import {
  ask,
  connect,
  connection,
  freshNotices,
  isDriver,
  operators,
  quietS,
  run,
  state,
  status,
  stop,
} from './stream.ts';
import { timeOf } from './times.ts';
import { Training } from './training.tsx';
import { Why, wrongs } from './why.tsx';

const VIEWS = [
  { name: 'live', title: 'Live', short: 'Live', View: Live },
  { name: 'training', title: 'Training', short: 'Training', View: Training },
  { name: 'why', title: 'Why is it not learning?', short: 'Why?', View: Why },
  { name: 'episodes', title: 'Episodes', short: 'Episodes', View: Episodes },
  { name: 'health', title: 'Health', short: 'Health', View: Health },
] as const;

const viewOfAddress = (): string => new URLSearchParams(location.search).get('view') ?? 'live';
const view = signal<string>(viewOfAddress());

/** The browser's Back returns to the previous view. */
function show(name: string): void {
  if (name !== view.value) history.pushState(null, '', `?view=${name}${location.hash}`);
  view.value = name;
}
addEventListener('popstate', () => {
  view.value = viewOfAddress();
});

/** Views of a learner, which has no robot to show or stop. */
const OF_A_LEARNER: readonly string[] = ['training', 'why', 'health'];
const hasNoRobot = computed(() => run.value?.command === 'learn');

function App() {
  useEffect(operate, []);
  useEffect(() => (hasNoRobot.value ? undefined : hearStopKeys()), [hasNoRobot.value]);
  const shown = VIEWS.filter(({ name }) => !hasNoRobot.value || OF_A_LEARNER.includes(name));
  const { View, name: current } = shown.find(({ name }) => name === view.value) ?? shown[0]!;
  return (
    <>
      <button type="button" class="skip" onClick={skip}>
        Skip to the view
      </button>
      <div class="top">
        <Head />
        <StopNotice />
      </div>
      <nav aria-label="Views">
        {shown.map(({ name, title, short }) => (
          <button
            type="button"
            key={name}
            class="tab"
            aria-current={current === name ? 'page' : undefined}
            onClick={() => show(name)}
          >
            <span class="wide">{title}</span>
            <span class="narrow">{short}</span>
            {name === 'why' ? wrongs() : ''}
          </button>
        ))}
      </nav>
      <HelpBanner />
      <Messages />
      <main id={`view-${current}`} tabIndex={-1}>
        <Caught key={current}>{run.value === undefined ? <Waiting /> : <View />}</Caught>
      </main>
    </>
  );
}

/** Error boundary: a view that fails takes down nothing else, least of all Stop. */
class Caught extends Component<{ readonly children: ComponentChildren }, { readonly problem?: string }> {
  override state: { readonly problem?: string } = {};

  static override getDerivedStateFromError(error: unknown): { readonly problem: string } {
    return { problem: error instanceof Error ? error.message : String(error) };
  }

  override render(): ComponentChildren {
    const { problem } = this.state;
    if (problem === undefined) return this.props.children;
    return <p class="empty">This view could not be drawn: {problem}. The other views and Stop work.</p>;
  }
}

function skip(): void {
  document.querySelector('main')?.focus();
}

function Head() {
  const phase = status.value?.phase ?? '';
  return (
    <header>
      {/* First in keyboard focus order, and last in visual order. */}
      {hasNoRobot.value ? null : (
        <button type="button" class="stop" id="stop" onClick={() => ask({ kind: 'stop' })}>
          Stop
        </button>
      )}
      <div class="what">
        <h1>{run.value?.task.name ?? 'Rein'}</h1>
        <span class="soft">
          {run.value?.robot.name} {run.value?.isSimulated === true ? '(simulated)' : ''} · {phase}
        </span>
      </div>
      <StateBadge />
      {hasNoRobot.value ? null : <KeysChip />}
      {hasNoRobot.value ? null : <SoundSwitch />}
    </header>
  );
}

/** Notice that a Stop did not arrive: it must not be missed. */
function StopNotice() {
  const said = stop.value;
  if (said === undefined || said.state === 'sent') return null;
  if (said.state === 'late') {
    return (
      <p class="not-sent late" role="alert">
        <span aria-hidden="true">✓</span> Stop was sent now: the connection is there again.
      </p>
    );
  }
  const why = connection.value === 'refused' ? 'access to the monitor is denied' : 'the robot does not answer';
  return (
    <p class="not-sent" role="alert">
      <strong>
        <span aria-hidden="true">▲</span> Stop was NOT sent
      </strong>
      : {why}. Use the robot's emergency stop.{' '}
      {said.state === 'due'
        ? 'It is sent as soon as this page is connected again to this run, within a minute.'
        : 'It is too old to be sent now: press Stop again.'}
    </p>
  );
}

/** Badges shown instead of the robot's state while the connection is not up. */
const CONNECTIONS: Readonly<Record<string, Badge>> = {
  connecting: { sign: '…', word: 'connecting', kind: 'hold', ends: '' },
  closed: { sign: '✕', word: 'no connection', kind: 'stop', ends: '' },
  refused: { sign: '✕', word: 'access denied', kind: 'stop', ends: '' },
  quiet: { sign: '✕', word: 'no news', kind: 'stop', ends: '' },
};

function StateBadge() {
  const lost = connection.value === 'refused' ? 'refused' : quietS.value > 0 ? 'quiet' : connection.value;
  const known = hasNoRobot.value ? undefined : state.value;
  if (lost === 'open' && known === undefined) return null;
  const { sign, word, kind, ends } =
    lost === 'open' ? badgeOf(known!, status.value, isDriver.value) : CONNECTIONS[lost]!;
  return (
    <span class={`badge ${kind}`} id="state" data-state={lost === 'open' ? known : lost} role="status" title={ends}>
      <span aria-hidden="true">{sign}</span> {word}
      {/* Not announced every second to screen readers. */}
      {lost === 'quiet' ? <span aria-hidden="true"> for {quietS.value} s</span> : null}
    </span>
  );
}

function Messages() {
  const last = freshNotices.value.slice(-3);
  const { prompt, promptAtPage = prompt } = status.value?.operator ?? {};
  if (last.length === 0 && prompt === undefined) return null;
  return (
    <section class="messages" aria-live="polite">
      {promptAtPage === undefined || promptAtPage === helpWanted.value ? null : <p class="prompt">{promptAtPage}</p>}
      {last.map((notice) => (
        <p key={notice.atMs + notice.line} class={notice.isForYou === true ? 'for-you' : ''}>
          <time>{timeOf(notice.atMs)}</time> {notice.line}
        </p>
      ))}
    </section>
  );
}

function Waiting() {
  if (connection.value === 'refused') {
    return (
      <p class="empty">
        This monitor needs a token: open the address that the terminal shows, with all that follows #.
      </p>
    );
  }
  return <p class="empty">{connection.value === 'open' ? 'The run is being prepared.' : 'Waiting for the run.'}</p>;
}

/** Keep-alive of a page that has the seat but sends no input. */
setInterval(() => {
  if (isSeated.value && operators.value !== undefined) ask({ kind: 'alive' });
}, 200);
connect();
// The plain page's Stop stays until this page is drawn.
const drawn = document.createElement('div');
render(<App />, drawn);
document.getElementById('app')!.replaceChildren(drawn);
