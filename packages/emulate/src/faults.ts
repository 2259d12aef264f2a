/**
 * Faults that can be injected into an emulated bus, by name: on the line by rate or for the next packet, in a servo by its id, and at the
 * plug. Defines types, typed commands and their effects; `faulty-device.ts` implements the faults of the line, each family its servos'.
 */
import { didYouMean, ReinError } from '../../../src/model/index.ts';

/** Faults on the line, by name; their rate is a share (0 to 1) of packets, for `drop` and `flip` of bytes. */
export const LINE_FAULTS = {
  drop: 'a byte is missing',
  flip: 'one bit of a byte is turned',
  delay: 'a reply comes up to 20 ms late',
  duplicate: 'a packet comes twice',
  split: 'a packet comes in two parts, up to 5 ms apart',
  garbage: 'up to 64 random bytes come before a packet',
  wrongId: 'a reply, whole and with a right checksum, has another id',
  stale: 'the reply before it comes in its place',
} as const;

export type LineFault = keyof typeof LINE_FAULTS;

/** Line faults that can also affect bytes on their way to the devices. */
export const REQUEST_FAULTS = ['drop', 'flip', 'garbage'] as const satisfies readonly LineFault[];

export type RequestFault = (typeof REQUEST_FAULTS)[number];

/** Fault of one packet, the next, with given numbers in place of drawn ones. */
export type PacketFault =
  | { readonly kind: 'drop'; readonly at: number; readonly count: number }
  /** Bit 0 is the lowest of the first byte. */
  | { readonly kind: 'flip'; readonly bit: number }
  | { readonly kind: 'delay'; readonly seconds: number }
  | { readonly kind: 'duplicate' }
  | { readonly kind: 'split'; readonly at: number; readonly gapS: number }
  | { readonly kind: 'garbage'; readonly bytes: Uint8Array }
  | { readonly kind: 'wrongId'; readonly id: number }
  | { readonly kind: 'stale' };

/** Injected faults of a servo. Mutable: each takes effect at once. */
export interface ServoFaults {
  /** Neither receives nor answers; its motor is unaffected. */
  isDead: boolean;
  /** Remaining time without power, s: it neither receives nor answers, its motor is limp, and then it restarts. Counts down by itself. */
  unpoweredS: number;
  /** Added to its error bits, whatever its state. */
  errorBits: number;
  /**
   * Its overload protection has latched, until its power is cut or, if its family supports that, it is rebooted: it acknowledges everything
   * and exerts its protective torque at most. A lasting load may latch it again.
   */
  isOverloaded: boolean;
  /** Motor and encoder are both reversed, as if mounted the other way round, which no register shows. */
  isMirrored: boolean;
  /** Its motor turns against its encoder: its own loop runs away. */
  isReversed: boolean;
  /** Zero error added to the position, rad. */
  shiftRad: number;
  /** Whole turns added to the position. */
  wrapTurns: number;
  /** Position frozen at its last value. */
  isFrozen: boolean;
}

export function noServoFaults(): ServoFaults {
  return {
    isDead: false,
    unpoweredS: 0,
    errorBits: 0,
    isOverloaded: false,
    isMirrored: false,
    isReversed: false,
    shiftRad: 0,
    wrapTurns: 0,
    isFrozen: false,
  };
}

/** Target of fault injection: an emulator as a whole. */
export interface FaultTarget {
  /** Share of affected packets or bytes from the devices, 0 to 1. */
  setRate(fault: LineFault, rate: number): void;
  /** Share of affected bytes or requests to the devices, 0 to 1. */
  setRequestRate(fault: RequestFault, rate: number): void;
  /** Continuous random bytes per second; 0 ends them. */
  setNoise(bytesPerS: number): void;
  /** Echoes sent bytes before the answers, or stops doing so. */
  setEcho(isEchoing: boolean): void;
  /** Plans a fault for the next packet, after those already planned. */
  plan(fault: PacketFault): void;
  /** Sets the supply voltage, V. Throws `ReinError` if no supply is emulated. */
  setSupply(volts: number): void;
  /** Sets a register, in counts, and its stored value. Throws `ReinError` if device or register does not exist. */
  setRegister(id: number, register: string, counts: number): void;
  /** Ids of servos. */
  readonly ids: readonly number[];
  servo(id: number): ServoFaults | undefined;
  powerCycle(): void;
  unplug(): void;
  plug(): void;
}

