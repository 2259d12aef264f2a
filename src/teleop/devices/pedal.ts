/**
 * A foot pedal: keys with roles. It causes no motion itself. While held, its enabling key enables the other devices of
 * the same operator, and another marks their motion as recovery; the remaining keys stop, mark, or give back when
 * pressed. Unplugging a pedal while it enables is a dropout: the robot stops and stays.
 */
import { RemoteOperator, type RemoteOptions } from '../remote/remote-operator.ts';
import type { OperatorHeard } from '../teleop-source.ts';
import { type InputPort, LOSS_TEXT, pullThrough } from './input-port.ts';
import { keyEvents } from './key-events.ts';

/** Role of a pedal's key. `enable` and `recover` last while it is held. */
export type PedalRole = 'enable' | 'recover' | 'stop' | 'success' | 'failure' | 'giveBack' | 'rewind' | 'critical';

export interface PedalOptions extends RemoteOptions, Pick<OperatorHeard, 'onMark' | 'onRewind' | 'onCritical'> {
  readonly port: InputPort;
  /** By key code (`linux/input-event-codes.h`). */
  readonly roles: ReadonlyMap<number, PedalRole>;
  /** Ends the control of the devices that it enables. */
  readonly onGiveBack: () => void;
}

export class Pedal extends RemoteOperator {
  readonly name = 'pedal';
  readonly #options: PedalOptions;
  readonly #held = new Set<PedalRole>();

  constructor(options: PedalOptions) {
    super(options, { subject: 'pedal', silence: 'isDropout' });
    this.#options = options;
  }

  /** True while the key for `role` is held. */
  isHeld(role: 'enable' | 'recover'): boolean {
    this.watch();
    return this.#held.has(role);
  }

  override watch(): void {
    if (!this.isClosed) this.#pull();
    super.watch();
  }

  override close(): void {
    super.close();
    this.#held.clear();
    this.#options.port.close();
  }

  #onKey(code: number, change: 'down' | 'up'): void {
    const role = this.#options.roles.get(code);
    if (role === undefined) return;
    if (change === 'up') {
      this.#held.delete(role);
      return;
    }
    this.#held.add(role);
    if (role === 'stop') this.stop();
    else if (role === 'giveBack') this.#options.onGiveBack();
    else if (role === 'rewind') this.#options.onRewind?.();
    else if (role === 'critical') this.#options.onCritical?.();
    else if (role !== 'enable' && role !== 'recover') this.#options.onMark?.(role);
  }

  #pull(): void {
    const { port, clock } = this.#options;
    this.renew();
    const found = pullThrough(port, (report) => keyEvents(report, (code, change) => this.#onKey(code, change)));
    if (found === 'there') {
      this.hear('released', clock.nowS());
      return;
    }
    // Motion that it enabled is no longer authorised.
    const wasEnabling = this.#held.has('enable');
    this.#held.clear();
    if (wasEnabling) this.takeOver();
    if (found === 'gone') this.lose();
    else this.distrust(LOSS_TEXT[found]);
  }
}
