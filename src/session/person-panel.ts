/** A remote panel, such as a browser page: carries out its user's requests in the session, and reports them. */
import { type ActionSpec, type Clock, describeError } from '../model/index.ts';
import { BrowserTeleop, MotionFrame, movesTool } from '../teleop/index.ts';
import type { PersonRequest } from './person-request.ts';
import { RawInput } from './raw-input.ts';
import type { LiveSession } from './session.ts';

export interface PersonPanelOptions {
  readonly action: ActionSpec;
  /** The run's folder, for the record of the pages' input. */
  readonly folder: string;
  /** The machine's clock: people do not follow simulated time. */
  readonly clock: Clock;
  /** See `WatchedRunOptions`. */
  readonly leaseS?: number | undefined;
  /** Prints a line for people. */
  readonly report: (line: string) => void;
}

/** Prompt of a paused run. */
const PAUSED = 'Paused: Start, or c at the terminal, lets the robot go on.';
const STOPPED_HERE = 'Stopped from the monitor: the robot holds until a person starts it again.';
const STOPPED = 'The robot was stopped: Start lets it go on.';

export class PersonPanel {
  /** To be added to the session's operators, which close it. */
  readonly teleop: BrowserTeleop;
  readonly #report: (line: string) => void;
  readonly #clock: Clock;
  readonly #raw: RawInput;
  #session: LiveSession | undefined;
  /** Last save requested: a policy is two files, and those of two concurrent saves would be a pair that does not match. */
  #saved: Promise<void> = Promise.resolve();

  constructor({ action, folder, clock, leaseS, report }: PersonPanelOptions) {
    this.#report = report;
    this.#clock = clock;
    this.#raw = new RawInput(folder, 'browser', clock, report);
    this.teleop = new BrowserTeleop({
      action,
      clock,
      toolFrame: movesTool(action)
        ? new MotionFrame('tool', action, () => this.#session?.frame.referenceTcp)
        : undefined,
      ...(leaseS === undefined ? {} : { leaseS }),
      onEvent: ({ message, remedy }) => report(`${message} ${remedy}`),
      onClose: () => void this.#raw.close(),
    });
  }

  /** Sends requests to `session` from now on; earlier ones had no effect, except for a stop. */
  attach(session: LiveSession): void {
    this.#session = session;
  }

  /** Carries out a request. Never throws; failures are reported. */
  ask(request: PersonRequest): void {
    try {
      this.#do(request);
    } catch (error) {
      this.#refuse(error);
    }
  }

  #do(request: PersonRequest): void {
    const session = this.#session;
    switch (request.kind) {
      case 'input':
        this.#input(request);
        return;
      case 'takeOver':
        this.#takeOver(request);
        return;
      case 'stop':
        this.#note(request);
        // Every stop request counts, but is reported once.
        if (!this.teleop.isStopRequested) this.#report(STOPPED_HERE);
        this.teleop.stopNow(request.by || 'a person');
        return;
      case 'giveBack':
        this.#note(request);
        if (this.teleop.isStopRequested) this.#report(STOPPED);
        else this.teleop.giveBack();
        session?.endRewind();
        return;
      case 'savePolicy':
        this.#saved = this.#saved.then(() => this.#save(session));
        return;
      case 'rollbackPolicy':
        this.#rollBack(session);
        return;
      default:
        askSession(session, request);
    }
  }

  async #save(session: LiveSession | undefined): Promise<void> {
    try {
      const saved = await session?.savePolicy('');
      if (saved !== undefined) this.#report(`Policy ${saved.version} is saved: ${saved.path}`);
    } catch (error) {
      this.#refuse(error);
    }
  }

  #input({ kind: _, shownAtS, ...said }: Extract<PersonRequest, { kind: 'input' }>): void {
    this.teleop.onInput({ shownAtS, ...said });
    this.#raw.message(said, { shownAtS }, this.teleop.isInControl);
  }

  #takeOver({ kind, shownAtS, device, by = '' }: Extract<PersonRequest, { kind: 'takeOver' }>): void {
    // A simulation that stands sends no new frames.
    const isTaken = this.teleop.begin({ shownAtS, device, by });
    this.#raw.message({ kind, device, person: by }, { shownAtS }, isTaken);
    if (!isTaken) this.#report(this.#tooLate(shownAtS, by));
    else this.#reportHeld();
  }

  /** A person who has taken over a stopped robot cannot move it yet. */
  #reportHeld(): void {
    const held = this.#session?.held;
    if (held?.kind === 'fault') this.#report(`${held.by} Once the cause is gone, press Start first.`);
    else if (held?.kind === 'stopped') this.#report(`Stopped by ${held.by}: press Start first.`);
    else if (this.teleop.isStopRequested) this.#report(`Stopped by ${this.teleop.stoppedBy}: press Start first.`);
  }

  #tooLate(shownAtS: number, by: string): string {
    const page = `The page of ${by || 'the operator'}`;
    const behindS = this.#clock.nowS() - shownAtS;
    if (!(behindS > 0)) return `${page} shows a time in the future: take-over refused. Reload it.`;
    const mostS = this.teleop.network!.leaseMs / 1e3;
    return `${page} is ${behindS.toFixed(2)} s behind, at most ${mostS} s are allowed: take-over refused. Try again.`;
  }

  /** Records the page's other requests that move or stop the robot. */
  #note({ kind }: PersonRequest): void {
    this.#raw.message({ kind }, {}, this.teleop.isInControl);
  }

  #rollBack(session: LiveSession | undefined): void {
    try {
      const version = session?.rollbackPolicy();
      if (version !== undefined) this.#report(`Policy ${version} acts again.`);
    } catch (error) {
      this.#refuse(error);
    }
  }

  readonly #refuse = (error: unknown): void => this.#report(describeError(error, 'monitor').trim());
}

/** Requests to the session itself. `reset` is ignored: only the process with a person's authority at the guard acknowledges. */
function askSession(session: LiveSession | undefined, request: PersonRequest): void {
  switch (request.kind) {
    case 'rewind':
      session?.rewind();
      return;
    case 'critical':
      session?.beginCritical();
      return;
    case 'start':
      session?.letGo();
      return;
    case 'pause':
      session?.holdBack(PAUSED);
      return;
    case 'mark':
      session?.mark(request.mark, '');
      return;
    case 'skipDemonstrations':
      session?.skipDemonstrations();
      return;
    case 'recordStart':
    case 'recordStop':
    case 'redo':
    case 'delete':
      session?.record(request.kind);
  }
}
