/** The stream of a run in the page: what the server sends becomes signals, and what the person asks for goes back. */
import { computed, signal } from '@preact/signals';
import {
  decodeJson,
  decodeNumbers,
  FRAME_LAYOUT,
  type FrameView,
  kindOf,
  STEP_LAYOUT,
  type StepView,
  stateName,
} from '../../core/telemetry.ts';
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
import type { OperatorsView } from '../web/server.ts';

type Stamped<T> = T & { readonly atMs: number };

export interface Notice {
  readonly line: string;
  readonly atMs: number;
  readonly isForYou?: boolean;
}

/** What is known of the run; `undefined` before it was told. */
export const run = signal<RunView | undefined>(undefined);
export const frame = signal<FrameView | undefined>(undefined);
/** Of the robot, by its name: changes seldom, where frames come 50 times a second. Empty before the first. */
export const state = computed(() => (frame.value === undefined ? '' : stateName(frame.value)));
/** The same as often as people read numbers: what happened in the frames between is in it. */
export const glance = signal<FrameView | undefined>(undefined);
export const step = signal<StepView | undefined>(undefined);
export const status = signal<RunStatus | undefined>(undefined);
export const session = signal<SessionState | undefined>(undefined);
export const operators = signal<OperatorsView | undefined>(undefined);
export const events = signal<readonly Stamped<SessionEvent>[]>([]);
export const episodes = signal<readonly Stamped<EpisodeReport>[]>([]);
export const interventions = signal<readonly Stamped<InterventionReport>[]>([]);
export const notices = signal<readonly Notice[]>([]);
/** "Why is it not learning?"; `undefined` where nothing learns, or nothing was looked at yet. */
export const diagnosis = signal<readonly DiagnosisRow[] | undefined>(undefined);
/** When each fault was seen last, ms since 1970, by its name. */
export const faultsSeen = signal<ReadonlyMap<string, number>>(new Map());
/** `open`, or why there is no stream. */
export const connection = signal<'connecting' | 'open' | 'closed' | 'refused'>('connecting');

const KEPT = 200;
const RETRY_MS = 1000;
const GLANCE_MS = 150;
/** The server closes with this code whom it does not let in (RFC 6455, policy violation). */
const REFUSED = 1008;

/** 80 ms of frames at 50 Hz: what a slow page sees is old by so much at most. */
const FRAMES_ON_THE_WAY = 4;

/** Called with each frame, before it is drawn; true where it has answered the frame. */
const onFrames = new Set<(view: FrameView) => unknown>();

/** Calls `listener` with each frame until the result is called. */
export function hearFrames(listener: (view: FrameView) => unknown): () => void {
  onFrames.add(listener);
  return () => onFrames.delete(listener);
}

/** Name of the person at this page. */
export const person = signal(firstName());

let socket: WebSocket | undefined;

/** Words behind `#` in the address: the token never goes to the server in a request line. */
export const words = new URLSearchParams(location.hash.slice(1));

/** Opens the stream, again and again where it ends. */
export function connect(): void {
  const ws = new WebSocket(`${location.protocol === 'https:' ? 'wss' : 'ws'}://${location.host}/stream`);
  ws.binaryType = 'arraybuffer';
  socket = ws;
  connection.value = 'connecting';
  ws.onopen = () => {
    const hello = {
      kind: 'hello',
      token: words.get('token') ?? undefined,
      name: person.peek(),
      watchOnly: words.has('watch'),
      window: FRAMES_ON_THE_WAY,
    };
    ws.send(JSON.stringify(hello));
    connection.value = 'open';
  };
  ws.onmessage = ({ data }) => {
    if (data instanceof ArrayBuffer) take(new Uint8Array(data));
  };
  ws.onclose = ({ code }) => {
    operators.value = undefined;
    connection.value = code === REFUSED ? 'refused' : 'closed';
    if (code !== REFUSED) setTimeout(connect, RETRY_MS);
  };
}

