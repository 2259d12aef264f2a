/** Torque comes on if each servo holds the goal and cap just written, in all servos or in none, whatever the line does. */
import { afterEach, describe, expect, it } from 'vitest';
import { type ServoRig, servoRig } from '../../../tests/support/emulated-servos.ts';
import { Rng } from '../../model/index.ts';
import { createRobotState, type RobotState } from '../../rows/index.ts';
import { dynamixel, dynamixelFamily, feetech, feetechFamily } from '../serial.ts';

/** Distance moved by hand after the servos had confirmed goals: a jump would be this large. */
const MOVED_RAD = 0.25;
/** Largest distance of a servo from its goal, or of a joint from where it stood, rad: readings are rounded to counts of 0.0015. */
const NEAR_RAD = 0.01;
const SEEDS = 60;

interface Servo {
  readonly isTorqueOn: boolean;
  readonly registers: { get(name: string): number };
}

/** Position of the instruction in a request, and of the address in a sync write. */
interface Family {
  readonly robot: string;
  readonly family: typeof feetechFamily;
  readonly registers: Readonly<Record<'goal' | 'cap' | 'torque', readonly number[]>>;
  isSyncWrite(bytes: Uint8Array): boolean;
  addressOf(bytes: Uint8Array): number;
}

const isBulkWrite = (bytes: Uint8Array): boolean => bytes[dynamixel.INSTRUCTION_AT] === dynamixel.INSTRUCTION.bulkWrite;

const FAMILIES: readonly Family[] = [
  {
    robot: 'so101',
    family: feetechFamily,
    // A goal switches torque on, and the caps are written last.
    registers: { goal: [42], cap: [48], torque: [48] },
    isSyncWrite: (bytes) => bytes[4] === feetech.INSTRUCTION.syncWrite,
    addressOf: (bytes) => bytes[5]!,
  },
  {
    robot: 'koch',
    family: dynamixelFamily,
    // The gripper's cap is another register: one bulk write, of which each part begins with an id.
    registers: { goal: [116], cap: [100], torque: [64] },
    isSyncWrite: (bytes) => isBulkWrite(bytes) || bytes[dynamixel.INSTRUCTION_AT] === dynamixel.INSTRUCTION.syncWrite,
    addressOf: (bytes) => bytes[dynamixel.PARAMETERS_AT + (isBulkWrite(bytes) ? 1 : 0)]!,
  },
];

let rigs: ServoRig[] = [];
afterEach(() => {
  for (const rig of rigs) rig.remove();
  rigs = [];
});

/** Fate of a request: received whole, lost, or with this share of its bytes hit. */
type Fate = 'whole' | 'lost' | { readonly flip: number };

/** Returns an arm that was prepared, then moved by hand, and read there. */
async function movedArm(family: Family, seed: number): Promise<{ rig: ServoRig; state: RobotState }> {
  const rig = servoRig({ robot: family.robot, family: family.family, seed });
  rigs.push(rig);
  const state = createRobotState(6, 0);
  await rig.driver.open();
  rig.driver.read(state);
  expect(rig.driver.service('prepare')).toBe('done');
  for (let i = 0; i < 6; i++) rig.body.positionRad[i]! += (i % 2 === 0 ? 1 : -1) * MOVED_RAD;
  rig.endOfTick();
  rig.driver.read(state);
  return { rig, state };
}

/** Applies `fateOf` to each further sync write of `registers`. */
function befall({ line, faults }: ServoRig, family: Family, registers: readonly number[], fateOf: () => Fate): void {
  const write = line.write.bind(line);
  line.write = (bytes, length) => {
    const isHit = family.isSyncWrite(bytes) && registers.includes(family.addressOf(bytes));
    const fate = isHit ? fateOf() : 'whole';
    faults.requests.drop = fate === 'lost' ? 1 : 0;
    faults.requests.flip = typeof fate === 'object' ? fate.flip : 0;
    const status = write(bytes, length);
    faults.requests.drop = 0;
    faults.requests.flip = 0;
    return status;
  };
}

function servosOf({ bus }: ServoRig): readonly Servo[] {
  return (bus as unknown as { servos: readonly Servo[] }).servos;
}

