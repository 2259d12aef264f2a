/** Stream of a run to the page: server packets become signals, and operator requests are sent back. */
import { computed, signal } from '@preact/signals';
import {
  decodeJson,
  decodeNumbers,
  FRAME_LAYOUT,
  type FrameView,
  kindOf,
  type LearnerView,
  type PictureView,
  type ProcessesView,
  STEP_LAYOUT,
  type StepView,
  stateName,
} from '../../rows/portable.ts';
import type {
  DiagnosisRow,
  EpisodeReport,
  InterventionReport,
  PersonRequest,
  RunStatus,
  RunView,
  SessionEvent,
  SessionState,
} from '../../session/index.ts';
import { shownState } from '../page/shown-state.ts';
import type { OperatorsView } from '../web/server.ts';
import { recall, remember } from './storage.ts';

type Stamped<T> = T & { readonly atMs: number };

export interface Notice {
  readonly line: string;
  readonly atMs: number;
  readonly isForYou?: boolean;
  /** Reception time, ms of the page's own clock; absent for notices from before the connection. */
  readonly heardAtMs?: number;
}

/** Display time of a notice above the views; the Health view keeps all. */
const NOTICE_MS = 60_000;

/** Description of the run; `undefined` before it is received. */
export const run = signal<RunView | undefined>(undefined);
export const frame = signal<FrameView | undefined>(undefined);
/** Robot state as displayed: changes seldom, while frames come 50 times a second. `undefined` before the first frame. */
export const state = computed(() => {
  if (frame.value === undefined) return undefined;
  return shownState({ state: stateName(frame.value), decider: 'hold' }, status.value).state;
});
/** Frames at reading rate; flags and maxima of the frames between are accumulated. */
export const glance = signal<FrameView | undefined>(undefined);
export const step = signal<StepView | undefined>(undefined);
export const status = signal<RunStatus | undefined>(undefined);
/** Running processes, as known to the supervisor; `undefined` without one. */
export const processes = signal<ProcessesView | undefined>(undefined);
/** Newest image of each camera. */
export const pictures = signal<readonly PictureView[]>([]);
/** Progress of a learner, on its own page. */
export const learner = signal<LearnerView | undefined>(undefined);
export const session = signal<SessionState | undefined>(undefined);
export const operators = signal<OperatorsView | undefined>(undefined);
export const events = signal<readonly Stamped<SessionEvent>[]>([]);
export const episodes = signal<readonly Stamped<EpisodeReport>[]>([]);
export const interventions = signal<readonly Stamped<InterventionReport>[]>([]);
export const notices = signal<readonly Notice[]>([]);
/** Notices of the last minute. */
export const freshNotices = signal<readonly Notice[]>([]);
/** "Why is it not learning?"; `undefined` if nothing learns, or before the first check. */
export const diagnosis = signal<readonly DiagnosisRow[] | undefined>(undefined);
/** True if this page's operator is the decider. */
export const isDriver = computed(() => {
  const by = status.value?.operator.by;
  return by?.operator === 'browser' && operators.value?.isYours === true && by.person === operators.value.name;
});
/** Time at which each fault was last seen, ms since 1970, by name. */
export const faultsSeen = signal<ReadonlyMap<string, number>>(new Map());
/** `open`, or the reason why there is no stream. */
export const connection = signal<'connecting' | 'open' | 'closed' | 'refused'>('connecting');

/** Time since the last packet of a run that had sent some, s; 0 while packets arrive. */
export const quietS = signal(0);
/**
 * Stop of this page: `sent`: not acknowledged yet; `due`: it could not be sent, or was not acknowledged; `late`: a due
 * one has reached the server; `lapsed`: too old to be sent. `undefined`: the server has all.
 */
export const stop = signal<{ readonly state: 'sent' | 'due' | 'late' | 'lapsed'; readonly atMs: number } | undefined>(
  undefined,
);
/** Stops sent on this connection. */
let stopsSaid = 0;
/** Run that a Stop is meant for. */
let stoppedRun = '';

