import { describe, expect, it } from 'vitest';
import type { DynamixelBus } from '../../../packages/emulate/src/dynamixel/dynamixel-bus.ts';
import type { FeetechBus } from '../../../packages/emulate/src/feetech/feetech-bus.ts';
import { type ServoRig, type ServoRigOptions, servoOptionsOf } from '../../../tests/support/emulated-servos.ts';
import { rigOfTest } from '../../../tests/support/rig-of-test.ts';
import { BUS, createRobotState, HARDWARE, type RobotState } from '../../rows/index.ts';
import type { DriverStatus } from '../driver.ts';
import { dynamixelFamily } from '../dynamixel/dynamixel-family.ts';
import { feetechFamily } from '../feetech/feetech-family.ts';
import { feetech } from '../serial.ts';

function rigOf(options: Partial<ServoRigOptions> = {}): ServoRig {
  return rigOfTest({ robot: 'so101', family: feetechFamily, ...options });
}

async function opened(options: Partial<ServoRigOptions> = {}): Promise<{ rig: ServoRig; state: RobotState }> {
  const rig = rigOf(options);
  await rig.driver.open();
  const state = createRobotState(6, options.signalNames?.length ?? 0);
  // Torque comes on where each joint was read.
  rig.driver.read(state);
  return { rig, state };
}

/** Runs `ticks` ticks; returns the status of each read. */
function run({ driver, endOfTick }: ServoRig, state: RobotState, ticks: number, hold = true): DriverStatus[] {
  const said: DriverStatus[] = [];
  for (let i = 0; i < ticks; i++) {
    endOfTick();
    said.push(driver.read(state));
    if (hold) driver.write(state.positionRad);
  }
  return said;
}