/** Asks for the operator's seat, under the person's name. */
interface Sit {
  readonly kind: 'sit';
  readonly name: string;
}

/** Says something of an episode of the trace, or takes back what was said. */
type Said = { readonly kind: 'relabel' } & (
  | { readonly episode: number; readonly as: string; readonly steps?: string }
  | { readonly undo: number }
);

/** Asks for something; false where there is no stream. */
export function ask(request: PersonRequest | { readonly kind: 'leave' | 'alive' | 'seen' } | Sit | Said): boolean {
  if (socket?.readyState !== WebSocket.OPEN) return false;
  socket.send(JSON.stringify(request));
  return true;
}

/** Text of a run's file from a byte on; `name`: of a run beside this one, empty for this one. */
export async function readFile(file: 'metrics' | 'learner', from: number, name = ''): Promise<string> {
  const beside = name === '' ? '' : `&run=${encodeURIComponent(name)}`;
  const answer = await get(`/api/files/${file}?from=${from}${beside}`);
  return answer?.ok === true ? answer.text() : '';
}

/** What the server answers to a question; `undefined` where it has none. */
export async function readJson<T>(path: string): Promise<T | undefined> {
  const answer = await get(path);
  return answer?.status === 200 ? ((await answer.json()) as T) : undefined;
}

async function get(path: string): Promise<Response | undefined> {
  const token = words.get('token');
  const headers: Record<string, string> = token === null ? {} : { authorization: `Bearer ${token}` };
  // The server may be gone: the run has ended.
  return fetch(path, { headers }).catch(() => undefined);
}

function take(bytes: Uint8Array): void {
  switch (kindOf(bytes)) {
    case 'frame': {
      const view = decodeNumbers<FrameView>(FRAME_LAYOUT, bytes);
      frame.value = view;
      lookAt(view);
      if (view.faultFlags !== 0) seeFaults(view.faultFlags);
      let isAnswered = false;
      for (const listener of onFrames) isAnswered = listener(view) === true || isAnswered;
      if (!isAnswered) ask({ kind: 'seen' });
      return;
    }
    case 'step':
      step.value = decodeNumbers<StepView>(STEP_LAYOUT, bytes);
      return;
    case 'run':
      run.value = decodeJson(bytes) as RunView;
      return;
    case 'status':
      status.value = decodeJson(bytes) as RunStatus;
      return;
    case 'session':
      session.value = decodeJson(bytes) as SessionState;
      return;
    case 'operators':
      operators.value = decodeJson(bytes) as OperatorsView;
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
      add(notices, decodeJson(bytes) as Notice);
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

function addEvent(event: Stamped<SessionEvent>): void {
  add(events, event);
  if (event.row > 0) faultsSeen.value = new Map(faultsSeen.value).set(event.name, event.atMs);
}

/** Flags come with each frame; a clock with seconds needs them once a second. */
function seeFaults(flags: number): void {
  const nowMs = Date.now();
  const names = run.value?.faults.flatMap(({ signs }) => signs.filter(({ bit }) => (flags & bit) !== 0)) ?? [];
  const isNew = names.some(({ name }) => nowMs - (faultsSeen.value.get(name) ?? 0) > 1000);
  if (isNew) faultsSeen.value = new Map([...faultsSeen.value, ...names.map(({ name }) => [name, nowMs] as const)]);
}

function add<T>(list: { value: readonly T[] }, item: T): void {
  list.value = [...list.value, item].slice(-KEPT);
}

/** What others see of this page's person, and what is recorded with what they do: of this device, until they give another. */
function firstName(): string {
  const known = localStorage.getItem('name');
  if (known !== null) return known;
  const device = /Mobi|Android|iPhone|iPad/.test(navigator.userAgent) ? 'phone' : 'laptop';
  const name = `${device} ${Math.floor(100 + 900 * Math.random())}`;
  localStorage.setItem('name', name);
  return name;
}

export function setPerson(name: string): void {
  person.value = name;
  localStorage.setItem('name', name);
}
