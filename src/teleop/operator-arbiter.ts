/**
 * Several operators as one: an operator at the keyboard, one on the web, a script. One of them holds control at a time;
 * a stop from any of them counts.
 */
import { liftStopOf, type OperatorEcho, type TeleopCommand, type TeleopSource } from './teleop-source.ts';

interface Seat {
  readonly source: TeleopSource;
  readonly command: TeleopCommand;
  wasActive: boolean;
  /** State right after it was polled. */
  wasInControl: boolean;
}

/** Itself a source, so that the node's loop need not know their number. */
export class OperatorArbiter implements TeleopSource {
  readonly name = 'operators';
  readonly #seats: readonly Seat[];
  /** In control; `undefined` for none. */
  #holder: Seat | undefined;
  /** Source that `poll` followed last: the one that requested a stop, or the one in control. */
  #decider: TeleopSource | undefined;

  /** `sources` must have different names; `actionSize` is A. */
  constructor(sources: readonly TeleopSource[], actionSize: number) {
    if (new Set(sources.map((s) => s.name)).size < sources.length) throw new RangeError('two operators have one name');
    this.#seats = sources.map((source) => ({
      source,
      command: { active: false, action: new Float32Array(actionSize), phase: 'correct' },
      wasActive: false,
      wasInControl: false,
    }));
  }

  /** Names of its operators, for display: `keyboard, browser`. */
  get names(): string {
    return this.#seats
      .filter(({ source }) => source.mayTakeFromPeople !== true)
      .map(({ source }) => source.name)
      .join(', ');
  }

  /** Name of the operator who decides; `undefined` while the policy does. */
  get decider(): string | undefined {
    return this.#decider?.name;
  }

  /** Device of the operator who decides; empty while the policy does. */
  get device(): string {
    return this.#decider?.device ?? this.#decider?.name ?? '';
  }

  /** Name of the person at it; empty if not given. */
  get person(): string {
    return this.#decider?.person ?? '';
  }

  /** Kind of the last decider; `scripted` before there was any. */
  get decidedBy(): 'human' | 'scripted' {
    return this.#decider?.decidedBy ?? 'scripted';
  }

  get isStopRequested(): boolean {
    return this.#seats.some((seat) => seat.source.isStopRequested === true);
  }

  /** See `TeleopSource`. */
  get stoppedBy(): string | undefined {
    const stopper = this.#seats.find(({ source }) => source.isStopRequested === true)?.source;
    return stopper && (stopper.stoppedBy ?? stopper.name);
  }

  /** True if any operator has taken over. */
  get isInControl(): boolean {
    return this.#seats.some((seat) => seat.source.isInControl ?? seat === this.#holder);
  }

  /** Network of the operator in control. */
  get network(): TeleopSource['network'] {
    return this.#holder?.source.network;
  }

  /** True if no operator can be heard any more. */
  get isLost(): boolean {
    return this.#seats.every((seat) => seat.source.isLost === true);
  }

  get hint(): string {
    return this.#seats.flatMap(({ source }) => source.hint ?? []).join('  ');
  }

  /** Echo of the first operator who has keys. */
  get echo(): OperatorEcho | undefined {
    for (const { source } of this.#seats) if (source.echo !== undefined) return source.echo;
    return undefined;
  }

  /**
   * A stop takes precedence over an operator, an operator over the policy. An idle operator in control also prevails
   * over the policy, which never takes over by itself.
   */
  poll(observation: Float32Array, nowS: number, out: TeleopCommand): void {
    for (const seat of this.#seats) this.#pollSeat(seat, observation, nowS);
    const stopper = this.#seats.find((seat) => seat.source.isStopRequested === true);
    const holder = this.#holder;
    out.active = stopper !== undefined || holder !== undefined;
    out.phase = holder?.command.phase ?? 'correct';
    const followed = stopper === undefined ? holder?.command : undefined;
    if (followed === undefined) out.action.fill(0);
    else out.action.set(followed.action);
    out.absolute = followed?.absolute;
    this.#decider = (stopper ?? holder)?.source;
  }

  watch(): void {
    for (const seat of this.#seats) seat.source.watch?.();
  }

  giveBack(): void {
    for (const seat of this.#seats) {
      seat.source.giveBack?.();
      // A take-over before the next poll counts as a new one.
      if (seat.source.isInControl === false) seat.wasActive = false;
    }
    if (this.#holder?.wasActive === false) this.#holder = undefined;
  }

  /** Lifts all stops. The operator in control keeps it. */
  liftStop(): void {
    for (const seat of this.#seats) {
      liftStopOf(seat.source);
      // An operator who gave control back with their stop takes over anew.
      if (seat.source.isInControl === false) seat.wasActive = false;
    }
  }

  reset(): void {
    for (const seat of this.#seats) seat.source.reset();
  }

  close(): void {
    for (const seat of this.#seats) seat.source.close();
  }

  /** Control changes when a source becomes active (an explicit act) or inactive. */
  #pollSeat(seat: Seat, observation: Float32Array, nowS: number): void {
    const { source, command } = seat;
    source.poll(observation, nowS, command);
    seat.wasInControl = source.isInControl === true;
    this.#releaseHolder();
    if (!command.active) {
      if (this.#holder === seat) this.#holder = undefined;
      // A stop does not end the holder's control: it applies again once the stop is lifted.
    } else if (source.isStopRequested === true) return;
    else if (!seat.wasActive && this.#mayTakeOver(source)) this.#takeOver(seat);
    seat.wasActive = command.active;
  }

  /** Releases a holder whose control was given back by a source polled later, such as a pedal: its action is dropped before it is used. */
  #releaseHolder(): void {
    const holder = this.#holder;
    if (holder?.wasInControl !== true || holder.source.isInControl !== false) return;
    holder.wasActive = false;
    this.#holder = undefined;
  }

  /** The last take-over counts, and the operator who lost control is notified. */
  #takeOver(seat: Seat): void {
    const lost = this.#holder;
    this.#holder = seat;
    if (lost === undefined || lost === seat) return;
    lost.source.onControlLost?.(seat.source.name);
    // An operator who has let go and takes over again before the next poll takes over nevertheless.
    if (lost.source.isInControl === false) lost.wasActive = false;
  }

  /** A person, or a source requested by a person, may take control from any holder, a script from none. */
  #mayTakeOver(source: TeleopSource): boolean {
    return source.decidedBy === 'human' || source.mayTakeFromPeople === true || this.#holder === undefined;
  }
}
