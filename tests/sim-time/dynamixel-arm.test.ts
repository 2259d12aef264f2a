import { afterEach, describe, expect, it } from 'vitest';
import type { DynamixelBus } from '../../packages/emulate/src/dynamixel/dynamixel-bus.ts';
import { dynamixel, dynamixelFamily } from '../../src/drivers/serial.ts';
import type { Vec } from '../../src/model/index.ts';
import { createRobotState, HARDWARE } from '../../src/rows/index.ts';
import { type ServoRig, type ServoRigOptions, servoRig } from '../support/emulated-servos.ts';

// Koch's arm: XL430 1 and 2, XL330 3 to 6, of which 6 is the gripper in current-based position mode.

const { INSTRUCTION, INSTRUCTION_AT } = dynamixel;
const ELBOW = 3;
const GRIPPER = 6;

interface Servo {
  readonly registers: { get(name: string): number; set(name: string, value: number): void };
  readonly isTorqueOn: boolean;
}

let rigs: ServoRig[] = [];

afterEach(() => {
  for (const rig of rigs) rig.remove();
  rigs = [];
});

class Arm {
  readonly rig: ServoRig;
  readonly state = createRobotState(6, 0);
  readonly reference = new Float64Array(6) as Vec<'rad'>;
  /** Instructions of the requests of the newest tick. */
  sent: number[] = [];

  constructor(options: Partial<ServoRigOptions> = {}) {
    this.rig = servoRig({ robot: 'koch', family: dynamixelFamily, ...options });
    rigs.push(this.rig);
    const { line } = this.rig;
    const write = line.write.bind(line);
    line.write = (bytes, length) => {
      this.sent.push(bytes[INSTRUCTION_AT]!);
      return write(bytes, length);
    };
  }

  servo(id: number): Servo {
    return (this.rig.bus as unknown as { servos: readonly Servo[] }).servos[id - 1]!;
  }

  get all(): readonly Servo[] {
    return [1, 2, 3, 4, 5, 6].map((id) => this.servo(id));
  }

  tick(): string {
    const { driver } = this.rig;
    this.rig.endOfTick();
    this.sent = [];
    const status = driver.read(this.state);
    driver.write(this.reference);
    return status;
  }

  ticks(count: number): readonly string[] {
    return Array.from({ length: count }, () => this.tick());
  }

  async on(): Promise<this> {
    const { driver } = this.rig;
    await driver.open();
    this.tick();
    this.reference.set(this.state.positionRad);
    driver.torque(1);
    this.ticks(20);
    return this;
  }

  notices(): readonly string[] {
    const found: string[] = [];
    for (let notice = this.rig.driver.takeNotice(); notice !== undefined; notice = this.rig.driver.takeNotice()) {
      found.push(`row ${notice.row}: ${notice.message}`);
    }
    return found;
  }
}

describe('before torque comes on', () => {
  it('writes modes, caps, gains, profile, watchdog and delay, and reads them back', async () => {
    const arm = await new Arm().on();
    const of = (id: number, name: string): number => arm.servo(id).registers.get(name);
    expect([1, GRIPPER].map((id) => of(id, 'operatingMode'))).toEqual([3, 5]);
    expect([1, 2].map((id) => [of(id, 'pwmMax'), of(id, 'goalPwm')])).toEqual([
      [708, 708],
      [797, 797],
    ]);
    // 0.4 of 1.47 A, the current at its stall torque.
    expect([of(GRIPPER, 'currentMax'), of(GRIPPER, 'goalCurrent')]).toEqual([588, 588]);
    for (const [name, value] of [
      ['busWatchdog', 10],
      ['returnDelay', 0],
      ['statusLevel', 2],
      ['gainP', 1500],
      ['gainD', 600],
      ['profileVelocity', 0],
    ] as const) {
      expect(arm.all.map(({ registers }) => registers.get(name))).toEqual(new Array(6).fill(value));
    }
    expect(arm.all.every(({ registers }) => (registers.get('shutdown') & 0x34) === 0x34)).toBe(true);
  });

  it('takes back what would move the servo by itself: torque by goal, profiles by time', async () => {
    const arm = new Arm();
    arm.servo(2).registers.set('driveMode', 0b1100);
    await arm.on();
    expect(arm.servo(2).registers.get('driveMode')).toBe(0);
  });

  it('makes a servo that answers too little answer all', async () => {
    const arm = new Arm();
    for (const { registers } of arm.all) registers.set('statusLevel', 1);
    await arm.on();
    expect(arm.tick()).toBe('ok');
  });

  it.each<[string, (arm: Arm) => void, RegExp]>([
    [
      'an offset',
      (arm) => arm.servo(ELBOW).registers.set('homingOffset', 300),
      /Servo 3 \(elbow_flex\) adds 300 .*fault 34/,
    ],
    ['a direction', (arm) => arm.servo(1).registers.set('driveMode', 1), /Servo 1 .* has drive mode 1/],
    ['limits', (arm) => arm.servo(1).registers.set('positionMax', 3000), /takes goals from 0 to 3000 only/],
    ['torque that is on', (arm) => arm.servo(1).registers.set('torqueEnable', 1), /has its torque on/],
  ])('refuses a servo with %s that the calibration does not know', async (_, change, message) => {
    const arm = new Arm();
    change(arm);
    await expect(arm.rig.driver.open()).rejects.toThrow(message);
  });
});

