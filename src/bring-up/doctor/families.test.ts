import { expect, it } from 'vitest';
import { emulatorKind, SimpleBody } from '../../../packages/emulate/src/index.ts';
import { MemoryLine } from '../../../packages/emulate/src/memory-line.ts';
import { loadRobotFile } from '../../config/index.ts';
import { DYNAMIXEL_BAUDS } from '../../drivers/serial.ts';
import { Rng } from '../../model/index.ts';
import { requireServoArm } from '../families.ts';
import { servoProblems } from '../servo-problems.ts';
import { inspectBus } from './bus-findings.ts';

it.each(['so101', 'koch', 'viperx'])(
  'finds the servos of %s, whatever their family, and none that the file does not want',
  async (name) => {
    const { robot } = loadRobotFile(name);
    const arm = { ...requireServoArm(robot, 'look at'), calibration: '/none.json' };
    const body = new SimpleBody(robot.homeRad.map((startRad) => ({ startRad })));
    const { baud } = arm.driver;
    const bus = emulatorKind(robot.driver.kind).create({ robot, body, baud, rng: new Rng(1) });
    const { findings, next } = await inspectBus({
      arm,
      open: async ({ baud: hostBaud }) => {
        const line = new MemoryLine(bus, { baud, hostBaud });
        return { line, adapter: 'EMU0001', answerS: 0.004, warning: undefined, close: async () => line.close() };
      },
    });
    expect(findings.filter(({ status }) => status !== 'ok').map(({ name: of }) => of)).toEqual(['calibration']);
    expect(findings).toHaveLength(2 + arm.servos.length);
    expect(next).toBe(`rein calibrate --robot ${name}`);
  },
);

it('tries every speed that a Dynamixel can have, those of arms and of new servos first', () => {
  const { bauds } = requireServoArm(loadRobotFile('koch').robot, 'look at').bus;
  expect(bauds.slice(0, 2)).toEqual([1_000_000, 57_600]);
  expect([...bauds].sort((a, b) => a - b)).toEqual(DYNAMIXEL_BAUDS);
});

it('misses the second servo of a joint as it misses the first', () => {
  const arm = requireServoArm(loadRobotFile('viperx').robot, 'look at');
  const found = arm.servos.map(({ id, model }) => ({
    id,
    model,
    identity: { modelNumber: model.modelNumber, firmware: '46' },
    protocol: arm.bus.family.protocolOf([model]),
    collisions: 0,
    hasEcho: false,
  }));
  expect(servoProblems(arm, found)).toEqual([]);
  const [problem] = servoProblems(
    arm,
    found.filter(({ id }) => id !== 5),
  );
  expect(problem).toMatchObject({ id: 5, kind: 'missing', message: 'Servo 5 (elbow, second servo) does not answer.' });
});
