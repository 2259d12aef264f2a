/** Who is on a bus: at which speed, with which id, model and firmware, and whether two have one id. Reads only: nothing is written. */
import { BUS } from '../core/index.ts';
import type { ServoBus, ServoFamily, ServoIdentity, ServoModel, ServoProtocol } from '../drivers/serial.ts';
import { type AnswerPace, type BusPort, busOn, lostPort, type OpenBusPort, withPort } from './bus-port.ts';
import type { BusFamily, ServoArm } from './families.ts';
import { ServoAccess } from './servo-access.ts';

export const ID_MAX = 252;
/** Ids that most arms have: tried at each speed before all of them are. */
const USUAL_IDS = 12;
/** How often a servo is asked to see whether another answers with it. */
const COLLISION_TRIES = 8;
/** Of these so many go wrong where two servos have one id; one alone is a disturbance. */
const COLLISIONS = 3;
/** A reply that is late has come by then, s. */
const LATE_S = 0.03;
/** Ids of an arm or so, which are asked twice, for a line may disturb a question; of more nobody waits for a second round. */
const ASKED_AGAIN = 32;

/** A servo that answered, or answers that cannot be read. */
export interface FoundServo {
  readonly id: number;
  readonly protocol: ServoProtocol;
  /** Absent: what came was no intact answer. */
  readonly identity: ServoIdentity | undefined;
  /** The model with that number; absent: unknown to the family. */
  readonly model: ServoModel | undefined;
  /** How many of 8 requests were answered by more than one servo, or garbled. */
  readonly collisions: number;
  /** What was sent came back, too. */
  readonly hasEcho: boolean;
}

/** Two servos answer to this id. */
export function isTwice({ collisions }: Pick<FoundServo, 'collisions'>): boolean {
  return collisions >= COLLISIONS;
}

/** Byte orders and the like that a family's models speak, each once. */
function protocolsOf({ family }: BusFamily): readonly ServoProtocol[] {
  return [...new Set(Object.values(family.models).map((model) => family.protocolOf([model])))];
}

/** Looks for `ids` at the speed of `port`, one question each. `preferred`: the model that is expected, where two share a number. */
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
    // Whoever wants to end it is heard.
    await new Promise((done) => setImmediate(done));
  }
  return found;
}

/** Looks for the servos of `arm` at the speed of `port`: those that seem to be silent once more, with time for a busy machine. */
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
      // Perhaps the other byte order makes a number of it that is known.
      heard ??= servo;
      continue;
    }
    return { ...servo, collisions: collisionsOf(new ServoAccess(bus, id, model)) };
  }
  return heard;
}

/** Where what came was no answer, beyond what was garbage before, somebody is there, whom it is worth asking on. */
function askedOn(bus: ServoBus, family: ServoFamily, id: number, before: number): ServoIdentity | undefined {
  bus.drain();
  const identity = stray(bus).garbage > before ? family.identify(bus, id) : undefined;
  bus.drain();
  return identity;
}

/**
 * Two servos with one id answer at the same time. As long as they say the same nobody can tell; their positions differ, so that these
 * come with a wrong checksum, as more bytes than one answer has, or twice.
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
    // What the second one says comes right behind; what a busy machine has missed comes later, and is no collision.
    const reply = bus.lineS(bus.protocol.statusBytes(span)) + 0.001;
    bus.line.wait(bus.line.clock.nowS() + (status === 'ok' ? reply : LATE_S));
    bus.drain();
    const after = stray(bus);
    const isTorn = after.garbage > before.garbage;
    if (isTorn || after.replies - before.replies > (status === 'ok' ? 0 : 1)) wrong++;
  }
  return wrong;
}

/** What has come beside the answers that were asked for: whole ones, and what is part of none. */
function stray({ counters }: ServoBus): { readonly replies: number; readonly garbage: number } {
  return {
    replies: counters[BUS.foreignReplies]!,
    garbage: counters[BUS.checksumErrors]! + counters[BUS.skippedBytes]!,
  };
}

/** Where servos answer. */
export interface ScanResult {
  readonly bus: BusFamily;
  readonly baud: number;
  readonly servos: readonly FoundServo[];
}

/**
 * Tries every speed of `families` at `path`, `first` before the others, and stops at the one where intact answers come. First the usual
 * ids and those `wanted` at each speed, then all of them, but where all that are wanted have answered. Where nothing but
 * garbage comes, it gives the speed at which most does. `undefined`: nobody answers.
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
          // Here they are, and not all of them: everybody is asked, and those of the robot's file with time for a busy machine.
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
  /** Ids that the robot's file has. */
  readonly wanted?: readonly number[];
  /** Its speed. */
  readonly first?: number;
  /** Told people before what takes long. */
  readonly say?: ((line: string) => void) | undefined;
}