describe('a tick', () => {
  it('is one fast sync read, one read of one servo and one sync write', async () => {
    const arm = await new Arm().on();
    expect(arm.ticks(100)).toEqual(new Array(100).fill('ok'));
    expect(arm.sent).toEqual([INSTRUCTION.fastSyncRead, INSTRUCTION.read, INSTRUCTION.syncWrite]);
  });

  it('brings torque on with one request for the caps of all, which stand elsewhere in a gripper, and one that reads them back', async () => {
    const arm = await new Arm().on();
    const { driver } = arm.rig;
    driver.torque(0);
    arm.tick();
    arm.sent = [];
    driver.torque(1);
    const { syncWrite, bulkWrite, bulkRead, fastSyncRead } = INSTRUCTION;
    expect(arm.sent).toEqual([syncWrite, bulkWrite, bulkRead, syncWrite, fastSyncRead]);
    expect(arm.all.every(({ isTorqueOn }) => isTorqueOn)).toBe(true);
    arm.sent = [];
    driver.torque(0.5);
    expect(arm.sent).toEqual([bulkWrite]);
    expect(arm.servo(GRIPPER).registers.get('goalCurrent')).toBeLessThan(
      arm.servo(GRIPPER).registers.get('currentMax'),
    );
    expect(arm.servo(1).registers.get('goalPwm')).toBe(354);
  });

  it('is a plain sync read where one firmware is older than fast reads, and as good', async () => {
    const arm = new Arm({
      calibrate: (calibration) => {
        const { elbow_flex } = calibration.joints;
        return { ...calibration, joints: { ...calibration.joints, elbow_flex: { ...elbow_flex!, firmware: '45' } } };
      },
    });
    arm.servo(ELBOW).registers.set('firmware', 45);
    await arm.on();
    expect(arm.ticks(50)).toEqual(new Array(50).fill('ok'));
    expect(arm.sent[0]).toBe(INSTRUCTION.syncRead);
  });

  it('follows the reference, and measures torque with its sign', async () => {
    const arm = await new Arm().on();
    for (let i = 0; i < 50; i++) {
      arm.reference[0]! += 0.01;
      arm.tick();
    }
    arm.ticks(50);
    expect(arm.state.positionRad[0]).toBeCloseTo(arm.reference[0]!, 1);
    arm.reference[0]! += 0.3;
    arm.ticks(3);
    expect(arm.state.torqueNm[0]).toBeGreaterThan(0.1);
  });

  it('hears all servos but one that is dead, in the same tick', async () => {
    const arm = await new Arm().on();
    arm.rig.bus.faultsOf(2)!.isDead = true;
    expect(new Set(arm.ticks(100))).toEqual(new Set(['late']));
    expect(arm.rig.driver.report.busCounters[9]).toBe(1);
  });
});

