/** The monitor's page in a browser, and behind it a server that a test speaks for: no robot runs, so that a test costs a page alone. */
import { fileURLToPath } from 'node:url';
import { SystemClock } from '../../src/model/index.ts';
import type { MonitorPlace } from '../../src/monitor/web/access.ts';
import { MonitorServer } from '../../src/monitor/web/server.ts';
import { SAFETY_STATES, type SafetyStateName } from '../../src/rows/guard-frame.ts';
import { encodeJson, encodeNumbers, FRAME_LAYOUT, type FrameView } from '../../src/rows/index.ts';
import type { PersonRequest } from '../../src/session/index.ts';
import { runViewOf } from '../../src/session/run-view.ts';
import { createRunStatus, type RunStatus } from '../../src/session/status.ts';
import { arm6Setup } from './arm6.ts';

/** As the stream has them. */
const FRAME_MS = 20;

/** What lets go at the page has to be let go of within so long, ms. */
export const RELEASED_MS = 100;

export interface StageOptions extends Partial<MonitorPlace> {
  /** The run's. Default: none, that no file is read from. */
  readonly folder?: string;
}

export class PageStage {
  /** What the page asked for, but for motion. */
  readonly asked: PersonRequest[] = [];
  /** The newest motion that it asked for, and how often it did. */
  motion: readonly number[] = [];
  motions = 0;
  /** With it the enabling switch was held. */
  isEnabled = false;
  readonly #server: MonitorServer;
  readonly #clock: SystemClock = new SystemClock();
  readonly #status: RunStatus = createRunStatus('stage', 'insert', 0);
  #address = '';
  #timer: NodeJS.Timeout | undefined;
  readonly #frame: Record<string, unknown>;

  private constructor(place: Partial<MonitorPlace>) {
    const sizes: Readonly<Record<string, number>> = {
      positionRad: 6,
      referenceRad: 6,
      referenceTcp: 7,
      measuredTcp: 7,
    };
    this.#frame = Object.fromEntries([
      ...FRAME_LAYOUT.scalars.map((key) => [key, 0] as const),
      ...FRAME_LAYOUT.arrays.map((key) => [key, new Float64Array(sizes[key] ?? 8)] as const),
    ]);
    this.#server = new MonitorServer({
      place: { host: '127.0.0.1', port: 0, ...place },
      pages: fileURLToPath(new URL('../../dist/monitor/app/', import.meta.url)),
      onRequest: (request) => this.#take(request),
    });
  }

  /** Serves the page of a simulated run, and tells it the robot's state 50 times a second. */
  static async open({ folder = '/nowhere', ...place }: StageOptions = {}): Promise<PageStage> {
    const stage = new PageStage(place);
    stage.#address = `http://127.0.0.1:${await stage.#server.listen()}/`;
    stage.#server.publish(encodeJson('run', runViewOf({ setup: arm6Setup(), runId: 'stage', folder, command: 'sim' })));
    stage.status({});
    stage.frame({ state: 'active.policy' });
    stage.#timer = setInterval(() => stage.#show(), FRAME_MS);
    return stage;
  }

  get address(): string {
    return this.#address;
  }

  /** The newest motion that it asked for is one. */
  get isMoving(): boolean {
    return this.motion.some((value) => value !== 0);
  }

  /** From now on frames have these numbers. */
  frame({ state, ...numbers }: Partial<Omit<FrameView, 'state'>> & { readonly state?: SafetyStateName }): void {
    Object.assign(this.#frame, numbers, state === undefined ? {} : { state: SAFETY_STATES.indexOf(state) });
  }

  status(part: Partial<RunStatus>): void {
    Object.assign(this.#status, part);
    this.say('status', this.#status);
  }

  say(kind: Parameters<typeof encodeJson>[0], value: unknown): void {
    this.#server.publish(encodeJson(kind, value));
  }

  /** From now on no frame comes. */
  fallSilent(): void {
    clearInterval(this.#timer);
  }

  /** Kinds of what was asked for, which are forgotten. */
  takeKinds(): string[] {
    return this.asked.splice(0).map(({ kind }) => kind);
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.#server.close();
  }

  #take(request: PersonRequest): void {
    if (request.kind !== 'input') {
      this.asked.push(request);
      return;
    }
    this.motion = request.action;
    this.isEnabled = request.isEnabled;
    this.motions++;
  }

  #show(): void {
    const frame = { ...this.#frame, sentAtS: this.#clock.nowS() } as unknown as FrameView;
    this.#server.publish(encodeNumbers(FRAME_LAYOUT, frame));
  }
}