const KEPT = 200;
const RETRY_MS = 1000;
/** Retry period of a refused page with a pending Stop. */
const REFUSED_RETRY_MS = 5000;
/** Data older than this is not current. */
const QUIET_MS = 500;
const WATCH_MS = 100;
/** Silence after which the server is probed, and after which a new connection is tried. */
const PROBE_MS = 1000;
const SILENT_MS = 3000;
/** Display time of the note that a Stop was sent late. */
const SHOWN_MS = 10_000;
/** A Stop older than this is not sent: its operator has acted since, and others may have restarted the robot. */
const MOST_LATE_MS = 60_000;
const GLANCE_MS = 150;
/** Close code of a refused connection (RFC 6455, policy violation). */
const REFUSED = 1008;

/** 80 ms of frames at 50 Hz: largest age of what a slow page shows. */
const FRAMES_ON_THE_WAY = 4;

/** Called with each frame, before it is drawn; true if the listener has replied to it. */
const onFrames = new Set<(view: FrameView) => unknown>();

/** Purpose of an episode: without a learner, `training` is shown as `running`. */
export function purposeText(purpose: string): string {
  return session.value?.learner === 'absent' && purpose === 'training' ? 'running' : purpose;
}

/** Calls `listener` with each frame. Returns a function that ends it. */
export function hearFrames(listener: (view: FrameView) => unknown): () => void {
  onFrames.add(listener);
  return () => onFrames.delete(listener);
}

/** Name of this page's operator. */
export const person = signal(firstName());

let socket: WebSocket | undefined;
/** The past of this connection has been received; packets from now on are current. */
let isCaughtUp = false;
let heardAtMs = 0;
/** Time without any message from the server, ms; a delayed page counts only its own timer's periods. */
let silentMs = 0;

/** Parameters behind `#` in the address: the token never goes to the server in a request line. */
export const words = new URLSearchParams(location.hash.slice(1));

/** Opens the stream; reconnects whenever it ends or falls silent. */
export function connect(): void {
  // A refused page may still stop the robot where guests may.
  const isGuest = connection.peek() === 'refused';
  const ws = new WebSocket(`${location.protocol === 'https:' ? 'wss' : 'ws'}://${location.host}/stream`);
  ws.binaryType = 'arraybuffer';
  socket?.close();
  socket = ws;
  isCaughtUp = false;
  silentMs = 0;
  stopsSaid = 0;
  operators.value = undefined;
  if (!isGuest) connection.value = 'connecting';
  ws.onopen = () => {
    if (ws !== socket) return;
    const hello = {
      kind: 'hello',
      token: isGuest ? undefined : (words.get('token') ?? undefined),
      name: person.peek(),
      watchOnly: words.has('watch'),
      window: FRAMES_ON_THE_WAY,
    };
    ws.send(JSON.stringify(hello));
    connection.value = 'open';
  };
  ws.onmessage = ({ data }) => {
    if (ws !== socket || !(data instanceof ArrayBuffer)) return;
    silentMs = 0;
    const bytes = new Uint8Array(data);
    const kind = kindOf(bytes);
    // The server's own packets are no news of the robot.
    if (isCaughtUp && kind !== 'operators' && kind !== 'notice') heardAtMs = performance.now();
    take(bytes);
  };
  ws.onclose = ({ code }) => {
    if (ws !== socket) return;
    operators.value = undefined;
    connection.value = code === REFUSED ? 'refused' : 'closed';
    const isWanted = code !== REFUSED || stop.peek()?.state === 'due';
    if (isWanted) setTimeout(() => ws === socket && connect(), code === REFUSED ? REFUSED_RETRY_MS : RETRY_MS);
  };
}

/** Watchdog of the server: a lost network closes no socket. */
function watch(): void {
  const isTold = heardAtMs > 0 && (frame.peek() !== undefined || learner.peek() !== undefined);
  const quietMs = performance.now() - heardAtMs;
  quietS.value = isTold && quietMs > QUIET_MS ? Math.max(1, Math.round(quietMs / 1e3)) : 0;
  silentMs += WATCH_MS;
  freshen();
  // A run may have nothing to send; its server always answers a probe.
  if (silentMs % PROBE_MS === 0) probe();
  const said = stop.peek();
  const agoMs = said === undefined ? 0 : performance.now() - said.atMs;
  if (said?.state === 'sent' && agoMs > QUIET_MS) stop.value = { ...said, state: 'due' };
  if (said?.state === 'due' && agoMs > MOST_LATE_MS) stop.value = { ...said, state: 'lapsed' };
  if (said?.state === 'due' && silentMs % PROBE_MS === 0) sendStop();
  if (said?.state === 'late' && agoMs > SHOWN_MS) stop.value = undefined;
  const isTrying = socket !== undefined && socket.readyState <= WebSocket.OPEN;
  if (isTrying && silentMs >= SILENT_MS) connect();
}
setInterval(watch, WATCH_MS);