function torqueOf(rig: ServoRig): readonly boolean[] {
  return servosOf(rig).map(({ isTorqueOn }) => isTorqueOn);
}

/** Returns the status of three writes: three `lost` in a row are a lost robot for the guard (row 10). */
function writes({ driver, endOfTick }: ServoRig, state: RobotState): readonly string[] {
  return [1, 2, 3].map(() => {
    endOfTick();
    driver.read(state);
    return driver.write(state.positionRad);
  });
}

const LOST = ['lost', 'lost', 'lost'];
const ALL_ON = new Array(6).fill(true);
const ALL_OFF = new Array(6).fill(false);

describe.each(FAMILIES)('torque of an arm of servos ($robot)', (family) => {
  const { goal, cap, torque } = family.registers;

  it('comes on nowhere where a joint is read where its servo takes no goal, and says which', async () => {
    const { rig, state } = await movedArm(family, 1);
    // Moved by hand, or a reading that wraps: one turn off.
    rig.bus.faultsOf(5)!.wrapTurns = 1;
    rig.endOfTick();
    rig.driver.read(state);
    expect(rig.driver.service('prepare')).toMatchObject({
      refusal: expect.stringMatching(/^Servo 5 \(wrist_roll\) is read at .*, where it takes no goal/),
    });
    rig.driver.torque(1);
    expect(writes(rig, state)).toEqual(LOST);
    expect(torqueOf(rig)).toEqual(ALL_OFF);
    expect(rig.driver.takeNotice()).toMatchObject({
      row: 34,
      message: expect.stringContaining('Servo 5 (wrist_roll)'),
    });
    rig.bus.faultsOf(5)!.wrapTurns = 0;
    rig.endOfTick();
    rig.driver.read(state);
    expect(rig.driver.service('prepare')).toBe('done');
  });

  it('comes on at once where nothing is wrong, with one request for goals and caps and one for torque', async () => {
    const { rig } = await movedArm(family, 1);
    const startS = rig.line.clock.nowS();
    rig.driver.torque(1);
    expect(torqueOf(rig)).toEqual(ALL_ON);
    expect(rig.line.clock.nowS() - startS).toBeLessThan(0.006);
    expect(rig.driver.takeNotice()).toBeUndefined();
  });

  const WRITES: readonly (readonly [string, readonly number[]])[] = [
    ['goals', goal],
    ['caps', cap],
    ['torque', torque],
  ];

  it.each(WRITES)('comes on where the first write of %s is lost and the next is not', async (_, registers) => {
    const { rig, state } = await movedArm(family, 2);
    let writes = 0;
    befall(rig, family, registers, () => (writes++ < registers.length ? 'lost' : 'whole'));
    rig.driver.torque(1);
    expect(torqueOf(rig)).toEqual(ALL_ON);
    expect(rig.driver.write(state.positionRad)).toBe('ok');
  });

  it.each(WRITES)('comes on nowhere while each write of %s is lost, and the driver says so', async (_, registers) => {
    const { rig, state } = await movedArm(family, 3);
    if (registers === cap) rig.driver.torque(0.5);
    befall(rig, family, registers, () => 'lost');
    const startS = rig.line.clock.nowS();
    rig.driver.torque(1);
    expect(rig.line.clock.nowS() - startS).toBeLessThan(1 / rig.robot.controlHz);
    expect(torqueOf(rig)).toEqual(ALL_OFF);
    expect(rig.driver.takeNotice()).toBeUndefined();
    expect(writes(rig, state)).toEqual(LOST);
    expect(torqueOf(rig)).toEqual(ALL_OFF);
    expect(rig.driver.takeNotice()).toMatchObject({
      row: 10,
      message: expect.stringMatching(/^Servo 1 \(\w+\) did not confirm/),
    });
    expect(rig.driver.takeNotice()).toBeUndefined();
  });

  it('comes on a tick later, where all was lost in the one before', async () => {
    const { rig, state } = await movedArm(family, 6);
    let isBad = true;
    befall(rig, family, goal, () => (isBad ? 'lost' : 'whole'));
    rig.driver.torque(1);
    expect(torqueOf(rig)).toEqual(ALL_OFF);
    isBad = false;
    expect(writes(rig, state)).toEqual(['ok', 'ok', 'ok']);
    expect(torqueOf(rig)).toEqual(ALL_ON);
    expect(rig.driver.takeNotice()).toBeUndefined();
  });

  it('does not come on where a joint was a tick ago, of which the newest reading knows nothing', async () => {
    const { rig, state } = await movedArm(family, 8);
    let isBad = true;
    befall(rig, family, goal, () => (isBad ? 'lost' : 'whole'));
    rig.driver.torque(1);
    isBad = false;
    // The joint sinks while its servo does not answer; then it answers.
    rig.body.positionRad[2]! -= 0.1;
    rig.bus.faultsOf(3)!.isDead = true;
    rig.endOfTick();
    expect(rig.driver.read(state)).toBe('late');
    rig.bus.faultsOf(3)!.isDead = false;
    expect(rig.driver.write(state.positionRad)).toBe('lost');
    expect(torqueOf(rig)).toEqual(ALL_OFF);
  });

  it('does not come on any more once it was taken off', async () => {
    const { rig, state } = await movedArm(family, 7);
    let isBad = true;
    befall(rig, family, goal, () => (isBad ? 'lost' : 'whole'));
    rig.driver.torque(1);
    rig.driver.torque(0);
    isBad = false;
    expect(writes(rig, state)).toEqual(LOST);
    expect(torqueOf(rig)).toEqual(ALL_OFF);
  });

  it('comes on nowhere while one servo does not answer, which is named', async () => {
    const { rig, state } = await movedArm(family, 4);
    // Answers from before must not count.
    rig.driver.torque(1);
    rig.driver.torque(0);
    rig.bus.faultsOf(4)!.isDead = true;
    rig.driver.torque(1);
    expect(writes(rig, state)).toEqual(LOST);
    expect(torqueOf(rig)).toEqual(ALL_OFF);
    expect(rig.driver.takeNotice()?.message).toMatch(/^Servo 4 \(/);
  });

  it('goes off again in all, where only some have taken it', async () => {
    const { rig, state } = await movedArm(family, 5);
    // The servo misses the request that lets it pull, but answers the reads.
    const { line, bus } = rig;
    const write = line.write.bind(line);
    line.write = (bytes, length) => {
      bus.faultsOf(2)!.isDead = family.isSyncWrite(bytes) && torque.includes(family.addressOf(bytes));
      const status = write(bytes, length);
      bus.faultsOf(2)!.isDead = false;
      return status;
    };
    rig.driver.torque(1);
    expect(torqueOf(rig)).toEqual(ALL_OFF);
    expect(writes(rig, state)).toEqual(LOST);
    expect(torqueOf(rig)).toEqual(ALL_OFF);
    expect(rig.driver.takeNotice()?.message).toMatch(/^Servo 2 \(/);
  });

  it('pulls no joint away and is on in all or in none, however writes and replies are damaged', async () => {
    let came = 0;
    for (let seed = 0; seed < SEEDS; seed++) {
      const { rig, state } = await movedArm(family, seed);
      const rng = new Rng(seed).fork('fate');
      const share = rng.uniform();
      befall(rig, family, [...goal, ...cap, ...torque], () => {
        if (rng.uniform() >= share) return 'whole';
        return rng.uniform() < 0.5 ? 'lost' : { flip: rng.uniform() * 0.1 };
      });
      rig.faults.replies.drop = seed % 3 === 0 ? 0.01 : 0;
      rig.faults.replies.stale = seed % 5 === 0 ? 0.1 : 0;
      const stood = Float64Array.from(rig.body.positionRad);
      rig.driver.torque(1);
      const isOn = writes(rig, state).at(-1) === 'ok';
      if (isOn) came++;
      // An arm without torque may fall: checked are joints pulled by torque, and a servo's goal while it has torque.
      for (let tick = 0; tick < 20; tick++) {
        for (const [i, servo] of servosOf(rig).entries()) {
          if (!servo.isTorqueOn) continue;
          const atRad = (servo.registers.get('goalPosition') - 2048) * ((2 * Math.PI) / 4096);
          expect(Math.abs(atRad - stood[i]!), `seed ${seed}, joint ${i}`).toBeLessThan(NEAR_RAD);
        }
        rig.endOfTick();
        rig.driver.read(state);
        for (const [i, rad] of rig.body.positionRad.entries()) {
          expect(Math.abs(rad - stood[i]!), `seed ${seed}, joint ${i}`).toBeLessThan(NEAR_RAD);
        }
      }
      // Torque off is written as often as necessary, and these writes are damaged too.
      expect(torqueOf(rig), `seed ${seed}`).toEqual(isOn ? ALL_ON : ALL_OFF);
      rig.remove();
    }
    // If torque came on never or always, the test has shown nothing.
    expect(came).toBeGreaterThan(SEEDS / 5);
    expect(came).toBeLessThan(SEEDS);
  });
});

describe('torque that comes with a goal', () => {
  const family = FAMILIES[0]!;

  it('pulls with nothing before all servos have their goals where they stand', async () => {
    const { rig } = await movedArm(family, 1);
    const { line } = rig;
    const write = line.write.bind(line);
    const pulls: boolean[] = [];
    line.write = (bytes, length) => {
      const status = write(bytes, length);
      const servos = servosOf(rig);
      const isPulling = servos.some(({ isTorqueOn, registers }) => isTorqueOn && registers.get('torqueLimit') > 0);
      const haveGoals = servos.every(({ isTorqueOn }) => isTorqueOn);
      if (isPulling) expect(haveGoals).toBe(true);
      pulls.push(isPulling);
      return status;
    };
    rig.driver.torque(1);
    expect(pulls.indexOf(true)).toBeGreaterThan(3);
    expect(torqueOf(rig)).toEqual(ALL_ON);
  });

  it('is none in an arm that is prepared and refused, and is told of where somebody else gave it', async () => {
    const { rig, state } = await movedArm(family, 1);
    rig.bus.faultsOf(4)!.wrapTurns = 1;
    expect(rig.driver.service('prepare')).toMatchObject({ refusal: expect.stringContaining('takes no goal') });
    expect(torqueOf(rig)).toEqual(ALL_OFF);
    rig.bus.faultsOf(4)!.wrapTurns = 0;
    rig.endOfTick();
    rig.driver.read(state);
    expect(rig.driver.takeNotice()).toBeUndefined();
    rig.bus.setRegister!(2, 'torqueEnable', 1);
    for (let tick = 0; tick < 2; tick++) {
      rig.endOfTick();
      rig.driver.read(state);
    }
    expect(torqueOf(rig)).toEqual(ALL_OFF);
    expect(rig.driver.takeNotice()).toMatchObject({ row: 13, message: expect.stringContaining('did not enable') });
    expect(rig.driver.takeNotice()).toBeUndefined();
  });

  it('goes to no servo where the tick was held up since it was read', async () => {
    const { rig, state } = await movedArm(family, 1);
    rig.driver.torque(1);
    rig.endOfTick();
    rig.driver.read(state);
    // The guardian has switched torque off meanwhile.
    for (const frame of rig.driver.facts.bus!.stopFrames) rig.line.write(frame, frame.length);
    rig.line.wait(rig.line.clock.nowS() + 0.2);
    expect(rig.driver.write(state.positionRad)).toBe('late');
    expect(torqueOf(rig)).toEqual(ALL_OFF);
  });

  it('is named where it was set to brake by another program', async () => {
    const { rig, state } = await movedArm(family, 1);
    rig.driver.torque(1);
    rig.bus.setRegister!(3, 'torqueEnable', 2);
    rig.endOfTick();
    rig.driver.read(state);
    expect(rig.driver.takeNotice()?.message).toContain('brakes and holds nothing (2 in torqueEnable)');
    rig.driver.write(state.positionRad);
    expect(torqueOf(rig)[2]).toBe(false);
    rig.driver.torque(0);
    rig.bus.setRegister!(3, 'torqueEnable', 2);
    expect(rig.driver.service('prepare')).toMatchObject({
      refusal: expect.stringContaining('brakes (2 in torqueEnable), and not by this program'),
    });
  });
});
