/** The stream of a run in the page: what the server sends becomes signals, and what the person asks for goes back. */
import { signal } from '@preact/signals';
import {
  decodeJson,
  decodeNumbers,
  FRAME_LAYOUT,
  type FrameView,
  kindOf,
  STEP_LAYOUT,
  type StepView,
} from '../../core/telemetry.ts';
import type {
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
export const step = signal<StepView | undefined>(undefined);
export const status = signal<RunStatus | undefined>(undefined);
export const session = signal<SessionState | undefined>(undefined);
export const operators = signal<OperatorsView | undefined>(undefined);
export const events = signal<readonly Stamped<SessionEvent>[]>([]);
export const episodes = signal<readonly Stamped<EpisodeReport>[]>([]);
export const interventions = signal<readonly Stamped<InterventionReport>[]>([]);
export const notices = signal<readonly Notice[]>([]);
/** `open`, or why there is no stream. */
export const connection = signal<'connecting' | 'open' | 'closed' | 'refused'>('connecting');

const KEPT = 200;
const RETRY_MS = 1000;
/** The server closes with this code whom it does not let in (RFC 6455, policy violation). */
const REFUSED = 1008;

/** Called with each frame, before it is drawn. */
const onFrames = new Set<(view: FrameView) => void>();

/** Calls `listener` with each frame until the result is called. */
export function hearFrames(listener: (view: FrameView) => void): () => void {
  onFrames.add(listener);
  return () => onFrames.delete(listener);
}

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
      name: nameOf(),
      watchOnly: words.has('watch'),
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

/** Asks for something; false where there is no stream. */
export function ask(request: PersonRequest | { readonly kind: 'sit' | 'leave' | 'alive' }): boolean {
  if (socket?.readyState !== WebSocket.OPEN) return false;
  socket.send(JSON.stringify(request));
  return true;
}

/** Text of a run's file from a byte on. */
export async function readFile(name: 'metrics' | 'learner', from: number): Promise<string> {
  const token = words.get('token');
  const headers: Record<string, string> = token === null ? {} : { authorization: `Bearer ${token}` };
  const answer = await fetch(`/api/files/${name}?from=${from}`, { headers });
  return answer.ok ? answer.text() : '';
}

function take(bytes: Uint8Array): void {
  switch (kindOf(bytes)) {
    case 'frame': {
      const view = decodeNumbers<FrameView>(FRAME_LAYOUT, bytes);
      frame.value = view;
      for (const listener of onFrames) listener(view);
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
    case 'event':
      add(events, decodeJson(bytes) as Stamped<SessionEvent>);
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

function add<T>(list: { value: readonly T[] }, item: T): void {
  list.value = [...list.value, item].slice(-KEPT);
}

/** What others see of this page's person; kept in the tab, so that a reload is the same person. */
function nameOf(): string {
  const known = sessionStorage.getItem('name');
  if (known !== null) return known;
  const device = /Mobi|Android|iPhone|iPad/.test(navigator.userAgent) ? 'phone' : 'laptop';
  const name = `${device} ${Math.floor(100 + 900 * Math.random())}`;
  sessionStorage.setItem('name', name);
  return name;
}