/** Word typed after the rate of a fault that applies to requests. */
const REQUESTS = 'requests';

interface FaultCommand {
  /** Arguments, as shown by help. */
  readonly usage: string;
  readonly help: string;
  readonly apply: (target: FaultTarget, args: readonly string[]) => void;
}

const SERVO_FAULTS: Readonly<Record<string, FaultCommand>> = {
  dead: servoCommand('ID', 'the servo no longer receives or answers', (servo) => {
    servo.isDead = true;
  }),
  dip: servoCommand('ID SECONDS', 'the servo loses power for SECONDS, then restarts', (servo, seconds = 0) => {
    servo.unpoweredS = Math.max(0, seconds);
  }),
  overload: servoCommand(
    'ID',
    'its overload protection latches until brown-out or reboot: it answers, with hardly any torque',
    (servo) => {
      servo.isOverloaded = true;
    },
  ),
  error: servoCommand('ID BITS', 'error bits in all its replies', (servo, bits = 0) => {
    servo.errorBits = bits;
  }),
  mirror: servoCommand('ID', 'motion and reading are reversed, as if mounted the other way round', (servo) => {
    servo.isMirrored = !servo.isMirrored;
  }),
  reverse: servoCommand('ID', 'its motor turns opposite to its encoder', (servo) => {
    servo.isReversed = !servo.isReversed;
  }),
  shift: servoCommand('ID RAD', 'its zero is off by RAD', (servo, rad = 0) => {
    servo.shiftRad = rad;
  }),
  wrap: servoCommand('ID [TURNS]', 'its position jumps by a whole turn, 2 pi', (servo, turns = 1) => {
    servo.wrapTurns = turns;
  }),
  freeze: servoCommand('ID', 'its position reading is frozen', (servo) => {
    servo.isFrozen = true;
  }),
  heal: servoCommand('ID', 'ends all faults of the servo', (servo) => {
    Object.assign(servo, noServoFaults());
  }),
};

const LINE_COMMANDS: Readonly<Record<string, FaultCommand>> = Object.fromEntries(
  Object.entries(LINE_FAULTS).map(([name, help]) => [commandName(name), lineCommand(name as LineFault, help)]),
);

/** Faults of one packet by the word typed after `next`, made from its numbers. */
const PACKET_COMMANDS: Readonly<Record<string, (a: number, b: number) => PacketFault>> = {
  drop: (at, count) => ({ kind: 'drop', at, count: count || 1 }),
  flip: (bit) => ({ kind: 'flip', bit }),
  delay: (seconds) => ({ kind: 'delay', seconds }),
  duplicate: () => ({ kind: 'duplicate' }),
  split: (at, gapS) => ({ kind: 'split', at, gapS }),
  garbage: (count) => ({ kind: 'garbage', bytes: Uint8Array.from({ length: count }, (_, i) => i * 37) }),
  'wrong-id': (id) => ({ kind: 'wrongId', id }),
  stale: () => ({ kind: 'stale' }),
};