/** Sends a request without effect, answered with the `operators` packet. */
function probe(): boolean {
  return put(operators.peek()?.isYours === true ? { kind: 'sit', name: person.peek() } : { kind: 'leave' });
}

/** Sends the due Stop, if this is the run that it was meant for. */
function sendStop(): void {
  const said = stop.peek()!;
  const isThere = operators.peek() !== undefined && (run.peek()?.runId ?? '') === stoppedRun;
  if (isThere && put({ kind: 'stop' })) stopsSaid++;
  else stop.value = { ...said, state: 'due' };
}

function sayStop(): boolean {
  const isDue = quietS.peek() > 0 || stop.peek()?.state === 'due';
  stop.value = { state: isDue ? 'due' : 'sent', atMs: performance.now() };
  stoppedRun = run.peek()?.runId ?? '';
  sendStop();
  // A refused page reconnects only with a reason.
  if (connection.peek() === 'refused') connect();
  return stop.peek()?.state === 'sent';
}

/** Handles the server's answer, with the number of Stops received on this connection. */
function answered({ stops }: OperatorsView): void {
  // The past received first is no older than the page.
  if (heardAtMs === 0) heardAtMs = performance.now();
  isCaughtUp = true;
  const said = stop.peek();
  if (said?.state === 'due' && stopsSaid === 0) sendStop();
  if (stopsSaid === 0 || stops < stopsSaid) return;
  if (said?.state === 'sent') stop.value = undefined;
  if (said?.state === 'due') stop.value = { state: 'late', atMs: performance.now() };
}

/** Requests the operator's seat, under the operator's name. */
interface Sit {
  readonly kind: 'sit';
  readonly name: string;
}

/** Relabels an episode of the trace, or undoes a relabel. */
type Said = { readonly kind: 'relabel' } & (
  | { readonly episode: number; readonly as: string; readonly steps?: string }
  | { readonly undo: number }
);

/** Sends a request; false without a stream. A Stop is repeated until the server has it. */
export function ask(request: Asked): boolean {
  return request.kind === 'stop' ? sayStop() : put(request);
}

type Asked =
  | PersonRequest
  | { readonly kind: 'leave' | 'alive' }
  | { readonly kind: 'seen'; readonly shownAtS: number }
  | Sit
  | Said;

function put(request: Asked): boolean {
  if (socket?.readyState !== WebSocket.OPEN) return false;
  socket.send(JSON.stringify(request));
  return true;
}

/** Text of a run's file from byte `from`; `name`: a run beside this one, empty for this one. */
export async function readFile(file: 'metrics' | 'learner' | 'config', from: number, name = ''): Promise<string> {
  const beside = name === '' ? '' : `&run=${encodeURIComponent(name)}`;
  const answer = await get(`/api/files/${file}?from=${from}${beside}`);
  return answer?.ok === true ? answer.text() : '';
}

/** JSON response of the server; `undefined` if it has none. */
export async function readJson<T>(path: string): Promise<T | undefined> {
  const answer = await get(path);
  return answer?.status === 200 ? ((await answer.json()) as T) : undefined;
}

/** Tries at a busy server, and the pause between them, ms. */
const BUSY_TRIES = 10;
const BUSY_MS = 500;

async function get(path: string): Promise<Response | undefined> {
  const token = words.get('token');
  const headers: Record<string, string> = token === null ? {} : { authorization: `Bearer ${token}` };
  for (let tries = 1; ; tries++) {
    // The server may be gone: the run has ended.
    const answer = await fetch(path, { headers }).catch(() => undefined);
    // 503: the server is busy with other requests.
    if (answer?.status !== 503 || tries === BUSY_TRIES) return answer;
    await new Promise((resolve) => setTimeout(resolve, BUSY_MS));
  }
}

