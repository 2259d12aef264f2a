import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { rosOptions } from '../../../tests/support/fake-ros-link.ts';
import { faultRow } from '../../../tests/support/fault-row.ts';
import { ur5eLike } from '../../../tests/support/robot-models.ts';
import { MemoryGraph } from '../../../tests/support/ros-memory/memory-graph.ts';
import { memoryPorts } from '../../../tests/support/ros-memory/memory-port.ts';
import { StandInArm } from '../../../tests/support/ros-memory/stand-in-arm.ts';
import { until } from '../../../tests/support/until.ts';
import { COMMAND, COMMAND_KIND, commandNumbers, ROS_MESSAGE, type RosAnswer, STATE } from '../../drivers/index.ts';
import { SystemClock } from '../../model/index.ts';
import type { GuardNotice } from '../../rows/index.ts';
import type { RosPort } from '../port/ros-port.ts';
import { Bridge } from './bridge.ts';

const FORWARD = 'forward_position_controller';
const SCALED = 'scaled_joint_trajectory_controller';
const LIFE = 1;
const joints = ur5eLike.joints.map(({ name }) => name);
const clock = new SystemClock();

let graph: MemoryGraph;
let arm: StandInArm;
let port: RosPort;
let bridge: Bridge;
let notices: GuardNotice[];
let answers: Map<number, RosAnswer>;
let isUnfit: boolean;
let asked: number;

beforeEach(() => {
  [graph, notices, answers, isUnfit, asked] = [new MemoryGraph(), [], new Map(), false, 0];
});
afterEach(async () => {
  bridge.close();
  await port.close();
  await arm.close();
});

describe('a forward controller that has the joints in another order', () => {
  it('is not activated and not commanded: the refusal names both orders', async () => {
    const alphabetical = [...joints].sort();
    await open({ [FORWARD]: { joints: alphabetical, isActive: false } });
    const said = await prepare();
    expect(said).toMatchObject({ ok: false, reason: expect.stringContaining(alphabetical.join(', ')) });
    expect(said).toMatchObject({ reason: expect.stringContaining(joints.join(', ')) });
    expect(arm.switches).toEqual([]);
    drive();
    await aMoment();
    expect([arm.taken, arm.leapRad]).toEqual([0, 0]);
  });

  it('is refused as well where it is active already', async () => {
    await open({ [FORWARD]: { joints: [...joints].reverse(), isActive: true } });
    expect(await prepare()).toMatchObject({ ok: false, reason: expect.stringContaining('would throw the arm') });
  });
});

describe('another controller that has the joints', () => {
  it('is named with what to do, and keeps them', async () => {
    await open({ [FORWARD]: { joints, isActive: false }, [SCALED]: { joints, isActive: true } });
    const said = await prepare();
    expect(said).toMatchObject({ ok: false, reason: expect.stringContaining(`${SCALED} holds ${joints.join(', ')}`) });
    expect(said).toMatchObject({ reason: expect.stringContaining(`deactivate: [${SCALED}]`) });
    expect(arm.switches).toEqual([]);
  });

  it('is named, too, where the file leaves switching to people', async () => {
    const manager = { activateOnEnable: false };
    await open({ [FORWARD]: { joints, isActive: false }, [SCALED]: { joints, isActive: true } }, manager);
    const command = `ros2 control switch_controllers -c controller_manager --deactivate ${SCALED} --activate ${FORWARD}`;
    expect(await prepare()).toMatchObject({ ok: false, reason: expect.stringContaining(command) });
  });

  it('gives them up where the file lists it under `deactivate`, in one switch', async () => {
    const manager = { deactivate: [SCALED, 'joint_trajectory_controller'] };
    await open({ [FORWARD]: { joints, isActive: false }, [SCALED]: { joints, isActive: true } }, manager);
    expect(await prepare()).toEqual({ ok: true });
    expect(arm.switches).toMatchObject([{ activate_controllers: [FORWARD], deactivate_controllers: [SCALED] }]);
    expect([...arm.controllers.values()].map(({ isActive }) => isActive)).toEqual([true, false]);
  });
});

faultRow(
  10,
  'fake',
  'a controller that is taken away is noticed within a second or two, and meets no command later',
  async () => {
    await open({ [FORWARD]: { joints, isActive: true }, [SCALED]: { joints, isActive: false } });
    expect(await prepare()).toEqual({ ok: true });
    drive();
    await until(() => arm.taken > 0, 'a command');
    expect(isUnfit).toBe(false);
    arm.hand(FORWARD, SCALED);
    const takenAtMs = performance.now();
    const notice = await until(() => notices.find(({ condition }) => condition === 'bridge/controllers'), 'a notice');
    expect(performance.now() - takenAtMs).toBeLessThan(2500);
    expect(notice.message).toBe(
      `${FORWARD} is not active any more: ${SCALED} holds ${joints.join(', ')}. The robot is stopped.`,
    );
    await until(() => isUnfit, 'what the guard stops by');
    const { taken } = arm;
    arm.hand(SCALED, FORWARD);
    drive();
    await aMoment();
    expect(arm.taken).toBe(taken);
    // After another `prepare` it is fit, and the condition is over.
    expect(await prepare()).toEqual({ ok: true });
    expect([isUnfit, notices.at(-1)?.isOver]).toEqual([false, true]);
  },
);

it('is prepared with a warning where the controller manager does not say the order', async () => {
  await open({ [FORWARD]: { joints: [], isActive: true } });
  expect(await prepare()).toEqual({ ok: true });
  expect(notices.filter(({ message }) => message.includes('The joint order of'))).toHaveLength(1);
});

async function open(
  controllers: Record<string, { joints: readonly string[]; isActive: boolean }>,
  manager = {},
): Promise<void> {
  arm = await StandInArm.start(graph, joints, controllers);
  port = await memoryPorts(graph)({ nodeName: 'rein_bridge', onFault: () => undefined });
  const options = rosOptions(ur5eLike, 'position', {
    command: { ...rosOptions(ur5eLike).command, topic: `${FORWARD}/commands` },
    freshnessMs: 200,
    controllerManager: {
      name: 'controller_manager',
      controllers: [FORWARD],
      activateOnEnable: true,
      deactivate: [],
      deactivateOnStop: false,
      ...manager,
    },
  });
  const toGuard = {
    ready: () => undefined,
    state: (row: Float64Array) => {
      isUnfit = row[STATE.unfit] === 1;
      return true;
    },
    answer: (id: number, answer: RosAnswer) => void answers.set(id, answer),
    notice: (notice: GuardNotice) => void notices.push(notice),
    failed: () => undefined,
    acted: () => undefined,
  };
  const config = { model: ur5eLike, options, rosArguments: [], inbox: '' };
  bridge = new Bridge({ port, config, generation: LIFE, toGuard, clock });
  port.start();
  bridge.start();
}

async function prepare(): Promise<RosAnswer> {
  const id = ++asked;
  const request = { id, generation: LIFE, request: { kind: 'prepare' } };
  bridge.receive(ROS_MESSAGE.request, Buffer.from(JSON.stringify(request)));
  return until(() => answers.get(id), 'an answer');
}

/** Commands 0.1 rad for every joint. */
function drive(): void {
  const command = new Float64Array(commandNumbers(rosOptions(ur5eLike))).fill(0.1);
  command[COMMAND.generation] = LIFE;
  command[COMMAND.seq] = ++asked;
  command[COMMAND.issuedAtS] = clock.nowS();
  command[COMMAND.kind] = COMMAND_KIND.drive;
  bridge.receive(ROS_MESSAGE.command, new Uint8Array(command.buffer));
}

function aMoment(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 50));
}
