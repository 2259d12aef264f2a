/** The guard's driver on a real ROS 2, with a robot in rclpy on the other side: rows 10, 25 and 33 with their numbers. */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { afterEach, expect, it, vi } from 'vitest';
import type { RosDriverOptions } from '../../src/drivers/index.ts';
import type { GuardNotice } from '../../src/rows/index.ts';
import { faultsOf } from '../../src/safety/index.ts';
import { rosOptions } from '../support/fake-ros-link.ts';
import { mockAction, mockModel } from '../support/mock-guard.ts';
import { describeRos, RosProcess } from '../support/ros.ts';
import { until } from '../support/until.ts';

// Programs of three kinds start in each, on a machine that others test on.
vi.setConfig({ testTimeout: 90_000 });

const DIST = '../../dist';
const CONTROLLER = 'forward_position_controller';
const programs = {
  bridgeModule: fileURLToPath(new URL(`${DIST}/ros/bridge/bridge-process.js`, import.meta.url)),
  stopperModule: fileURLToPath(new URL(`${DIST}/ros/bridge/stopper-process.js`, import.meta.url)),
  rosArguments: [],
};
// Twice the usual freshness: other tests use the machine, too.
const plain = rosOptions(mockModel, 'position', { freshnessMs: 50 });
const options: RosDriverOptions = {
  ...plain,
  command: { ...plain.command, topic: `${CONTROLLER}/commands` },
  controllerManager: {
    name: 'controller_manager',
    controllers: [CONTROLLER],
    activateOnEnable: true,
    deactivate: [],
    deactivateOnStop: true,
  },
};