function take(bytes: Uint8Array): void {
  switch (kindOf(bytes)) {
    case 'frame': {
      const view = decodeNumbers(FRAME_LAYOUT, bytes);
      frame.value = view;
      lookAt(view);
      if (view.faultFlags !== 0) seeFaults(view.faultFlags);
      let isAnswered = false;
      for (const listener of onFrames) isAnswered = listener(view) === true || isAnswered;
      if (!isAnswered) ask({ kind: 'seen', shownAtS: view.sentAtS });
      return;
    }
    case 'step':
      step.value = decodeNumbers(STEP_LAYOUT, bytes);
      return;
    case 'run':
      run.value = decodeJson(bytes) as RunView;
      return;
    case 'status':
      status.value = decodeJson(bytes) as RunStatus;
      return;
    case 'processes':
      processes.value = decodeJson(bytes) as ProcessesView;
      return;
    case 'pictures':
      pictures.value = (decodeJson(bytes) as { readonly pictures: readonly PictureView[] }).pictures;
      return;
    case 'learner':
      learner.value = decodeJson(bytes) as LearnerView;
      return;
    case 'session':
      session.value = decodeJson(bytes) as SessionState;
      return;
    case 'operators':
      operators.value = decodeJson(bytes) as OperatorsView;
      answered(operators.value);
      return;
    case 'diagnosis':
      diagnosis.value = decodeJson(bytes) as readonly DiagnosisRow[];
      return;
    case 'event':
      addEvent(decodeJson(bytes) as Stamped<SessionEvent>);
      return;
    case 'episode':
      add(episodes, decodeJson(bytes) as Stamped<EpisodeReport>);
      return;
    case 'intervention':
      add(interventions, decodeJson(bytes) as Stamped<InterventionReport>);
      return;
    case 'notice':
      add(notices, { ...(decodeJson(bytes) as Notice), ...(isCaughtUp ? { heardAtMs: performance.now() } : {}) });
      freshen();
      return;
    default:
  }
}

let [between, lookedAtMs] = [{ filterBitsSince: 0, tickLateMs: 0 }, 0];

function lookAt(view: FrameView): void {
  const filterBitsSince = between.filterBitsSince | view.filterBitsSince;
  between = { filterBitsSince, tickLateMs: Math.max(between.tickLateMs, view.tickLateMs) };
  if (performance.now() - lookedAtMs < GLANCE_MS) return;
  lookedAtMs = performance.now();
  glance.value = { ...view, ...between };
  between = { filterBitsSince: 0, tickLateMs: 0 };
}

/** Drops old notices, by reception time: clocks of robot and page may differ by days. */
function freshen(): void {
  const nowMs = performance.now();
  const fresh = notices.peek().filter(({ heardAtMs }) => heardAtMs !== undefined && nowMs - heardAtMs < NOTICE_MS);
  if (fresh.length !== freshNotices.peek().length || fresh.at(-1) !== freshNotices.peek().at(-1))
    freshNotices.value = fresh;
}

function addEvent(event: Stamped<SessionEvent>): void {
  add(events, event);
  if (event.row > 0) faultsSeen.value = new Map(faultsSeen.value).set(event.name, event.atMs);
}

/** Records the faults flagged in a frame, at a resolution of one second. */
function seeFaults(flags: number): void {
  const nowMs = Date.now();
  const names = run.value?.faults.flatMap(({ signs }) => signs.filter(({ bit }) => (flags & bit) !== 0)) ?? [];
  const isNew = names.some(({ name }) => nowMs - (faultsSeen.value.get(name) ?? 0) > 1000);
  if (isNew) faultsSeen.value = new Map([...faultsSeen.value, ...names.map(({ name }) => [name, nowMs] as const)]);
}

function add<T>(list: { value: readonly T[] }, item: T): void {
  list.value = [...list.value, item].slice(-KEPT);
}

/** Operator name shown to others and recorded: derived from the device until another is given. */
function firstName(): string {
  const known = recall('name');
  if (known !== null) return known;
  const device = /Mobi|Android|iPhone|iPad/.test(navigator.userAgent) ? 'phone' : 'laptop';
  const name = `${device} ${Math.floor(100 + 900 * Math.random())}`;
  remember('name', name);
  return name;
}

/** True for a generated name: corrections are recorded under it, so that the page asks for another. */
export function isGivenName(name: string): boolean {
  return /^(phone|laptop) \d{3}$/.test(name);
}

export function setPerson(name: string): void {
  person.value = name;
  remember('name', name);
}