describe('an arm of bus servos', () => {
  it('is read and written within what the line takes, and the rest of a tick is free', async () => {
    const { rig, state } = await opened();
    run(rig, state, 200);
    const { busCounters } = rig.driver.report;
    expect(busCounters[BUS.timeouts]).toBe(0);
    expect(busCounters[BUS.foreignReplies]).toBe(0);
    // 86 bytes of the joints' request and replies, some 22 of one servo's supply or cap, and the servos' own delay of 0.5 ms each.
    expect(busCounters[BUS.busyS]).toBeGreaterThan(0.00086);
    expect(busCounters[BUS.busyS]).toBeLessThan(0.0045);
  });

  it.each([
    ['so101', feetechFamily],
    ['koch', dynamixelFamily],
  ])('is driven on a line on which what is sent comes back: %s', async (robot, family) => {
    const rig = rigOf({ robot, family });
    rig.line.isEchoing = true;
    await rig.driver.open();
    const state = createRobotState(6, 0);
    rig.driver.read(state);
    rig.driver.torque(1);
    const said = run(rig, state, 60);
    expect(new Set(said)).toEqual(new Set(['ok']));
    const { busCounters, hardwareFaults } = rig.driver.report;
    expect(hardwareFaults).toBe(0);
    expect([BUS.foreignReplies, BUS.timeouts, BUS.retries].map((counter) => busCounters[counter])).toEqual([0, 0, 0]);
  });

  it('answers for a servo that misses a request, by asking once more in the same tick', async () => {
    const { rig, state } = await opened();
    rig.driver.torque(1);
    rig.faults.replies.drop = 0.002;
    const said = run(rig, state, 300);
    const { busCounters } = rig.driver.report;
    expect(busCounters[BUS.retries]).toBeGreaterThan(10);
    expect(said.filter((status) => status === 'ok').length).toBeGreaterThan(280);
    expect(said).not.toContain('lost');
  });

  it('takes no reply of another servo, to another request or with a turned bit for a reading', async () => {
    const { rig, state } = await opened();
    run(rig, state, 5, false);
    const truth = [...state.positionRad];
    for (const [fault, rate] of [
      ['wrongId', 0.2],
      ['stale', 0.2],
      ['flip', 0.005],
      ['duplicate', 0.3],
      ['delay', 0.1],
      ['split', 0.3],
      ['garbage', 0.2],
    ] as const) {
      rig.faults.replies[fault] = rate;
      for (let i = 0; i < 150; i++) {
        rig.endOfTick();
        rig.driver.read(state);
        // An arm without torque stands still: any other reading is wrong.
        for (const [j, position] of state.positionRad.entries()) {
          expect(Math.abs(position - truth[j]!), `${fault}, joint ${j}`).toBeLessThan(0.01);
        }
      }
      rig.faults.replies[fault] = 0;
    }
    expect(rig.driver.report.busCounters[BUS.foreignReplies]).toBeGreaterThan(0);
    expect(rig.driver.report.busCounters[BUS.checksumErrors]).toBeGreaterThan(0);
  });

  it('is late while one servo is dead, which is left out after some misses and found again when it is back', async () => {
    const { rig, state } = await opened();
    const servo = rig.bus.faultsOf(3)!;
    run(rig, state, 5);
    servo.isDead = true;
    const said = run(rig, state, 18);
    expect(new Set(said)).toEqual(new Set(['late']));
    const { busCounters } = rig.driver.report;
    expect(busCounters[BUS.quarantined]).toBe(1);
    expect(busCounters[BUS.oldestS]).toBeGreaterThan(0.3);
    // The other servos cost no more than before: no tick waits for the dead one.
    const busy = busCounters[BUS.busyS]!;
    expect(busy).toBeLessThan(0.004);
    servo.isDead = false;
    // It is probed twice a second.
    expect(run(rig, state, 30).at(-1)).toBe('ok');
    expect(busCounters[BUS.quarantined]).toBe(0);
  });

  it('finds three that were dead, one tick after the other', async () => {
    const { rig, state } = await opened();
    const dead = [2, 3, 5].map((id) => rig.bus.faultsOf(id)!);
    for (const servo of dead) servo.isDead = true;
    run(rig, state, 20);
    expect(rig.driver.report.busCounters[BUS.quarantined]).toBe(3);
    for (const servo of dead) servo.isDead = false;
    const said = run(rig, state, 30);
    expect(said.at(-1)).toBe('ok');
    expect(rig.driver.report.busCounters[BUS.quarantined]).toBe(0);
  });

  it('has them all in the tick in which they answer again, where all were silent', async () => {
    const { rig, state } = await opened();
    const all = [1, 2, 3, 4, 5, 6].map((id) => rig.bus.faultsOf(id)!);
    run(rig, state, 5);
    for (const servo of all) servo.isDead = true;
    const said = run(rig, state, 40, false);
    expect(new Set(said)).toEqual(new Set(['lost']));
    // A tick waits for the servos no longer than permitted, and the rest of it is free.
    expect(rig.driver.report.busCounters[BUS.busyS]).toBeLessThan(0.012);
    for (const servo of all) servo.isDead = false;
    expect(run(rig, state, 3, false)).toEqual(['ok', 'ok', 'ok']);
    expect(rig.driver.report.busCounters[BUS.quarantined]).toBe(0);
  });

  it('names a servo that falls silent, once for each silence', async () => {
    const { rig, state } = await opened();
    rig.driver.torque(1);
    run(rig, state, 5);
    rig.bus.faultsOf(3)!.isDead = true;
    run(rig, state, 5);
    const silent = { row: 10, message: 'Servo 3 (elbow_flex) does not answer.' };
    expect(rig.driver.takeNotice()).toMatchObject(silent);
    run(rig, state, 30);
    expect(rig.driver.takeNotice()).toBeUndefined();
    // The notice after an acknowledgement has the same row.
    rig.driver.torque(0);
    rig.driver.service('recover');
    run(rig, state, 1, false);
    expect(rig.driver.takeNotice()).toMatchObject({ row: 10, message: expect.stringContaining('No servo 3') });
    rig.bus.faultsOf(3)!.isDead = false;
    run(rig, state, 40, false);
    expect(rig.driver.takeNotice()).toBeUndefined();
    rig.bus.faultsOf(3)!.isDead = true;
    run(rig, state, 5, false);
    expect(rig.driver.takeNotice()).toMatchObject(silent);
  });

  it('says what its line has to say, once', async () => {
    const rig = rigOf();
    Object.assign(rig.line, { warning: { message: 'It gathers bytes.', remedy: 'echo 1' } });
    await rig.driver.open();
    expect(rig.driver.takeNotice()).toEqual({ level: 'warn', row: 0, message: 'It gathers bytes.', remedy: 'echo 1' });
    expect(rig.driver.takeNotice()).toBeUndefined();
  });

  it('is lost when nobody answers, and open again once the cable is back', async () => {
    const { rig, state } = await opened();
    rig.driver.torque(1);
    run(rig, state, 5);
    rig.line.unplug();
    expect(run(rig, state, 4)).toEqual(['lost', 'lost', 'lost', 'lost']);
    expect(rig.driver.write(state.positionRad)).toBe('lost');
    rig.driver.torque(0);
    rig.line.plug();
    rig.driver.service('recover');
    expect(run(rig, state, 3, false)).toEqual(['ok', 'ok', 'ok']);
    expect(rig.driver.report.needsFirstMotion).toBe(true);
  });

  it('lets an arm down, as a ramp, that has held on to its goal while its cable was out', async () => {
    const { rig, state } = await opened();
    const { driver, line, robot } = rig;
    driver.torque(1);
    run(rig, state, 5);
    line.unplug();
    run(rig, state, 4);
    driver.torque(0);
    line.plug();
    const shoulder = (rig.bus as FeetechBus).servos[1]!;
    // The cable was pulled in the middle of an earlier ramp.
    shoulder.registers.set('torqueLimit', 200);
    const caps: number[] = [];
    const write = line.write.bind(line);
    line.write = (bytes, length) => {
      if (shoulder.isTorqueOn) caps.push(shoulder.registers.get('torqueLimit'));
      return write(bytes, length);
    };
    const startS = line.clock.nowS();
    driver.service('recover');
    expect(shoulder.isTorqueOn).toBe(false);
    expect(line.clock.nowS() - startS).toBeGreaterThan(robot.exitRampS!);
    expect(Math.max(...caps)).toBe(200);
    expect(caps.at(-1)).toBeLessThan(0.1 * caps[0]!);
    expect(caps.every((cap, k) => k === 0 || cap <= caps[k - 1]!)).toBe(true);
    expect(driver.takeNotice()).toMatchObject({ row: 10, message: expect.stringContaining('answer again') });
  });

  it('counts on from where it was, and says what its new line has to say, where the cable is back', async () => {
    const { rig, state } = await opened();
    const { driver, line } = rig;
    run(rig, state, 20);
    line.unplug();
    run(rig, state, 4);
    const before = Float64Array.from(driver.report.busCounters);
    Object.assign(line, { warning: { message: 'It gathers bytes.', remedy: 'echo 1' } });
    line.plug();
    driver.service('recover');
    run(rig, state, 1);
    for (const name of ['requests', 'replies', 'timeouts', 'sentBytes', 'receivedBytes', 'skippedBytes'] as const) {
      expect(driver.report.busCounters[BUS[name]], name).toBeGreaterThanOrEqual(before[BUS[name]]!);
    }
    expect(driver.report.busCounters[BUS.replies]).toBeGreaterThan(before[BUS.replies]!);
    const said = [driver.takeNotice(), driver.takeNotice()].map((notice) => notice?.message);
    expect(said).toContain('It gathers bytes.');
    expect(said).toContainEqual(expect.stringContaining('answer again'));
  });

  it('wants a first motion of a servo that was silent, whose supply may have been off', async () => {
    const { rig, state } = await opened();
    rig.driver.service('passFirstMotion');
    rig.bus.faultsOf(3)!.isDead = true;
    run(rig, state, 6, false);
    expect(rig.driver.report.needsFirstMotion).toBe(false);
    rig.bus.faultsOf(3)!.isDead = false;
    rig.driver.service('recover');
    expect(rig.driver.report.needsFirstMotion).toBe(true);
  });

  it('does not wait for the end of a line that never falls silent', async () => {
    const { rig, state } = await opened();
    let reads = 0;
    rig.line.read = (into, at) => {
      if (reads++ > 1e4) throw new Error('read without end');
      into.fill(0x55, at);
      return into.length - at;
    };
    expect(run(rig, state, 1, false)).toEqual(['lost']);
  });

  it('drives SCS servos, which are read one by one, highest byte first, and counts a dead one once for each question', async () => {
    // SCS servos cover 300 degrees: a joint that turns further has a gear.
    const geared = { model: 'scs0009', perTurn: 3 * Math.PI };
    const motors = servoOptionsOf(rigOf().robot).motors.map((motor) => ({ ...motor, ...geared }));
    const { rig, state } = await opened({ options: { motors } });
    const { driver, body, bus, robot } = rig;
    driver.torque(1);
    const reference = Float64Array.from(robot.homeRad) as typeof state.positionRad;
    reference[1] = reference[1]! + 0.2;
    for (let tick = 0; tick < 60; tick++) {
      rig.endOfTick();
      expect(driver.read(state)).toBe('ok');
      expect(driver.write(reference)).toBe('ok');
    }
    // A count is 0.005 rad, and the servo yields under the arm.
    expect(Math.abs(body.positionRad[1]! - reference[1]!)).toBeLessThan(0.05);
    expect(Math.abs(state.positionRad[1]! - body.positionRad[1]!)).toBeLessThan(0.01);
    const before = driver.report.busCounters[BUS.timeouts]!;
    bus.faultsOf(3)!.isDead = true;
    rig.endOfTick();
    expect(driver.read(state)).toBe('late');
    expect(driver.report.busCounters[BUS.timeouts]! - before).toBeLessThanOrEqual(2);
  });

  it('waits no longer than its tick for what a servo does not say of itself, however slow its adapter may be', async () => {
    const { rig, state } = await opened({ options: { answerMs: 50 } });
    const { driver, line, faults, robot } = rig;
    const write = line.write.bind(line);
    line.write = (bytes, length) => {
      faults.requests.drop = bytes[4] === feetech.INSTRUCTION.read ? 1 : 0;
      return write(bytes, length);
    };
    for (let tick = 0; tick < 5; tick++) {
      rig.endOfTick();
      const startS = line.clock.nowS();
      expect(driver.read(state)).toBe('ok');
      expect(line.clock.nowS() - startS).toBeLessThan(0.85 / robot.controlHz);
    }
  });

  it('says to what it caps the torque of its joints, and nothing of what grips', async () => {
    const { driver, robot } = rigOf();
    const { stallTorqueNm } = feetechFamily.models['sts3215']!;
    const { motors } = robot.driver as unknown as { motors: Record<string, { torqueRatio: number }> };
    const wanted = robot.joints.map(({ name }) => motors[name]!.torqueRatio * stallTorqueNm);
    expect(driver.facts.torqueCapNm).toEqual([...wanted.slice(0, 5), Number.POSITIVE_INFINITY]);
  });

  it('says within 100 ms what a servo reports, by name, and that it is over', async () => {
    const { rig, state } = await opened();
    rig.driver.torque(1);
    run(rig, state, 30);
    expect(rig.driver.report.hardwareFaults).toBe(0);
    rig.bus.faultsOf(2)!.isOverloaded = true;
    run(rig, state, 5);
    expect(rig.driver.report.hardwareFaults & HARDWARE.servoFault).toBe(HARDWARE.servoFault);
    expect(rig.driver.takeNotice()).toMatchObject({
      row: 13,
      message: expect.stringContaining('Servo 2 (shoulder_lift) reports'),
    });
    expect(rig.driver.takeNotice()).toBeUndefined();
    rig.bus.faultsOf(2)!.isOverloaded = false;
    rig.driver.torque(0);
    run(rig, state, 2, false);
    rig.driver.torque(1);
    run(rig, state, 5);
    expect(rig.driver.report.hardwareFaults).toBe(0);
  });

  // Independent of the servo whose turn it is.
  it.each([30, 33])(
    'names what a servo only announces, in the tick in which it does, be it the %ith',
    async (ticks) => {
      const { rig, state } = await opened({ robot: 'koch', family: dynamixelFamily });
      rig.driver.torque(1);
      run(rig, state, ticks);
      rig.bus.faultsOf(2)!.isOverloaded = true;
      for (let tick = 0; tick < 5 && rig.driver.report.hardwareFaults === 0; tick++) run(rig, state, 1);
      expect(rig.driver.takeNotice()).toMatchObject({
        row: 13,
        message: 'Servo 2 (shoulder_lift) reports overload.',
      });
      run(rig, state, 30);
      expect(rig.driver.takeNotice()).toBeUndefined();
    },
  );

  it('is set up again where a bus watchdog ran out while torque was being let down', async () => {
    const { rig, state } = await opened({ robot: 'koch', family: dynamixelFamily });
    rig.driver.torque(1);
    run(rig, state, 30);
    rig.driver.torque(0.5);
    rig.line.wait(rig.line.clock.nowS() + 0.4);
    const { servos } = rig.bus as DynamixelBus;
    expect(servos.map(({ registers }) => registers.get('busWatchdog'))).toContain(-1);
    rig.driver.torque(0);
    run(rig, state, 5, false);
    expect(rig.driver.service('prepare')).toBe('done');
    rig.driver.torque(1);
    run(rig, state, 30);
    expect(rig.driver.report.hardwareFaults).toBe(0);
  });

  it('tells of a servo that says where it is, and for 5 s nothing else', async () => {
    const { rig, state } = await opened();
    rig.driver.torque(1);
    run(rig, state, 30);
    const { line } = rig;
    const write = line.write.bind(line);
    let isDeaf = true;
    // Requests of one servo: id, length, READ.
    line.write = (bytes, length) => (isDeaf && bytes[2] === 4 && bytes[4] === 2 ? 'ok' : write(bytes, length));
    run(rig, state, 4.5 * 50);
    expect(rig.driver.report.hardwareFaults).toBe(0);
    run(rig, state, 1.5 * 50);
    expect(rig.driver.report.hardwareFaults).toBe(HARDWARE.servoFault);
    expect(rig.driver.takeNotice()).toMatchObject({
      row: 13,
      message: expect.stringMatching(/^Servo 4 \(wrist_flex\) reports its position, but no longer its temperature/),
    });
    isDeaf = false;
    run(rig, state, 30);
    expect(rig.driver.report.hardwareFaults).toBe(0);
  });

  it('finds a servo that started anew: its torque is off, and its cap that of the factory', async () => {
    const { rig, state } = await opened();
    rig.driver.torque(1);
    run(rig, state, 30);
    rig.bus.powerCycle();
    run(rig, state, 15);
    expect(rig.driver.report.hardwareFaults & (HARDWARE.servoReset | HARDWARE.torqueCap)).not.toBe(0);
    expect(rig.driver.takeNotice()).toMatchObject({ level: 'error', remedy: expect.stringContaining('power') });
    // Switching torque on again rewrites everything.
    rig.driver.torque(0);
    expect(rig.driver.service('prepare')).toBe('done');
    rig.driver.torque(1);
    run(rig, state, 30);
    expect(rig.driver.report.hardwareFaults).toBe(0);
  });

  it('calls a joint stalled that gives its cap and does not get there, after its time and not before', async () => {
    const { rig, state } = await opened();
    rig.driver.torque(1);
    run(rig, state, 5);
    // The joint is blocked: it stays, whatever is commanded.
    const held = rig.body.positionRad[2]!;
    const beyond = Float64Array.from(state.positionRad);
    beyond[2] = beyond[2]! + 0.3;
    let ticks = 0;
    for (; ticks < 100 && (rig.driver.report.hardwareFaults & HARDWARE.stalled) === 0; ticks++) {
      rig.endOfTick();
      rig.body.positionRad[2] = held;
      rig.body.velocityRadPerS[2] = 0;
      rig.driver.read(state);
      rig.driver.write(beyond as typeof state.positionRad);
    }
    expect(ticks / 50).toBeGreaterThan(0.45);
    expect(ticks / 50).toBeLessThan(0.9);
    expect(rig.driver.takeNotice()).toMatchObject({ row: 37, message: expect.stringContaining('elbow_flex') });
  });

  it('caps torque where the file says, and lets it fall and come back', async () => {
    const { rig, state } = await opened();
    const caps = (): number[] => (rig.bus as FeetechBus).servos.map(({ registers }) => registers.get('torqueLimit'));
    expect(caps()).toEqual([600, 800, 800, 600, 600, 400]);
    rig.driver.torque(1);
    rig.driver.torque(0.5);
    run(rig, state, 1);
    expect(caps()).toEqual([300, 400, 400, 300, 300, 200]);
    // A cap that was lowered on purpose is no fault.
    run(rig, state, 30);
    expect(rig.driver.report.hardwareFaults).toBe(0);
    rig.driver.torque(1);
    run(rig, state, 1);
    expect(caps()).toEqual([600, 800, 800, 600, 600, 400]);
  });

  it('measures what else hangs on the bus as signals, and knows fixed ones', async () => {
    const { rig, state } = await opened({
      signalNames: ['buttonZM', 'buttonXM'],
      options: {
        signals: [
          { name: 'buttonXM', value: 0.24 },
          { name: 'buttonZM', id: 7, model: 'sts3215', zeroCounts: 100, perCount: 0.0001 },
        ],
      },
    });
    rig.body.signals.set('buttonZM', 0.0123);
    run(rig, state, 2);
    expect(state.signals[0]).toBeCloseTo(0.0123, 4);
    expect(state.signals[1]).toBe(0.24);
  });
});
