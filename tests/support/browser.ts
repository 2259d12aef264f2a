/** A real browser for tests of pages, and a watcher of the monitor's stream that draws nothing. */
import { existsSync } from 'node:fs';
import { type Browser, chromium } from 'playwright-core';
import { WebSocket } from 'ws';
import {
  decodeJson,
  decodeNumbers,
  FRAME_LAYOUT,
  type FrameView,
  kindOf,
  type PacketKind,
} from '../../src/rows/telemetry.ts';

const PLACES = [
  process.env['CHROMIUM'] ?? '',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
];
const chromiumPath = PLACES.find((path) => path !== '' && existsSync(path));

/** Why no page can be tried here; `undefined` where one can. */
export const noBrowserBecause: string | undefined =
  chromiumPath === undefined ? 'no Chromium is installed (apt install chromium, or set CHROMIUM)' : undefined;

/** `pictures`: 3-D is drawn, by the CPU, which takes most of one. */
export function openBrowser(pictures: 'with 3-D' | 'without 3-D' = 'without 3-D'): Promise<Browser> {
  const gl =
    pictures === 'with 3-D'
      ? ['--use-gl=angle', '--use-angle=swiftshader', '--enable-unsafe-swiftshader']
      : ['--disable-3d-apis', '--disable-gpu'];
  return chromium.launch({ executablePath: chromiumPath!, args: ['--no-sandbox', ...gl] });
}

/** All frames that the monitor at `address` sends, and what else came, by kind. */
export class StreamWatcher {
  readonly frames: FrameView[] = [];
  readonly said: { readonly kind: PacketKind; readonly value: Record<string, unknown> }[] = [];
  readonly socket: WebSocket;

  constructor(address: string, hello: Record<string, unknown> = {}, headers: Record<string, string> = {}) {
    this.socket = new WebSocket(new URL('/stream', address).href.replace(/^http/, 'ws'), { headers });
    this.socket.on('error', () => undefined);
    this.socket.on('open', () => this.socket.send(JSON.stringify({ kind: 'hello', name: 'watcher', ...hello })));
    this.socket.on('message', (data: Buffer) => {
      const bytes = new Uint8Array(data);
      const kind = kindOf(bytes);
      if (kind === 'frame') this.frames.push(decodeNumbers(FRAME_LAYOUT, bytes));
      else if (kind !== undefined && kind !== 'step') {
        this.said.push({ kind, value: decodeJson(bytes) as Record<string, unknown> });
      }
    });
  }

  get frame(): FrameView | undefined {
    return this.frames.at(-1);
  }

  /** The robot stands until a person presses Start: whoever has control keeps it meanwhile, and the guard's state says so. */
  get isHeld(): boolean {
    const operator = this.all('status').at(-1)?.['operator'];
    return operator !== undefined && 'held' in (operator as object);
  }

  /** Everything of a kind. */
  all(kind: PacketKind): Record<string, unknown>[] {
    return this.said.flatMap((packet) => (packet.kind === kind ? [packet.value] : []));
  }

  ask(request: Record<string, unknown>): void {
    this.socket.send(JSON.stringify(request));
  }

  close(): void {
    this.socket.terminate();
  }
}
