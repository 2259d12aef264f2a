/** Servos on a bus: speed, id, model and firmware, and ids that two servos share. Reads only: nothing is written. */

import type { ServoBus, ServoFamily, ServoIdentity, ServoModel, ServoProtocol } from '../drivers/serial.ts';
import { BUS } from '../rows/index.ts';
import { type AnswerPace, type BusPort, busOn, lostPort, type OpenBusPort, withPort } from './bus-port.ts';
import type { BusFamily, ServoArm } from './families.ts';
import { ServoAccess } from './servo-access.ts';

export const ID_MAX = 252;
/** Ids that most arms have: tried at each speed before all others. */
const USUAL_IDS = 12;
/** Number of requests to a servo to find another one with the same id. */
const COLLISION_TRIES = 8;
/** Failures among these that indicate two servos with one id; a single one is a disturbance. */
const COLLISIONS = 3;
/** Time within which a late reply arrives, s. */
const LATE_S = 0.03;
/** Up to so many ids, about an arm, are asked twice, as the line may corrupt a request; a second round of more would take too long. */
const ASKED_AGAIN = 32;

/** Servo that answered, or whose answers cannot be read. */
export interface FoundServo {
  readonly id: number;
  readonly protocol: ServoProtocol;
  /** Absent: no intact answer was received. */
  readonly identity: ServoIdentity | undefined;
  /** The model with that number; absent: unknown to the family. */
  readonly model: ServoModel | undefined;
  /** Number of 8 requests that were answered by more than one servo, or garbled. */
  readonly collisions: number;
  /** True if sent bytes came back, too. */
  readonly hasEcho: boolean;
}

/** True if two servos answer to this id. */
export function isTwice({ collisions }: Pick<FoundServo, 'collisions'>): boolean {
  return collisions >= COLLISIONS;
}

/** Distinct protocols of a family's models, e.g. byte orders. */
function protocolsOf({ family }: BusFamily): readonly ServoProtocol[] {
  return [...new Set(Object.values(family.models).map((model) => family.protocolOf([model])))];
}

/** Looks for `ids` at the speed of `port`, one request each. `preferred`: the expected model, if two share a number. */
async function findServos(
  port: BusPort,
  bus: BusFamily,
  ids: readonly number[],
  preferred: PreferredModel = () => undefined,
): Promise<readonly FoundServo[]> {
  const found = await askEach(port, bus, ids, preferred, 'brisk');
  if (ids.length > ASKED_AGAIN) return found;
  return [...found, ...(await askEach(port, bus, missingFrom(found, ids), preferred, 'brisk'))];
}

type PreferredModel = (id: number) => ServoModel | undefined;

function missingFrom(found: readonly FoundServo[], ids: readonly number[]): readonly number[] {
  return ids.filter((id) => !found.some((each) => each.id === id));
}

async function askEach(
  port: BusPort,
  bus: BusFamily,
  ids: readonly number[],
  preferred: PreferredModel,
  pace: AnswerPace,
): Promise<readonly FoundServo[]> {
  const buses = protocolsOf(bus).map((protocol) => busOn(port, protocol, pace));
  const found: FoundServo[] = [];
  for (const id of ids) {
    const servo = findServo(buses, bus, id, preferred(id));
    if (servo !== undefined) found.push(servo);
    // Yields to the event loop, so that a signal can end the scan.
    await new Promise((done) => setImmediate(done));
  }
  return found;
}

/** Looks for the servos of `arm` at the speed of `port`: silent ones once more, with time for a busy machine. */
export async function findServosOf(port: BusPort, { bus, servos }: ServoArm): Promise<readonly FoundServo[]> {
  const ids = servos.map(({ id }) => id);
  const preferred: PreferredModel = (id) => servos.find((each) => each.id === id)?.model;
  const found = await findServos(port, bus, ids, preferred);
  return [...found, ...(await askEach(port, bus, missingFrom(found, ids), preferred, 'unhurried'))];
}

function findServo(
  buses: readonly ServoBus[],
  { family }: BusFamily,
  id: number,
  preferred: ServoModel | undefined,
): FoundServo | undefined {
  let heard: FoundServo | undefined;
  for (const bus of buses) {
    const before = stray(bus).garbage;
    const identity = family.identify(bus, id, 1) ?? askedOn(bus, family, id, before);
    if (bus.isLost) throw lostPort(bus.line.path);
    if (identity === undefined) {
      if (stray(bus).garbage === before) return heard;
      heard = {
        id,
        protocol: bus.protocol,
        identity,
        model: undefined,
        collisions: COLLISION_TRIES,
        hasEcho: bus.hasEcho,
      };
      continue;
    }
    const fits = (model: ServoModel): boolean =>
      model.modelNumber === identity.modelNumber && family.protocolOf([model]) === bus.protocol;
    const models = Object.values(family.models).filter(fits);
    const model = models.find((each) => each === preferred) ?? models[0];
    const servo = { id, protocol: bus.protocol, identity, model, collisions: 0, hasEcho: bus.hasEcho };
    if (model === undefined) {
      // The other byte order may give a known number.
      heard ??= servo;
      continue;
    }
    return { ...servo, collisions: collisionsOf(new ServoAccess(bus, id, model)) };
  }
  return heard;
}