describeRos('a robot behind ROS 2', () => {
  type Guard = Awaited<ReturnType<typeof openGuard>>;
  let robot: RosProcess;
  let guard: Guard | undefined;
  let half: ChildProcess | undefined;
  const notices: GuardNotice[] = [];

  afterEach(async () => {
    await guard?.close();
    guard = undefined;
    half?.kill('SIGKILL');
    await robot.kill('SIGKILL');
  });

  it('is enabled through its controller manager, follows commands by name, and is let go', async () => {
    const { before, guard } = await moving();
    await push(guard, 10);
    expect(guard.latest.robot.positionRad[5]! - before[5]!).toBeGreaterThan(0.01);
    expect(guard.latest.violations).toBe(0);
    await guard.request({ kind: 'stop' });
    await until(() => guard.latest.state === 'stopped', 'a stop');
    await guard.request({ kind: 'disable' });
    await robot.printed(/DEACTIVATED/);
  });

  it('row 10: brakes and stops when its joint states fall silent', async () => {
    const { guard } = await moving();
    robot.child.stdin?.write('silent\n');
    await keepPushing(guard, () => guard.latest.state === 'fault');
    expect(rows(guard)).toContain(10);
    expect(guard.latest.violations).toBe(0);
    expect(await guard.request({ kind: 'enable' })).toMatchObject({ ok: false });
  });

  it('rows 10 and 25 (A9): is stopped and let go past a bridge that is killed; the bridge comes back in standby', async () => {
    const { guard } = await moving();
    const killedAtS = nowS();
    process.kill(guard.rosPids!.bridge!, 'SIGKILL');
    const stop = await until(() => holdsOf(robot, 3)[0], 'holds that repeat');
    await robot.printed(/DEACTIVATED/);
    // Less than 50 ms on a machine that does nothing else; others test on this one.
    expect(stop.atS - killedAtS).toBeLessThan(0.25);
    await until(() => guard.latest.state === 'fault', 'a fault');
    expect(rows(guard)).toContain(10);
    await until(() => notices.some(({ message }) => message.includes('is back')), 'the bridge to come back', 20_000);
    expect(notices.filter(({ level }) => level === 'error').map(({ row }) => row)).toContain(25);
    const commands = commandsOf(robot).length;
    await push(guard, 5);
    expect(commandsOf(robot)).toHaveLength(commands);
    expect(await guard.request({ kind: 'acknowledge' })).toEqual({ ok: true });
    await guard.advance(5);
    expect(await guard.request({ kind: 'enable' })).toEqual({ ok: true });
  });

  it('row 25: is stopped and let go when the guard is killed', async () => {
    robot = await startRobot();
    half = fork(fileURLToPath(new URL('../support/ros-half-guard.js', import.meta.url)), [
      JSON.stringify({ model: mockModel, options, ...programs }),
      '1',
    ]);
    await once(half, 'message');
    // Discovery.
    await new Promise((resolve) => setTimeout(resolve, 1500));
    const killedAtS = nowS();
    half.kill('SIGKILL');
    const stop = await until(() => holdsOf(robot, 3)[0], 'holds that repeat');
    console.log(`guard killed → first stop at the robot: ${((stop.atS - killedAtS) * 1e3).toFixed(1)} ms`);
    expect(stop.atS - killedAtS).toBeLessThan(0.25);
    expect(stop.numbers.map((value) => Number(value.toFixed(6)))).toEqual(
      mockModel.homeRad.map((value) => Number(value.toFixed(6))),
    );
  });

  it('is not enabled when its controller manager refuses', async () => {
    robot = await startRobot();
    robot.child.stdin?.write('refuse\n');
    guard = await openGuard(options);
    expect(await refusal(guard)).toContain(`refused to activate ${CONTROLLER}`);
  });

  it('is not enabled when there is no such controller', async () => {
    robot = await startRobot();
    guard = await openGuard({ ...options, controllerManager: { ...manager(), controllers: ['arm_controller'] } });
    expect(await refusal(guard)).toBe(`There is no controller named arm_controller; there are ${CONTROLLER}.`);
  });

  it('is not enabled when nobody listens to its commands', async () => {
    robot = await startRobot();
    guard = await openGuard(plain);
    expect(await refusal(guard)).toContain('No subscriber on /commands');
  });

  it('is waited for when a joint is missing, and says which', async () => {
    robot = await startRobot({ names: mockModel.joints.map(({ name }) => (name === 'elbow' ? 'ellbow' : name)) });
    guard = await openGuard(options);
    await until(() => notices.find(({ row }) => row === 10), 'a notice');
    expect(notices.find(({ row }) => row === 10)?.message).toMatch(
      /\/joint_states has no joint named elbow; it has .*ellbow/,
    );
    expect(guard.latest.state).toBe('disconnected');
  });

  it('row 33: says aloud that its controller cannot hear it', async () => {
    robot = await startRobot({ more: ['latched'] });
    guard = await openGuard(options);
    await until(() => notices.find(({ row }) => row === 33), 'a notice');
    const notice = notices.find(({ row }) => row === 33)!;
    expect(notice.message).toContain(`/${CONTROLLER}/commands`);
    expect(notice.message).toContain('transient local');
  });

  async function startRobot({ names = mockModel.joints.map(({ name }) => name), more = [] as string[] } = {}) {
    const script = fileURLToPath(new URL('../support/ros_robot.py', import.meta.url));
    const made = new RosProcess('python3', [script, JSON.stringify([names, mockModel.homeRad]), ...more]);
    await made.printed(/READY/);
    return made;
  }

  async function openGuard(driver: RosDriverOptions) {
    const { startWorkerGuard } = (await import(
      `${DIST}/guard/worker-link.js`
    )) as typeof import('../../src/guard/worker-link.ts');
    const made = await startWorkerGuard({
      model: mockModel,
      action: mockAction,
      policyPeriodS: 0.1,
      driver: { name: 'ros', options: driver, processes: programs },
      socketPath: '',
      authority: 'node',
      realTimePriority: 'try',
    });
    notices.length = 0;
    made.onNotice((notice) => notices.push(notice));
    return made;
  }

  async function moving() {
    robot = await startRobot();
    guard = await openGuard(options);
    const made = guard;
    await until(() => made.latest.state === 'standby', 'standby');
    expect(await made.request({ kind: 'enable' })).toEqual({ ok: true });
    await made.advance(2);
    expect(await made.request({ kind: 'activate' })).toEqual({ ok: true });
    const before = Array.from(made.latest.robot.positionRad);
    await push(made, 3);
    return { guard: made, before };
  }

  async function refusal(asked: Guard): Promise<string> {
    await until(() => asked.latest.state === 'standby', 'standby');
    const answer = await asked.request({ kind: 'enable' });
    if (answer.ok) throw new Error('it was enabled');
    return answer.reason;
  }

  async function push(driven: Guard, steps: number): Promise<void> {
    const { createActionCommand } = (await import(
      `${DIST}/guard/link/frames.js`
    )) as typeof import('../../src/guard/link/frames.ts');
    const command = createActionCommand(mockAction.dimensions.length);
    for (let i = 0; i < steps; i++) {
      command.seq = ++sent;
      command.decider = 'policy';
      command.issuedAtS = nowS();
      command.leaseS = 0.3;
      command.action.fill(0.2);
      driven.send(command);
      await driven.advance(10);
    }
  }
  let sent = 0;

  async function keepPushing(driven: Guard, isDone: () => boolean): Promise<void> {
    for (let i = 0; i < 100 && !isDone(); i++) await push(driven, 1);
  }
});

function manager(): NonNullable<RosDriverOptions['controllerManager']> {
  if (options.controllerManager === undefined) throw new Error('no manager');
  return options.controllerManager;
}

interface Heard {
  readonly atS: number;
  readonly numbers: readonly number[];
}

function commandsOf(robot: RosProcess): readonly Heard[] {
  const lines = robot.stdout.split('\n').slice(0, -1);
  return lines
    .filter((line) => line.startsWith('COMMAND'))
    .map((line) => {
      const [atS, ...numbers] = line.split(' ').slice(1).map(Number);
      return { atS: atS!, numbers };
    });
}

/** The last commands, where at least `least` of them in a row are the same. */
function holdsOf(robot: RosProcess, least: number): readonly Heard[] {
  const heard = commandsOf(robot);
  const last = heard.at(-1);
  if (last === undefined) return [];
  let from = heard.length;
  while (from > 0 && heard[from - 1]!.numbers.every((value, i) => value === last.numbers[i])) from--;
  return heard.length - from >= least ? heard.slice(from) : [];
}

function rows({ latest }: { readonly latest: { readonly faultFlags: number } }): readonly number[] {
  return faultsOf(latest.faultFlags).map((fault) => fault.row);
}

function nowS(): number {
  return Number(process.hrtime.bigint()) * 1e-9;
}