describe('what servos do by themselves', () => {
  it('row 24, 13: they stop 0.2 s after the last request, which is a fault, and take no goal until torque was off', async () => {
    const arm = await new Arm().on();
    arm.rig.line.wait(arm.rig.line.clock.nowS() + 0.19);
    arm.ticks(20);
    expect(arm.rig.driver.report.hardwareFaults).toBe(0);
    const stopped = arm.state.positionRad[1]!;
    arm.rig.line.wait(arm.rig.line.clock.nowS() + 0.25);
    expect(arm.all.map(({ registers }) => registers.get('busWatchdog'))).toEqual(new Array(6).fill(-1));
    expect(arm.all.every(({ isTorqueOn }) => isTorqueOn)).toBe(true);
    arm.reference[1]! += 0.3;
    arm.ticks(20);
    expect(arm.state.positionRad[1]).toBeCloseTo(stopped, 1);
    expect(arm.rig.driver.report.hardwareFaults & HARDWARE.servoReset).not.toBe(0);
    expect(arm.notices()[0]).toMatch(/row 13: Servo \d .* has stopped by itself: its bus watchdog/);
    // The way back: torque off, prepared anew, on.
    const { driver } = arm.rig;
    driver.torque(0);
    expect(driver.service('prepare')).toBe('done');
    driver.torque(1);
    arm.ticks(60);
    expect(driver.report.hardwareFaults).toBe(0);
    expect(arm.state.positionRad[1]).toBeCloseTo(arm.reference[1]!, 1);
  });

  it('row 13: an overload latches, is told within 100 ms, and only a reboot before torque brings the servo back', async () => {
    const arm = await new Arm().on();
    const { driver } = arm.rig;
    const servo = (arm.rig.bus as DynamixelBus).servos[ELBOW - 1]!;
    const reboot = servo.reboot.bind(servo);
    // What loads it is still there.
    servo.reboot = () => {
      reboot();
      servo.faults.isOverloaded = true;
    };
    servo.faults.isOverloaded = true;
    arm.ticks(5);
    expect(driver.report.hardwareFaults & HARDWARE.servoFault).not.toBe(0);
    expect(servo.isTorqueOn).toBe(false);
    expect(arm.notices()[0]).toMatch(/Servo 3 \(elbow_flex\) reports overload/);
    driver.torque(0);
    driver.service('passFirstMotion');
    driver.service('recover');
    expect(arm.notices()).toContainEqual(
      expect.stringMatching(/Servo 3 \(elbow_flex\) reports overload, after a reboot too/),
    );
    arm.ticks(2);
    expect(driver.report.hardwareFaults & HARDWARE.servoFault).not.toBe(0);
    servo.reboot = reboot;
    driver.service('recover');
    arm.ticks(1);
    expect(driver.report.hardwareFaults).toBe(0);
    // It may have woken elsewhere.
    expect(driver.report.needsFirstMotion).toBe(true);
    expect(driver.service('prepare')).toBe('done');
    driver.torque(1);
    arm.ticks(30);
    expect(driver.report.hardwareFaults).toBe(0);
    expect(servo.isTorqueOn).toBe(true);
  });

  it('row 13: a brown-out is found although all answer', async () => {
    const arm = await new Arm().on();
    arm.rig.bus.powerCycle();
    arm.ticks(40);
    expect(arm.rig.driver.report.hardwareFaults & HARDWARE.servoReset).not.toBe(0);
    expect(arm.all.some(({ isTorqueOn }) => isTorqueOn)).toBe(false);
    // Its stored cap is the same.
    expect(arm.servo(1).registers.get('goalPwm')).toBe(708);
  });

  it('row 37: a cap that is not what was written is a fault', async () => {
    const arm = await new Arm().on();
    arm.servo(GRIPPER).registers.set('goalCurrent', 1500);
    arm.ticks(20);
    expect(arm.rig.driver.report.hardwareFaults & HARDWARE.torqueCap).not.toBe(0);
  });
});

describe('ends', () => {
  it('limits torque tick by tick, in the register of each mode', async () => {
    const arm = await new Arm().on();
    arm.rig.driver.torque(0.5);
    arm.tick();
    expect([arm.servo(1).registers.get('goalPwm'), arm.servo(GRIPPER).registers.get('goalCurrent')]).toEqual([
      354, 294,
    ]);
  });

  it('stops by frames of the guardian, wherever the goals before them were cut off', async () => {
    const arm = await new Arm().on();
    const { line, driver } = arm.rig;
    const write = line.write.bind(line);
    let goal = new Uint8Array(0);
    line.write = (bytes, length) => {
      if (bytes[INSTRUCTION_AT] === INSTRUCTION.syncWrite) goal = bytes.slice(0, length);
      return write(bytes, length);
    };
    arm.tick();
    line.write = write;
    expect(goal).toHaveLength(44);
    for (let cut = 0; cut <= goal.length; cut++) {
      driver.torque(1);
      arm.ticks(2);
      expect(arm.all.map(({ isTorqueOn }) => isTorqueOn)).toEqual(new Array(6).fill(true));
      line.write(goal, cut);
      for (const frame of driver.facts.bus!.stopFrames) line.write(frame, frame.length);
      line.wait(line.clock.nowS() + 0.01);
      expect(arm.all.map(({ isTorqueOn }) => isTorqueOn)).toEqual(new Array(6).fill(false));
    }
  });
});
