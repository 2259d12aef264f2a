/**
 * Several operators as one: a person at the keyboard, one on the web, the scripted stand-in. One of them holds control
 * at a time; a stop from anyone counts.
 */
import { BehaviorSubject, type Observable } from 'rxjs';
import { type Authority, arbitrate } from './arbiter.ts';
import { OperatorLease } from './lease.ts';
import type { OperatorEcho, TeleopCommand, TeleopSource } from './teleop-source.ts';

/** What a display shows of the operators. */
export interface DeskState {
  readonly authority: Authority;
  /** Name of the source that holds control. */
  readonly holder: string | undefined;
  readonly decidedBy: 'human' | 'scripted' | undefined;
  /** When control was taken, seconds of the clock that `poll` is given. */
  readonly sinceS: number;
}

interface Seat {
  readonly source: TeleopSource;
  readonly command: TeleopCommand;
  wasActive: boolean;
}

/** Itself a source, so that the node's loop need not know how many there are. */
export class OperatorDesk implements TeleopSource {
  readonly name = 'operators';
  readonly #seats: readonly Seat[];
  readonly #lease = new OperatorLease();
  readonly #state = new BehaviorSubject<DeskState>({
    authority: 'policy',
    holder: undefined,
    decidedBy: undefined,
    sinceS: 0,
  });

  /** `sources` must have different names; `actionSize` is A. */
  constructor(sources: readonly TeleopSource[], actionSize: number) {
    if (new Set(sources.map((s) => s.name)).size < sources.length) throw new RangeError('two operators have one name');
    this.#seats = sources.map((source) => ({
      source,
      command: { active: false, action: new Float32Array(actionSize), phase: 'correct' },
      wasActive: false,
    }));
  }

  /** Changes of state, the current one first. Completes on `close`. */
  get state$(): Observable<DeskState> {
    return this.#state;
  }

  get state(): DeskState {
    return this.#state.value;
  }

  /** Who decided last; `scripted` before anybody did. */
  get decidedBy(): 'human' | 'scripted' {
    return this.#state.value.decidedBy ?? 'scripted';
  }

  get isStopRequested(): boolean {
    return this.#seats.some((seat) => seat.source.isStopRequested === true);
  }

  /** Of the first operator who has keys. */
  get echo(): OperatorEcho | undefined {
    for (const { source } of this.#seats) if (source.echo !== undefined) return source.echo;
    return undefined;
  }

  poll(observation: Float32Array, nowS: number, out: TeleopCommand): void {
    for (const seat of this.#seats) this.#pollSeat(seat, observation, nowS);
    const holder = this.#holder();
    const authority = arbitrate({
      isStopRequested: this.isStopRequested,
      isOperatorInControl: holder !== undefined,
      isPolicyReady: true,
    });
    out.active = authority === 'stop' || authority === 'operator';
    out.phase = holder?.command.phase ?? 'correct';
    const followed = authority === 'operator' ? holder?.command : undefined;
    if (followed === undefined) out.action.fill(0);
    else out.action.set(followed.action);
    out.absolute = followed?.absolute;
    this.#publish(authority, holder, nowS);
  }

  watch(): void {
    for (const seat of this.#seats) seat.source.watch?.();
  }

  giveBack(): void {
    for (const seat of this.#seats) seat.source.giveBack?.();
  }

  reset(): void {
    for (const seat of this.#seats) seat.source.reset();
  }

  close(): void {
    for (const seat of this.#seats) seat.source.close();
    this.#state.complete();
  }

  /** Control changes hands where a source becomes active (an explicit act) or stops being so. */
  #pollSeat(seat: Seat, observation: Float32Array, nowS: number): void {
    const { source, command } = seat;
    source.poll(observation, nowS, command);
    if (!command.active) this.#lease.giveBack(source.name);
    else if (!seat.wasActive && this.#mayTakeOver(source)) this.#takeOver(source, nowS);
    seat.wasActive = command.active;
  }

  #takeOver(source: TeleopSource, nowS: number): void {
    const lost = this.#lease.takeOver(source.name, nowS);
    if (lost === undefined) return;
    this.#seats.find((seat) => seat.source.name === lost)?.source.onControlLost?.(source.name);
  }

  /** A person may take control from anyone, a script from nobody. */
  #mayTakeOver(source: TeleopSource): boolean {
    return source.decidedBy === 'human' || this.#lease.holder === undefined;
  }

  #holder(): Seat | undefined {
    return this.#seats.find((seat) => seat.source.name === this.#lease.holder);
  }

  #publish(authority: Authority, holder: Seat | undefined, nowS: number): void {
    const stopper = this.#seats.find((seat) => seat.source.isStopRequested === true);
    const decider = authority === 'stop' ? (stopper ?? holder) : holder;
    const before = this.#state.value;
    if (before.authority === authority && before.holder === decider?.source.name) return;
    this.#state.next({
      authority,
      holder: decider?.source.name,
      decidedBy: decider?.source.decidedBy,
      sinceS: nowS - this.#lease.heldForS(nowS),
    });
  }
}