/** Repeats the request if it was answered by more garbage than `before`: some servo is there. */
function askedOn(bus: ServoBus, family: ServoFamily, id: number, before: number): ServoIdentity | undefined {
  bus.drain();
  const identity = stray(bus).garbage > before ? family.identify(bus, id) : undefined;
  bus.drain();
  return identity;
}

/**
 * Counts collisions: two servos with one id answer at the same time. As long as their answers are equal this cannot be detected; their
 * positions differ, so that these come with a wrong checksum, as more bytes than one answer has, or twice.
 */
function collisionsOf({ bus, id, model }: ServoAccess): number {
  const { address, bytes } = model.registers['presentPosition']!;
  const into = new Uint8Array(16);
  const span = Math.min(into.length, 8);
  let wrong = 0;
  for (let k = 0; k < COLLISION_TRIES; k++) {
    bus.drain();
    const before = stray(bus);
    const status = bus.read(id, address, Math.max(bytes, span), into, 0, 1);
    if (status === 'lost') throw lostPort(bus.line.path);
    // A second servo's answer follows immediately; one that a busy machine has missed comes later, and is no collision.
    const reply = bus.lineS(bus.protocol.statusBytes(span)) + 0.001;
    bus.line.wait(bus.line.clock.nowS() + (status === 'ok' ? reply : LATE_S));
    bus.drain();
    const after = stray(bus);
    const isTorn = after.garbage > before.garbage;
    if (isTorn || after.replies - before.replies > (status === 'ok' ? 0 : 1)) wrong++;
  }
  return wrong;
}

/** Received data beside the requested answers: whole ones, and bytes that belong to none. */
function stray({ counters }: ServoBus): { readonly replies: number; readonly garbage: number } {
  return {
    replies: counters[BUS.foreignReplies]!,
    garbage: counters[BUS.checksumErrors]! + counters[BUS.skippedBytes]!,
  };
}

/** Bus and speed at which servos answer. */
export interface ScanResult {
  readonly bus: BusFamily;
  readonly baud: number;
  readonly servos: readonly FoundServo[];
}

/**
 * Tries every speed of `families` at `path`, `first` before the others, and stops at the one with intact answers. First the usual ids and
 * those `wanted` at each speed, then all of them, unless all wanted ones have answered. If nothing but garbage is received, returns the
 * speed with most of it. `undefined` if no servo answers.
 */
export async function scanBauds(
  open: OpenBusPort,
  path: string | undefined,
  families: readonly BusFamily[],
  { wanted = [], first, say = () => {} }: ScanOptions = {},
): Promise<ScanResult | undefined> {
  const all = Array.from({ length: ID_MAX + 1 }, (_, id) => id);
  const usual = [...new Set([...wanted, ...all.slice(1, USUAL_IDS + 1)])];
  let garbled: ScanResult | undefined;
  for (const ids of [usual, all.filter((id) => !usual.includes(id))]) {
    if (ids !== usual)
      say('No servo answers to a usual id: looking for all ids at all speeds, for half a minute or two.');
    for (const bus of families) {
      const bauds = [...new Set([...(first === undefined ? [] : [first]), ...bus.bauds])];
      for (const baud of bauds) {
        const servos = await withPort(open, { path, baud }, async (port) => {
          const some = await findServos(port, bus, ids);
          if (!some.some(({ identity }) => identity !== undefined)) {
            if (some.length > (garbled?.servos.length ?? 0)) garbled = { bus, baud, servos: some };
            return [];
          }
          const isWhole = wanted.length > 0 && wanted.every((id) => some.some((servo) => servo.id === id));
          if (isWhole) return some;
          // Some servos answer, but not all wanted ones: all ids are asked, those of the robot's file with time for a busy machine.
          const late = missingFrom(some, wanted);
          const others = all.filter((id) => !ids.includes(id) && !late.includes(id));
          const found = await askEach(port, bus, late, () => undefined, 'unhurried');
          return [...some, ...found, ...(await findServos(port, bus, others))];
        });
        if (servos.length > 0) return { bus, baud, servos: [...servos].sort((a, b) => a.id - b.id) };
      }
    }
    if (garbled !== undefined) return garbled;
  }
  return undefined;
}

export interface ScanOptions {
  /** Ids of the robot's file. */
  readonly wanted?: readonly number[];
  /** Speed of the robot's file. */
  readonly first?: number;
  /** Prints a line before lengthy work. */
  readonly say?: ((line: string) => void) | undefined;
}
