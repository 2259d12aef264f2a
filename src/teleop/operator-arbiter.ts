/**
 * Several operators as one: a person at the keyboard, one on the web, the scripted stand-in. One of them holds control
 * at a time; a stop from anyone counts.
 */
import { liftStopOf, type OperatorEcho, type TeleopCommand, type TeleopSource } from './teleop-source.ts';

interface Seat {
  readonly source: TeleopSource;
  readonly command: TeleopCommand;
  wasActive: boolean;
  /** Right after it was polled. */
  wasInControl: boolean;
}

/** Itself a source, so that the node's loop need not know how many there are. */
export class OperatorArbiter implements TeleopSource {
  readonly name = 'operators';
  readonly #seats: readonly Seat[];
  /** In control; `undefined` when nobody took it. */
  #holder: Seat | undefined;
  /** Whom `poll` followed last: who asked to stop, or who is in control. */
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

  /** Of its operators, for people: `keyboard, browser`. */
  get names(): string {
    return this.#seats
      .filter(({ source }) => source.mayTakeFromPeople !== true)
      .map(({ source }) => source.name)
      .join(', ');
  }

  /** Name of the operator who decides; `undefined` where the policy does. */
  get decider(): string | undefined {
    return this.#decider?.name;
  }

  /** What the operator who decides drives with; empty where the policy does. */
  get device(): string {
    return this.#decider?.device ?? this.#decider?.name ?? '';
  }

  /** Name of the person at it; empty where none was given. */
  get person(): string {
    return this.#decider?.person ?? '';
  }

  /** Who decided last; `scripted` before anybody did. */
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

  /** Whether anybody has taken over. */
  get isInControl(): boolean {
    return this.#seats.some((seat) => seat.source.isInControl ?? seat === this.#holder);
  }

  /** Of the operator who has control. */
  get network(): TeleopSource['network'] {
    return this.#holder?.source.network;
  }

  /** Whether nobody of them can be heard any more. */
  get isLost(): boolean {
    return this.#seats.every((seat) => seat.source.isLost === true);
  }

  get hint(): string {
    return this.#seats.flatMap(({ source }) => source.hint ?? []).join('  ');
  }

  /** Of the first operator who has keys. */
  get echo(): OperatorEcho | undefined {
    for (const { source } of this.#seats) if (source.echo !== undefined) return source.echo;
    return undefined;
  }

  /**
   * A stop comes before a person, a person before the policy. An operator in control who does nothing wins over the policy too: it
   * never takes over by itself.
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
      // Whoever takes over before the next poll does so anew.
      if (seat.source.isInControl === false) seat.wasActive = false;
    }
    if (this.#holder?.wasActive === false) this.#holder = undefined;
  }

  /** Nobody asks for a stop any more. Whoever has control keeps it. */
  liftStop(): void {
    for (const seat of this.#seats) {
      liftStopOf(seat.source);
      // Who gave control back with their stop takes over anew.
      if (seat.source.isInControl === false) seat.wasActive = false;
    }
  }

  reset(): void {
    for (const seat of this.#seats) seat.source.reset();
  }

  close(): void {
    for (const seat of this.#seats) seat.source.close();
  }

  /** Control changes hands where a source becomes active (an explicit act) or stops being so. */
  #pollSeat(seat: Seat, observation: Float32Array, nowS: number): void {
    const { source, command } = seat;
    source.poll(observation, nowS, command);
    seat.wasInControl = source.isInControl === true;
    this.#releaseHolder();
    if (!command.active) {
      if (this.#holder === seat) this.#holder = undefined;
      // A stop takes control from nobody: whoever had it has it again once the stop is lifted.
    } else if (source.isStopRequested === true) return;
    else if (!seat.wasActive && this.#mayTakeOver(source)) this.#takeOver(seat);
    seat.wasActive = command.active;
  }

  /** A source that is polled later may have given control back for the holder, as a pedal does: its action is dropped before it is used. */
  #releaseHolder(): void {
    const holder = this.#holder;
    if (holder?.wasInControl !== true || holder.source.isInControl !== false) return;
    holder.wasActive = false;
    this.#holder = undefined;
  }

  /** The last one counts, and who lost control is told. */
  #takeOver(seat: Seat): void {
    const lost = this.#holder;
    this.#holder = seat;
    if (lost === undefined || lost === seat) return;
    lost.source.onControlLost?.(seat.source.name);
    // Whoever has let go and takes over again before the next look takes over all the same.
    if (lost.source.isInControl === false) lost.wasActive = false;
  }

  /** A person, or what people have asked for, may take control from anyone, a script from nobody. */
  #mayTakeOver(source: TeleopSource): boolean {
    return source.decidedBy === 'human' || source.mayTakeFromPeople === true || this.#holder === undefined;
  }
}