/** Fault commands by the typed word. */
export const FAULT_COMMANDS: Readonly<Record<string, FaultCommand>> = {
  ...LINE_COMMANDS,
  noise: {
    usage: 'BYTES_PER_S',
    help: 'random bytes on the bus; 0 ends it',
    apply: (target, args) => target.setNoise(Math.max(0, numberOf('noise', args[0]))),
  },
  echo: {
    usage: '[0]',
    help: 'the adapter echoes all that is sent, as some one-wire adapters do; 0 ends it',
    apply: (target, [on = '1']) => target.setEcho(numberOf('echo', on) !== 0),
  },
  next: {
    usage: 'FAULT [A] [B]',
    help: 'fault of the next packet alone: drop AT COUNT, flip BIT, delay S, duplicate, split AT GAP_S, garbage COUNT, wrong-id ID, stale',
    apply: (target, [kind = '', a = '0', b = '0']) => {
      const make = PACKET_COMMANDS[kind];
      if (make === undefined) throw misuse(`next takes ${Object.keys(PACKET_COMMANDS).join(', ')}`);
      target.plan(make(numberOf('the fault', a), numberOf('the fault', b)));
    },
  },
  ...SERVO_FAULTS,
  set: {
    usage: 'ID REGISTER COUNTS',
    help: 'sets a register, as if delivered that way: id (two servos with one id), firmwareMajor, modelNumber, baud, …',
    apply: (target, [id, register = '', counts]) =>
      target.setRegister(numberOf('set', id), register, numberOf('a register', counts)),
  },
  supply: {
    usage: 'VOLTS',
    help: 'supply voltage, such as of a discharging battery',
    apply: (target, [volts]) => target.setSupply(Math.max(0, numberOf('supply', volts))),
  },
  'brown-out': {
    usage: '[SECONDS]',
    help: 'power is cut for SECONDS, or a moment: torque off, all but the stored registers at factory values',
    apply: (target, [seconds]) => {
      if (seconds === undefined) target.powerCycle();
      else for (const id of target.ids) target.servo(id)!.unpoweredS = Math.max(0, numberOf('brown-out', seconds));
    },
  },
  unplug: { usage: '', help: 'the cable is pulled: the port is gone', apply: (target) => target.unplug() },
  plug: { usage: '', help: 'the port is back, under the same name', apply: (target) => target.plug() },
};

/** Executes the command `line`, e.g. `dead 3`. Throws `ReinError('config')` if it is invalid. */
export function applyFault(target: FaultTarget, line: string): void {
  const [word = '', ...args] = line.trim().split(/\s+/);
  const command = FAULT_COMMANDS[word];
  if (command === undefined) {
    const words = Object.keys(FAULT_COMMANDS);
    throw misuse(`there is no fault "${word}"${didYouMean(word, words)}`);
  }
  const most = command.usage === '' ? 0 : command.usage.split(' ').length;
  if (args.length > most) throw misuse(`${word} takes ${most === 0 ? 'nothing' : command.usage} after it`);
  command.apply(target, args);
}

function lineCommand(fault: LineFault, help: string): FaultCommand {
  const word = commandName(fault);
  const ofRequest = REQUEST_FAULTS.find((name) => name === fault);
  return {
    usage: ofRequest === undefined ? 'RATE' : `RATE [${REQUESTS}]`,
    help: `${help}; 0 ends it; applies to replies${ofRequest === undefined ? '' : ', or to requests'}`,
    apply: (target, [rateText, way]) => {
      const rate = numberOf(word, rateText);
      if (!(rate >= 0 && rate <= 1)) throw misuse(`${word} takes a rate from 0 to 1, not ${rateText}`);
      if (way === undefined) target.setRate(fault, rate);
      else if (way === REQUESTS && ofRequest !== undefined) target.setRequestRate(ofRequest, rate);
      else throw misuse(`${word} takes ${REQUESTS} or nothing after its rate, not "${way}"`);
    },
  };
}

function servoCommand(
  usage: string,
  help: string,
  set: (servo: ServoFaults, value: number | undefined) => void,
): FaultCommand {
  return {
    usage,
    help,
    apply: (target, [idText, valueText]) => {
      const id = numberOf('the servo id', idText);
      const servo = target.servo(id);
      if (servo === undefined) throw misuse(`there is no servo ${id}; there are ${target.ids.join(', ')}`);
      set(servo, valueText === undefined ? undefined : numberOf('the value after the id', valueText));
    },
  };
}

/** `wrongId` is typed `wrong-id`. */
function commandName(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

function numberOf(what: string, text: string | undefined): number {
  const value = text === undefined || text === '' ? Number.NaN : Number(text);
  if (!Number.isFinite(value)) throw misuse(`${what} must be a number${text === undefined ? '' : `, not "${text}"`}`);
  return value;
}

function misuse(message: string): ReinError {
  return new ReinError('config', message, { remedy: 'type help for a list of commands' });
}
