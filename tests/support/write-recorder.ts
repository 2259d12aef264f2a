/** What a driver writes to its devices, held to the table of what each does by itself then. */

import type { EmulatedBus } from '../../packages/emulate/src/device.ts';
import type { Driver } from '../../src/drivers/index.ts';
import {
  type DynamixelModel,
  DynamixelReader,
  dynamixel,
  feetech,
  readRegister,
  type SerialLine,
  type ServoFamily,
  type ServoModel,
  VescReader,
  vesc,
  type WriteRule,
  type WriteState,
} from '../../src/drivers/serial.ts';

/** One register, or command, of a request. */
export interface SeenWrite {
  /** Id of the device; `undefined`: all. */
  readonly id: number | undefined;
  readonly what: string;
  readonly value: number;
}

type Decoder = (bytes: Uint8Array, length: number) => readonly SeenWrite[];

/** Throws where a write is not in `rules`, or not allowed in the state that its device is in. */
function holdToRules(
  seen: readonly SeenWrite[],
  rules: readonly WriteRule[],
  stateOf: (id: number | undefined) => WriteState,
): void {
  for (const { id, what, value } of seen) {
    const rule = ruleOf(rules, what, value);
    const state = stateOf(id);
    if (rule?.allowed.includes(state) === true) continue;
    throw new Error(
      `${what} ${value} was written to device ${id ?? 'of all'} that is ${state}: ${rule?.does ?? 'not in the table'}`,
    );
  }
}

const littleWord = (bytes: Uint8Array, at: number): number => bytes[at]! + 256 * bytes[at + 1]!;

/** Registers of `data`, as `model` has them. */
function registersOf(
  model: ServoModel,
  id: number | undefined,
  address: number,
  data: Uint8Array,
  isLittle: boolean,
): readonly SeenWrite[] {
  const seen: SeenWrite[] = [];
  for (let at = 0; at < data.length; ) {
    const found = registerAt(model, address + at);
    if (found === undefined) throw new Error(`nothing is known of address ${address + at}`);
    seen.push({ id, what: found.what, value: readRegister(found, data, at, isLittle) });
    at += found.bytes;
  }
  return seen;
}

function registerAt(
  model: ServoModel,
  address: number,
): { what: string; address: number; bytes: 1 | 2 | 4 } | undefined {
  for (const [what, register] of Object.entries(model.registers))
    if (register.address === address) return { what, ...register };
  const { indirectAddress } = model.registers;
  const { indirectBytes } = model as DynamixelModel;
  if (indirectAddress === undefined || address < indirectAddress.address) return undefined;
  if (address >= indirectAddress.address + 2 * indirectBytes) return undefined;
  return { what: 'indirectAddress', ...indirectAddress, address };
}

/** Of the servo that has an id, or of any where all are told. */
type ModelOf = (id: number | undefined) => ServoModel;

function feetechDecoder(modelOf: ModelOf, isLittle: boolean): Decoder {
  let seen: SeenWrite[] = [];
  const reader = new feetech.FeetechReader((id, instruction, bytes, at, count) => {
    const data = bytes.slice(at, at + count);
    if (instruction === feetech.INSTRUCTION.write) {
      const to = id === feetech.BROADCAST_ID ? undefined : id;
      seen.push(...registersOf(modelOf(to), to, data[0]!, data.slice(1), isLittle));
    }
    if (instruction !== feetech.INSTRUCTION.syncWrite) return;
    const [address = 0, length = 0] = data;
    for (let k = 2; k < data.length; k += 1 + length) {
      seen.push(...registersOf(modelOf(data[k]!), data[k]!, address, data.slice(k + 1, k + 1 + length), isLittle));
    }
  });
  return (bytes, length) => {
    seen = [];
    reader.push(bytes, 0, length);
    return seen;
  };
}

function dynamixelDecoder(modelOf: ModelOf): Decoder {
  let seen: SeenWrite[] = [];
  const { INSTRUCTION, BROADCAST_ID } = dynamixel;
  const reader = new DynamixelReader(
    () => undefined,
    (id, instruction, bytes, at, count) => {
      const data = bytes.slice(at, at + count);
      const take = (to: number | undefined, address: number, from: number, length: number): void =>
        void seen.push(...registersOf(modelOf(to), to, address, data.slice(from, from + length), true));
      if (instruction === INSTRUCTION.write)
        take(id === BROADCAST_ID ? undefined : id, littleWord(data, 0), 2, count - 2);
      if (instruction === INSTRUCTION.reboot) seen.push({ id, what: 'REBOOT', value: 0 });
      if (instruction === INSTRUCTION.syncWrite) {
        const length = littleWord(data, 2);
        for (let k = 4; k < count; k += 1 + length) take(data[k]!, littleWord(data, 0), k + 1, length);
      }
      if (instruction !== INSTRUCTION.bulkWrite) return;
      for (let k = 0; k < count; k += 5 + littleWord(data, k + 3))
        take(data[k]!, littleWord(data, k + 1), k + 5, littleWord(data, k + 3));
    },
  );
  return (bytes, length) => {
    seen = [];
    reader.push(bytes, 0, length);
    return seen;
  };
}

/** What requests of a servo's driver say. */
export function servoDecoder(family: ServoFamily, modelOf: ModelOf): Decoder {
  if (family.name === 'dynamixel') return dynamixelDecoder(modelOf);
  return feetechDecoder(modelOf, modelOf(undefined).registers['homingOffset'] !== undefined);
}

/** What commands of a car's driver say. */
export function vescDecoder(): Decoder {
  let seen: SeenWrite[] = [];
  const reader = new VescReader((command, bytes, at, count) => {
    const what = Object.entries(vesc.COMMAND).find(([, code]) => code === command)?.[0] ?? `command ${command}`;
    if (!what.startsWith('set')) return;
    seen.push({ id: undefined, what, value: vesc.getInt(bytes, at, count) });
  });
  return (bytes, length) => {
    seen = [];
    reader.push(bytes, 0, length);
    return seen;
  };
}

/** The rule for `value` written to `what`; `undefined`: nothing is known of it, and it is not to be written. */
export function ruleOf(rules: readonly WriteRule[], what: string, value: number): WriteRule | undefined {
  return (
    rules.find((rule) => rule.what === what && rule.value === value) ??
    rules.find((rule) => rule.what === what && rule.value === undefined)
  );
}

/** So many readings without a word of a device are a silence, to its driver too. */
const SILENT_READS = 3;

/**
 * `line`, of whose bytes each write is held to `rules`, in the state of the devices of `bus` as the calls of `driver` and what the devices
 * suffer make it. `guard` is called with the driver once that is made.
 */
export class WriteRecorder {
  readonly #rules: readonly WriteRule[];
  readonly #decode: Decoder;
  readonly #bus: EmulatedBus;
  readonly #away = new Set<number>();
  readonly #unpowered = new Set<number>();
  readonly #silentReads = new Map<number, number>();
  #phase: WriteState = 'limp';

  constructor(rules: readonly WriteRule[], decode: Decoder, bus: EmulatedBus) {
    this.#rules = rules;
    this.#decode = decode;
    this.#bus = bus;
  }

  line(line: SerialLine): SerialLine {
    return {
      ...line,
      write: (bytes, length) => {
        holdToRules(this.#decode(bytes.slice(0, length), length), this.#rules, (id) => this.#stateOf(id));
        return line.write(bytes, length);
      },
    };
  }

  watch(driver: Driver): void {
    const { open, service, torque, read, write } = driver;
    driver.torque = (ratio) => {
      if (ratio === 0) this.#phase = 'limp';
      if (ratio === 1) {
        this.#away.clear();
        this.#silentReads.clear();
        this.#phase = 'comingOn';
      }
      torque.call(driver, ratio);
    };
    driver.open = () => {
      this.#phase = 'limp';
      return open.call(driver);
    };
    driver.service = (request) => {
      if (request === 'prepare' || request === 'recover') this.#phase = 'limp';
      return service.call(driver, request);
    };
    driver.read = (out) => {
      this.#lookAt();
      return read.call(driver, out);
    };
    driver.write = (reference) => {
      const status = write.call(driver, reference);
      if (status === 'ok' && this.#phase === 'comingOn') this.#phase = 'driven';
      return status;
    };
  }

  #stateOf(id: number | undefined): WriteState {
    if (this.#phase === 'limp') return 'limp';
    const isAway = id === undefined ? this.#away.size > 0 : this.#away.has(id);
    return isAway ? 'away' : this.#phase;
  }

  /** As a reading begins: who cannot answer it, or has started anew since the one before. */
  #lookAt(): void {
    for (const id of this.#bus.ids) {
      const { unpoweredS, isDead } = this.#bus.faultsOf(id)!;
      const hasPower = unpoweredS === 0;
      const reads = isDead || !hasPower ? (this.#silentReads.get(id) ?? 0) + 1 : 0;
      this.#silentReads.set(id, reads);
      const isBack = hasPower && this.#unpowered.delete(id);
      if (!hasPower) this.#unpowered.add(id);
      if (this.#phase !== 'limp' && (isBack || reads >= SILENT_READS)) this.#away.add(id);
    }
  }
}
