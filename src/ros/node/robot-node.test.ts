import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { MemoryNode, soon } from '../../../tests/support/memory-node.ts';
import { memoryPorts } from '../../../tests/support/ros-memory/memory-port.ts';
import { TestRobot } from '../../../tests/support/session.ts';
import { ReinError } from '../../model/index.ts';
import { decodeJson, kindOf } from '../../rows/telemetry.ts';
import { STAGES } from '../../safety/chain-report.ts';
import type { LearnerWait } from '../../session/index.ts';
import type { PersonRequest, RunWatcher } from '../../session/person-request.ts';
import {
  Clock,
  DiagnosticArray,
  type DiagnosticStatus,
  Empty,
  Evaluate,
  Intervention,
  JointState,
  Joy,
  Mark,
  PolicyStatus,
  RobotEvent,
  RunEpisode,
  SafetyState,
  SavePolicy,
  State,
  Trigger,
} from '../messages/definitions.ts';
import { EVENT_QOS, LATCHED_QOS, type QosProfile } from '../port/qos.ts';

let ros: MemoryNode;
beforeEach(() => {
  ros = new MemoryNode();
});
afterEach(() => ros.close());

const CALL_MS = 30_000;
const ABSENT: LearnerWait = { state: 'absent', message: 'Waiting for the learner.', remedy: 'Start it.' };

function trigger(name: string): () => Promise<{ success: boolean; message: string }> {
  const client = ros.client(Trigger, `/rein/${name}`);
  return () => client.call({}, CALL_MS);
}

describe('the monitor', () => {
  /** Stands in for a page: packets received, and its operator's requests. */
  const packets: Uint8Array[] = [];
  let ask: (request: PersonRequest) => void;
  const watcher: RunWatcher = {
    packet: (packet) => void packets.push(packet),
    asks: (to) => {
      ask = to;
    },
  };
  const notices = (): string[] =>
    packets.flatMap((packet) => (kindOf(packet) === 'notice' ? [(decodeJson(packet) as { line: string }).line] : []));
  const comesTo = async (state: string): Promise<void> => {
    while (ros.node.session?.frame.state !== state) {
      await ros.robot.tick(10);
      await delay(1);
    }
  };
  const moves = (): Promise<void> => soon(() => (ros.node.session?.state.step ?? 0) > 2, 'motion');
  beforeEach(() => void packets.splice(0));

  it('begins nothing where somebody stops it while it lets the robot go on', async () => {
    await ros.make({ node: { watcher } });
    await ros.start();
    await ros.port.transition('configure');
    await ros.port.transition('activate');
    ask({ kind: 'start' });
    ask({ kind: 'stop' });
    for (let i = 0; i < 40; i++) {
      await ros.robot.tick(5);
      await delay(5);
    }
    expect(ros.node.session?.state).toMatchObject({ mode: expect.stringMatching(/idle|stopped/), step: 0 });
    ask({ kind: 'start' });
    await moves();
  });

  it('lets people move the robot with the leave that services have, and stop it', async () => {
    await ros.make({ node: { watcher } });
    await ros.start();
    await ros.port.transition('configure');
    for (const kind of ['start', 'reset'] as const) ask({ kind });
    await soon(() => notices().length === 2, 'the refusals');
    for (const line of notices())
      expect(line).toBe('/rein is inactive and may not move: ros2 lifecycle set /rein activate.');
    await ros.port.transition('activate');
    ask({ kind: 'start' });
    await moves();
    ask({ kind: 'stop' });
    await comesTo('stopped');
    ask({ kind: 'reset' });
    await comesTo('ready');
    expect(ros.node.session?.state.mode).toBe('idle');
    ask({ kind: 'start' });
    await moves();
    expect(packets.map(kindOf)).toEqual(expect.arrayContaining(['run', 'frame', 'status', 'session']));
  });

  it('shows each session that the lifecycle opens, and none may be moved between them', async () => {
    await ros.make({ node: { watcher } });
    await ros.activate();
    await ros.port.transition('deactivate');
    await ros.port.transition('cleanup');
    await ros.node.opened();
    ask({ kind: 'start' });
    await soon(() => notices().length > 0, 'the refusal');
    expect(notices().at(-1)).toBe('/rein is not configured: ros2 lifecycle set /rein configure.');
    await ros.port.transition('configure');
    await ros.node.opened();
    expect(packets.filter((packet) => kindOf(packet) === 'run')).toHaveLength(2);
    await ros.port.transition('activate');
    ask({ kind: 'start' });
    await moves();
  });
});

describe('the lifecycle', () => {
  it('is configured and activated without a motion, and says so in its state', async () => {
    await ros.make();
    const states = ros.hear(State, '/rein/state');
    await ros.activate();
    expect(ros.port.lifecycleState).toBe('active');
    await ros.robot.tick(50);
    expect(ros.node.session?.frame.state).toBe('standby');
    await soon(() => states.length > 2, 'the state');
    expect(states.at(-1)).toMatchObject({ mode: 'idle', authority: 'hold', env_steps: 0n, learner: 'absent' });
    expect(states.at(-1)!.reference_rad).toHaveLength(6);
    expect(states.at(-1)!.tcp_pose).toHaveLength(7);
  });

  it('stops and holds when it is deactivated, and may move again after it was activated', async () => {
    await ros.make();
    const resume = trigger('resume');
    await ros.activate();
    expect(await resume()).toEqual({ success: true, message: 'Episode after episode, until ~/stop.' });
    await soon(() => (ros.node.session?.state.step ?? 0) > 2, 'motion');
    await ros.port.transition('deactivate');
    await ros.robot.tick(100);
    expect(ros.node.session?.frame.state).toBe('stopped');
    expect(await resume()).toEqual({
      success: false,
      message: '/rein is inactive and may not move: ros2 lifecycle set /rein activate.',
    });
    await ros.port.transition('activate');
    await soon(() => ros.node.session?.frame.state === 'ready', 'the reset');
    expect(ros.node.session?.state.mode).toBe('idle');
    expect((await resume()).success).toBe(true);
  });

  it('goes on moving when somebody asks for a transition that is not possible, and says so', async () => {
    await ros.make();
    const change = ros.client<object, { success: boolean }>(
      { name: 'lifecycle_msgs/srv/ChangeState' },
      '/rein/change_state',
    );
    await ros.activate();
    ros.node.session?.resume();
    await soon(() => (ros.node.session?.state.step ?? 0) > 2, 'motion');
    expect(await change.call({ transition: { id: 1, label: '' } }, CALL_MS)).toEqual({ success: false });
    expect(ros.events.at(-1)).toMatchObject({
      level: 'warn',
      name: 'refused',
      row: 0,
      message: 'change_state: the node is active, it cannot configure now',
    });
    await ros.robot.tick(20);
    expect(ros.node.session?.refusal).toBeUndefined();
    expect(ros.events.some(({ level }) => level === 'error')).toBe(false);
  });

  it('does not undo a stop of somebody else when it is activated again', async () => {
    await ros.make();
    const stop = trigger('stop');
    await ros.activate();
    ros.node.session?.runEpisode({ purpose: 'training' });
    await soon(() => (ros.node.session?.state.step ?? 0) > 2, 'motion');
    expect((await stop()).success).toBe(true);
    await ros.robot.tick(100);
    await ros.port.transition('deactivate');
    await ros.port.transition('activate');
    await delay(50);
    expect(ros.node.session?.frame.state).toBe('stopped');
  });

  it('closes its session on cleanup and opens a new one on configure', async () => {
    await ros.make();
    const stop = trigger('stop');
    await ros.start();
    await ros.port.transition('configure');
    const first = ros.node.session;
    await ros.port.transition('cleanup');
    await ros.node.opened();
    expect(ros.node.session).toBeUndefined();
    expect(await stop()).toEqual({
      success: false,
      message: '/rein is not configured: ros2 lifecycle set /rein configure.',
    });
    await ros.port.transition('configure');
    await ros.node.opened();
    expect(ros.node.session).toBeDefined();
    expect(ros.node.session).not.toBe(first);
  });

  it('ends with shutdown, once the session is closed', async () => {
    await ros.make();
    await ros.activate();
    await ros.port.transition('shutdown');
    expect(ros.port.lifecycleState).toBe('finalized');
    await soon(() => ros.isShutDown, 'the end');
    expect(ros.node.session).toBeUndefined();
  });

  it('refuses to be configured beside another node of its name, which is row 29', async () => {
    await ros.make();
    ros.graph.join('/rein');
    await ros.start();
    expect(await ros.port.transition('configure')).toBe('unconfigured');
    expect(ros.events.at(-1)).toMatchObject({ name: 'duplicateNode', row: 29, level: 'error' });
    expect(ros.events.at(-1)!.message).toContain('Another node is called /rein');
  });

  it('is not kept by what the graph still shows of one that died', async () => {
    await ros.make({ node: { staleNodes: () => 1 } });
    ros.graph.join('/rein');
    await ros.start();
    expect(await ros.port.transition('configure')).toBe('inactive');
  });

  it('refuses to be configured where the session cannot be opened, with the reason, and tries again', async () => {
    let isBroken = true;
    await ros.make();
    const open = ros.open;
    const error = new ReinError('driver', 'The cable is out.', { remedy: 'Plug it in, or give --out.' });
    ros.open = (...given) => (isBroken ? Promise.reject(error) : open(...given));
    await ros.start();
    expect(await ros.port.transition('configure')).toBe('unconfigured');
    const { message } = error;
    expect(ros.events.at(-1)).toMatchObject({ name: 'openFailed', message, remedy: 'Plug it in, or give out:=.' });
    await ros.node.opened();
    isBroken = false;
    await ros.port.transition('configure');
    await ros.node.opened();
    expect(await ros.port.transition('configure')).toBe('inactive');
  });

  it('is configured while its learner is waited for, says so, and goes on when it answers', async () => {
    let answer: () => void = () => undefined;
    let report: (wait: LearnerWait) => void = () => undefined;
    await ros.make({
      node: {
        beforeOpening: (_, onWait) => {
          report = onWait;
          onWait(ABSENT);
          return new Promise((resolve) => {
            answer = resolve;
          });
        },
      },
    });
    const [stop, resume] = [trigger('stop'), trigger('resume')];
    const arrays = ros.hear(DiagnosticArray, '/diagnostics');
    ros.node.start();
    await ros.node.openedOrWaiting();
    ros.port.start();
    ros.peer.start();
    expect(await ros.port.transition('configure')).toBe('inactive');
    expect(await ros.port.transition('activate')).toBe('active');
    for (const call of [stop, resume]) {
      expect(await call()).toEqual({ success: false, message: `${ABSENT.message} ${ABSENT.remedy}` });
    }
    await soon(() => partOf(arrays, 'learner link')?.level === 1, 'the diagnostic');
    expect(partOf(arrays, 'learner link')).toMatchObject({ message: ABSENT.message });
    report(ABSENT);
    report({ state: 'refused', message: 'It trains something else.', remedy: 'Give both the same.' });
    await soon(() => partOf(arrays, 'learner link')?.level === 2, 'the refusal');
    expect(ros.events.map(({ level, name }) => `${level} ${name}`)).toEqual([
      'warn learnerAwaited',
      'error learnerRefused',
    ]);
    answer();
    await ros.node.opened();
    expect((await resume()).success).toBe(true);
  });

  it('ends at once while its learner is waited for', async () => {
    await ros.make({
      node: {
        beforeOpening: (signal, onWait) => {
          onWait(ABSENT);
          return new Promise((_, reject) => signal.addEventListener('abort', () => reject(new Error('aborted'))));
        },
      },
    });
    ros.node.start();
    await ros.node.openedOrWaiting();
    await ros.node.close();
    expect(ros.events.map(({ name }) => name)).toEqual(['learnerAwaited']);
  });

  it('goes to error processing and back to unconfigured when the guard is lost', async () => {
    await ros.make();
    await ros.start();
    await ros.port.transition('configure');
    await ros.robot.link?.close();
    expect(await ros.port.transition('activate')).toBe('unconfigured');
    expect(ros.events.map((event) => event.name)).toContain('guardLost');
  });
});

describe('services', () => {
  it('stop, tell, and reset', async () => {
    await ros.make();
    const [stop, reset, start] = [trigger('stop'), trigger('reset'), trigger('start_episode')];
    const safety = ros.hear(SafetyState, '/rein/safety_state', LATCHED_QOS);
    await ros.activate();
    expect((await start()).success).toBe(true);
    expect((await start()).message).toBe('An episode is going on already. Stop it first.');
    await soon(() => (ros.node.session?.state.step ?? 0) > 1, 'motion');
    expect(await stop()).toEqual({ success: true, message: 'The robot brakes and holds, until ~/reset.' });
    await ros.robot.tick(100);
    await soon(() => safety.at(-1)?.state === 'stopped', 'the safety state');
    expect((await start()).message).toBe('The robot was stopped. Reset, then go on.');
    expect(await reset()).toEqual({ success: true, message: 'The robot holds and may move again.' });
    expect(await reset()).toEqual({ success: true, message: 'There was nothing to reset; the robot holds.' });
    expect((await start()).success).toBe(true);
    expect((await reset()).message).toBe('There was nothing to reset; the current activity continues.');
  });

  it('say that a fault stops the robot again as soon as it was reset', async () => {
    await ros.make();
    const reset = trigger('reset');
    await ros.start();
    await ros.port.transition('configure');
    await ros.port.transition('activate');
    const { driver } = ros.robot;
    const torque = driver.torque.bind(driver);
    driver.torque = (ratio) => {
      torque(ratio);
      if (ratio === 1) driver.inject('late', 20);
    };
    const { success, message } = await reset();
    expect(success).toBe(false);
    expect(message).toMatch(/^The robot does not go on: .*\(fault 10\)/);
  });

  it('mark an episode, save and roll back the policy, or say why not', async () => {
    await ros.make();
    const mark = ros.client(Mark, '/rein/mark');
    const save = ros.client(SavePolicy, '/rein/save_policy');
    const rollback = trigger('rollback_policy');
    await ros.activate();
    expect(await mark.call({ mark: 0, note: '' }, CALL_MS)).toEqual({
      success: false,
      message: 'Ignored: task insert judges success itself.',
    });
    expect((await mark.call({ mark: 7, note: '' }, CALL_MS)).message).toContain('mark is 7');
    expect(await save.call({ path: '' }, CALL_MS)).toEqual({
      success: true,
      message: 'Policy 7 is saved.',
      version: 7n,
      path: `${ros.robot.folder}/policy.onnx`,
    });
    expect(await save.call({ path: '/tmp/it.onnx' }, CALL_MS)).toMatchObject({ success: false, version: 0n });
    expect(await rollback()).toEqual({ success: false, message: 'There are no earlier weights to go back to.' });
  });

  it('refuse motion without anything that could decide', async () => {
    await ros.make({ hasPolicy: false });
    const [resume, start] = [trigger('resume'), trigger('start_episode')];
    await ros.activate();
    for (const call of [resume, start]) expect((await call()).message).toContain('Nothing can control the robot');
  });
});

describe('actions', () => {
  it('run an episode with feedback for each step', async () => {
    await ros.make();
    const client = ros.actionClient(RunEpisode, '/rein/run_episode');
    await ros.activate();
    const steps: number[] = [];
    const outcome = await client.send(
      { purpose: 'evaluation', max_steps: 5 },
      { timeoutMs: CALL_MS, onFeedback: ({ step, authority }) => void steps.push(authority === 'policy' ? step : -1) },
    );
    expect(outcome).toEqual({
      status: 'succeeded',
      result: { success: false, steps: 5, intervention_steps: 0, episode_return: 0, ended_by: 'time limit' },
    });
    expect(steps).toEqual([0, 1, 2, 3, 4]);
    expect(ros.node.session?.state.envSteps).toBe(0);
  });

  it('run a task that its file describes, whose goal the node draws for each episode', async () => {
    await ros.close();
    ros = new MemoryNode(new TestRobot({ task: 'reach' }));
    await ros.make();
    const client = ros.actionClient(RunEpisode, '/rein/run_episode');
    await ros.activate();
    const goals: number[][] = [];
    for (let i = 0; i < 2; i++) {
      const outcome = await client.send({ purpose: 'evaluation', max_steps: 3 }, { timeoutMs: CALL_MS });
      expect(outcome.result).toMatchObject({ steps: 3, ended_by: 'time limit' });
      goals.push([...ros.node.session!.frame.robot.signals]);
    }
    expect(ros.robot.setup.task.signalNames).toEqual(['goalXM', 'goalYM', 'goalZM']);
    for (const [k, { at, spread }] of [
      { at: 0.45, spread: 0.12 },
      { at: 0, spread: 0.2 },
      { at: 0.35, spread: 0.15 },
    ].entries()) {
      for (const goal of goals) expect(Math.abs(goal[k]! - at)).toBeLessThanOrEqual(spread);
    }
    expect(goals[0]).not.toEqual(goals[1]);
  });

  it('end canceled, without a stop, when they are canceled', async () => {
    await ros.make();
    const client = ros.actionClient(RunEpisode, '/rein/run_episode');
    await ros.activate();
    const canceling = new AbortController();
    const outcome = await client.send(
      { purpose: 'training', max_steps: 0 },
      { timeoutMs: CALL_MS, signal: canceling.signal, onFeedback: ({ step }) => step === 3 && canceling.abort() },
    );
    expect(outcome).toMatchObject({ status: 'canceled', result: { ended_by: 'canceled' } });
    await ros.robot.tick(5);
    expect(ros.node.session?.frame.state).toBe('ready');
  });

  it('end aborted with the reason when the robot is stopped', async () => {
    await ros.make();
    const client = ros.actionClient(RunEpisode, '/rein/run_episode');
    const stop = trigger('stop');
    await ros.activate();
    const outcome = client.send({ purpose: '', max_steps: 0 }, { timeoutMs: CALL_MS });
    await soon(() => (ros.node.session?.state.step ?? 0) > 2, 'motion');
    await stop();
    expect(await outcome).toMatchObject({ status: 'aborted', result: { ended_by: '~/stop was called' } });
  });

  it('evaluate with feedback for each episode', async () => {
    await ros.make();
    const client = ros.actionClient(Evaluate, '/rein/evaluate');
    await ros.activate();
    const done: number[] = [];
    const outcome = await client.send(
      { episodes: 2 },
      { timeoutMs: CALL_MS, onFeedback: (f) => void done.push(f.done) },
    );
    expect(outcome).toMatchObject({
      status: 'succeeded',
      result: {
        episodes: 2,
        successes: 0,
        success_rate: 0,
        low: 0,
        mean_steps: 80,
        successes_per_hour: 0,
        human_step_share: 0,
      },
    });
    expect(done).toEqual([1, 2]);
  });

  it('are refused while the node is inactive, while it is busy, and for a purpose that nobody knows', async () => {
    await ros.make();
    const client = ros.actionClient(RunEpisode, '/rein/run_episode');
    const send = (purpose: string): Promise<unknown> => client.send({ purpose, max_steps: 0 }, { timeoutMs: CALL_MS });
    await ros.start();
    await ros.port.transition('configure');
    await expect(send('training')).rejects.toThrow('refuses');
    await ros.port.transition('activate');
    await expect(send('dancing')).rejects.toThrow('refuses');
    expect(ros.events.at(-1)).toMatchObject({
      level: 'warn',
      name: 'goalRefused',
      message: '~/run_episode: purpose is "dancing", it must be training or evaluation.',
    });
    const activity = ros.node.session?.runEpisode({ purpose: 'training' });
    await expect(send('training')).rejects.toThrow('refuses');
    expect(ros.events.at(-1)?.message).toMatch(/^~\/run_episode: .* already\. Stop it first\.$/);
    activity?.cut('enough');
  });
});

/** Status of `part` in the newest array. */
function partOf(arrays: DiagnosticArray[], part: string): DiagnosticStatus | undefined {
  return arrays.at(-1)?.status.find(({ name }) => name === `rein: ${part}`);
}

describe('topics', () => {
  it('give joints by name at the rate of the guard, and of the parameter', async () => {
    for (const [jointStatesHz, expected] of [
      [0, 100],
      [25, 25],
    ] as const) {
      await ros.close();
      ros = await new MemoryNode().make({ node: { jointStatesHz } });
      const joints = ros.hear(JointState, '/joint_states');
      await ros.activate();
      const before = joints.length;
      for (let i = 0; i < 100; i++) await ros.robot.tick(1);
      await soon(() => joints.length - before >= expected, 'the joints');
      expect(joints.length - before).toBe(expected);
      expect(joints.at(-1)!.name).toEqual(ros.robot.setup.config.robot.joints.map(({ name }) => name));
      for (const values of [joints.at(-1)!.position, joints.at(-1)!.velocity]) expect(values).toHaveLength(6);
    }
  });

  it('say that a robot is simulated: in its state, in a diagnostic, in the frame of its joints and as it opens', async () => {
    await ros.make();
    const states = ros.hear(State, '/rein/state');
    const joints = ros.hear(JointState, '/joint_states');
    const arrays = ros.hear(DiagnosticArray, '/diagnostics');
    await ros.activate();
    const ticking = setInterval(() => void ros.robot.tick(1), 10);
    await soon(() => partOf(arrays, 'robot driver')?.level === 0 && joints.length > 0, 'the diagnostic');
    clearInterval(ticking);
    expect(states.at(-1)!.simulated).toBe(true);
    expect(joints.at(-1)!.header.frame_id).toBe('simulated');
    expect(partOf(arrays, 'robot driver')).toMatchObject({ message: 'The robot is simulated (mujoco).' });
    expect(ros.events.find(({ name }) => name === 'opened')?.message).toMatch(
      /^arm6, simulated \(mujoco\), is ready for insert/,
    );
  });

  it('say that a robot behind ROS is rehearsed, as long as its topics come from a simulation', async () => {
    const { setup } = ros.robot;
    const robot = { ...setup.config.robot, driver: { kind: 'ros' } };
    const real = { ...setup, config: { ...setup.config, robot } };
    await ros.make({ node: { setup: real, jointStatesHz: undefined } });
    const states = ros.hear(State, '/rein/state');
    const arrays = ros.hear(DiagnosticArray, '/diagnostics');
    await ros.activate();
    const ticking = setInterval(() => void ros.robot.tick(1), 10);
    const isSaid = (expected: boolean): Promise<void> =>
      soon(() => states.at(-1)?.simulated === expected, `simulated: ${expected}`);
    const tell = (condition: string, isOver: boolean): void =>
      ros.robot.link!.notify({ level: 'info', row: 0, message: condition, remedy: '', condition, isOver });
    await isSaid(false);
    tell('bridge/simulated', false);
    await isSaid(true);
    const SAID = 'The robot is simulated (behind its topics).';
    await soon(() => partOf(arrays, 'robot driver')?.message === SAID, 'the diagnostic');
    tell('bridge/simulated', true);
    await isSaid(false);
    tell('bridge/simulated', false);
    await isSaid(true);
    // The bridge's death ends its conditions.
    tell('bridge', false);
    await isSaid(false);
    clearInterval(ticking);
  });

  it('are not those of a simulated robot where another robot publishes the same joints, and it does not begin', async () => {
    await ros.make();
    const real = ros.publisher(JointState, '/joint_states');
    const message = JointState.create();
    const publish = (names: readonly string[]): void => {
      message.name = [...names];
      message.position = message.velocity = message.effort = new Float64Array(names.length);
      real.publish(message);
    };
    const names = ros.robot.setup.config.robot.joints.map(({ name }) => name);
    await ros.start();
    // A gripper's joints do not count.
    publish(['finger']);
    await delay(20);
    await ros.port.transition('configure');
    expect(ros.port.lifecycleState).toBe('inactive');
    publish([...names].reverse());
    await soon(() => ros.events.some(({ name }) => name === 'simulatedBesideRobot'), 'what is said');
    await soon(() => ros.port.lifecycleState === 'unconfigured', 'going back');
    const said = ros.events.filter(({ name }) => name === 'simulatedBesideRobot');
    expect(said).toHaveLength(1);
    expect(said[0]).toMatchObject({ level: 'error', message: expect.stringContaining('/peer publishes') });
    publish(names);
    await delay(20);
    await ros.port.transition('configure');
    expect(ros.port.lifecycleState).toBe('unconfigured');
  });

  it('are silent about joints that a ROS robot publishes itself', async () => {
    await ros.make({ node: { jointStatesHz: undefined } });
    await ros.activate();
    expect(ros.port.endpoints('/joint_states', 'publishers')).toEqual([]);
  });

  it('are offered so that everybody gets them, and late ones the safety state too', async () => {
    await ros.make();
    const qosOf = (topic: string): QosProfile | undefined => ros.port.endpoints(topic, 'publishers')[0]?.qos;
    for (const topic of ['/rein/state', '/rein/policy', '/joint_states', '/rein/events', '/diagnostics']) {
      expect(qosOf(topic), topic).toMatchObject({ reliability: 'reliable', durability: 'volatile' });
    }
    for (const topic of ['/rein/safety_state', '/rein/intervention']) {
      expect(qosOf(topic), topic).toMatchObject({ reliability: 'reliable', durability: 'transientLocal', depth: 1 });
    }
    expect(qosOf('/rein/events')?.depth).toBeGreaterThan(10);
  });

  it('tell a fault by row as safety state, event and diagnostic', async () => {
    await ros.make();
    const safety = ros.hear(SafetyState, '/rein/safety_state', LATCHED_QOS);
    const events = ros.hear(RobotEvent, '/rein/events', EVENT_QOS);
    const arrays = ros.hear(DiagnosticArray, '/diagnostics');
    await ros.activate();
    ros.node.session?.resume();
    await soon(() => (ros.node.session?.state.step ?? 0) > 1, 'motion');
    expect(safety.at(-1)).toMatchObject({ state: 'active.policy', decider: 'policy', fault_flags: 0 });
    expect(safety.at(-1)!.stages).toEqual([...STAGES]);
    expect(safety.at(-1)!.stage_ticks).toHaveLength(STAGES.length);
    expect(safety.at(-1)!.stage_margins.every((margin) => margin > 0 && margin <= 1)).toBe(true);
    expect(safety.at(-1)!.margin_min).toBeGreaterThan(0);
    ros.robot.driver.inject('lost', 1e9);
    await soon(() => safety.at(-1)?.fault_flags !== 0, 'the fault');
    expect(safety.at(-1)!.faults).toEqual(['The robot does not answer.']);
    expect([...safety.at(-1)!.fault_rows]).toEqual([10]);
    await soon(() => events.some((event) => event.row === 10), 'the event');
    expect(events.find((event) => event.row === 10)).toMatchObject({ level: 2, name: 'driverLost' });
    await soon(() => partOf(arrays, 'robot driver')?.level === 2, 'the diagnostic');
    expect(partOf(arrays, 'robot driver')).toMatchObject({
      message: 'The robot does not answer (fault 10).',
      hardware_id: 'robot1',
    });
  });

  it('tell no error of a driver that ends while the node does', async () => {
    await ros.make();
    const events = ros.hear(RobotEvent, '/rein/events', EVENT_QOS);
    await ros.activate();
    ros.node.session?.resume();
    await soon(() => (ros.node.session?.state.step ?? 0) > 1, 'motion');
    const closed = ros.node.close();
    ros.robot.driver.inject('lost', 1e9);
    await closed;
    await soon(() => events.some((event) => event.row === 10), 'the event');
    expect(events.filter((event) => event.row === 10)).toMatchObject([{ level: 1, name: 'driverLost' }]);
  });

  it('tell with what was found, and no cable, that a robot does not answer', async () => {
    await ros.make();
    await ros.activate();
    const found = { level: 'error', row: 29, message: 'Two publish it.', remedy: 'Stop one.' } as const;
    const loses = async (): Promise<unknown> => {
      const before = ros.events.length;
      const said = () => ros.events.slice(before).find(({ name }) => name === 'driverLost');
      ros.robot.driver.inject('lost', 10);
      await ros.robot.tick(20);
      await soon(() => said() !== undefined, 'the fault');
      const reset = ros.node.session?.reset();
      await ros.robot.tick(20);
      await reset;
      return said();
    };
    ros.robot.link!.notify({ ...found, condition: 'bridge/sources' });
    expect(await loses()).toMatchObject({ row: 10, message: found.message, remedy: found.remedy });
    ros.robot.link!.notify({ ...found, level: 'info', condition: 'bridge/sources', isOver: true });
    expect(await loses()).toMatchObject({ row: 10, message: 'The robot does not answer.' });
  });

  it('name the joint and the torque of row 54', async () => {
    const { joints } = ros.robot.setup.config.robot;
    // The mock measures none of the 30 N·m that the file explains at the second joint.
    const light = Array.from({ length: 14 }, () => 0);
    const torqueObserver = {
      ...({ filterS: 0.02, weight: 'compensated', wrench: 'ignored', velocityFeedForward: true } as const),
      delayTicks: 0,
      torqueAgeS: 0,
      servoMaxNm: joints.map(() => 9999),
      externalMaxNm: joints.map(() => 20),
      links: joints.map((_, i) => (i === 1 ? [...light.slice(1), 30] : light)),
    };
    await ros.close();
    ros = new MemoryNode(new TestRobot({ model: { torqueObserver }, mock: { torqueNm: joints.map(() => 0) } }));
    await ros.make();
    const safety = ros.hear(SafetyState, '/rein/safety_state', LATCHED_QOS);
    const arrays = ros.hear(DiagnosticArray, '/diagnostics');
    await ros.activate();
    const ticking = setInterval(() => void ros.robot.tick(1), 10);
    ros.node.session?.resume();
    await soon(() => safety.at(-1)?.fault_rows.includes(54) === true, 'row 54');
    await soon(() => partOf(arrays, 'guard')?.level === 2, 'the diagnostic');
    clearInterval(ticking);
    expect(partOf(arrays, 'guard')?.message).toMatch(/ \(shoulder_lift: \d+\.\d N·m\)/);
  });

  it('say once a second how each part is', async () => {
    await ros.make();
    const arrays = ros.hear(DiagnosticArray, '/diagnostics');
    const policies = ros.hear(PolicyStatus, '/rein/policy');
    ros.port.start();
    ros.peer.start();
    ros.node.start();
    await soon(() => arrays.length > 0, 'diagnostics');
    await ros.node.opened();
    const ticking = setInterval(() => void ros.robot.tick(1), 10);
    await soon(() => arrays.length > 1, 'diagnostics again');
    await soon(() => policies.length > 0, 'the policy');
    clearInterval(ticking);
    const levels = Object.fromEntries(arrays.at(-1)!.status.map(({ name, level }) => [name, level]));
    expect(levels).toEqual({
      'rein: guard': 0,
      'rein: robot driver': 0,
      'rein: policy': 0,
      'rein: learner link': 0,
      'rein: teleop': 0,
      'rein: ROS': 0,
    });
    expect(policies.at(-1)).toMatchObject({ version: 7n, run_id: 'run-a', state: 'ready' });
    // Without ticks the guard's status grows stale.
    await soon(() => partOf(arrays, 'guard')?.level === 3, 'the guard to be stale');
  });

  it('show the simulated time, and truncate the episode when it goes back, which is row 22', async () => {
    await ros.make({ argv: ['--ros-args', '-p', 'use_sim_time:=true'] });
    const clock = ros.publisher(Clock, '/clock');
    const states = ros.hear(State, '/rein/state');
    const arrays = ros.hear(DiagnosticArray, '/diagnostics');
    await ros.activate();
    clock.publish({ clock: { sec: 100, nanosec: 5 } });
    await soon(() => states.at(-1)?.stamp.sec === 100, 'the stamp');
    const activity = ros.node.session?.runEpisode({ purpose: 'training' });
    await soon(() => (ros.node.session?.state.step ?? 0) > 1, 'motion');
    clock.publish({ clock: { sec: 90, nanosec: 0 } });
    expect(await activity?.done).toMatchObject({
      isDecided: false,
      endedBy: expect.stringContaining('went back by 10'),
    });
    expect(ros.events.find(({ row }) => row === 22)?.message).toContain('the episode is truncated');
    const next = ros.node.session?.runEpisode({ purpose: 'training' });
    await soon(() => (ros.node.session?.state.step ?? 0) > 1, 'motion again');
    clock.publish({ clock: { sec: 190, nanosec: 0 } });
    await soon(() => ros.events.filter(({ row }) => row === 22).length > 1, 'the jump ahead');
    expect(ros.events.findLast(({ row }) => row === 22)?.message).toBe('ROS time jumped ahead by 100 s.');
    expect(ros.node.session?.state.mode).toBe('episode');
    ros.node.session?.cutEpisode('the test is over');
    await next?.done;
    await soon(() => partOf(arrays, 'ROS')?.level === 1, 'the diagnostic');
  });

  it('stop the robot when a callback of ours fails, and tell it', async () => {
    await ros.make();
    await ros.activate();
    const activity = ros.node.session?.runEpisode({ purpose: 'training' });
    await soon(() => (ros.node.session?.state.step ?? 0) > 1, 'motion');
    ros.node.rosFault({ kind: 'callback', where: '/joy', message: 'it broke' });
    expect((await activity?.done)?.endedBy).toBe('a callback failed');
    await ros.robot.tick(100);
    expect(ros.node.session?.frame.state).toBe('stopped');
    expect(ros.events.find(({ name }) => name === 'callback')).toMatchObject({
      level: 'error',
      message: '/joy: it broke',
    });
  });
});

describe('a person', () => {
  const axes = new Float32Array(8);
  const joy = (enable: 0 | 1, x = 0): Joy => {
    const buttons = new Int32Array(11);
    buttons[4] = enable;
    return { ...Joy.create(), axes: Float32Array.from(axes, (_, i) => (i === 1 ? x : 0)), buttons };
  };

  it('takes over by joystick, is reported, and stops the robot when the joystick is lost, which is row 18', async () => {
    await ros.make({ node: { operator: 'joy' } });
    const pad = ros.publisher(Joy, '/joy');
    const interventions = ros.hear(Intervention, '/rein/intervention', LATCHED_QOS);
    await ros.activate();
    const run = ros.node.session?.resume();
    await soon(() => (ros.node.session?.state.step ?? 0) > 1, 'motion');
    // A machine delayed by the lease between two messages has lost the operator, who starts anew.
    for (let k = 0; interventions.at(-1)?.active !== true; k++) {
      expect(k, 'messages without a take-over').toBeLessThan(300);
      // Released, then held in the middle, then pushed for a third of a second.
      const step = k % 30;
      pad.publish(joy(step === 0 ? 0 : 1, step < 2 ? 0 : 0.5));
      await delay(10);
    }
    expect(interventions.at(-1)).toMatchObject({ operator_name: 'joy', decided_by: 'human' });
    await run?.done;
    await ros.robot.tick(100);
    expect(ros.events.find(({ row }) => row === 18)).toMatchObject({ level: 'error', name: 'teleopLost' });
    expect(ros.node.session?.frame.state).toBe('stopped');
    expect(() => ros.node.session?.resume()).toThrow('was stopped');
  });

  it('is told, and the diagnostic too, that messages are not of the pad, once a second at most', async () => {
    await ros.make({ node: { operator: 'joy' } });
    const joystick = await memoryPorts(ros.graph)({ nodeName: 'joystick', onFault: () => undefined });
    const pad = joystick.advertise(Joy, '/joy', EVENT_QOS);
    const arrays = ros.hear(DiagnosticArray, '/diagnostics');
    joystick.start();
    await ros.activate();
    const beganAtMs = performance.now();
    for (let i = 0; i < 20; i++) {
      pad.publish({ ...Joy.create(), axes: new Float32Array(2), buttons: new Int32Array(1) });
      await delay(5);
    }
    await soon(() => ros.events.some(({ row }) => row === 11), 'the event');
    await delay(50);
    const told = ros.events.filter(({ row }) => row === 11);
    // A busy machine takes longer than a second for the twenty.
    const secondsBegun = Math.ceil((performance.now() - beganAtMs) / 1000);
    expect(told.length).toBeLessThanOrEqual(secondsBegun);
    expect(told[0]).toEqual({
      level: 'warn',
      name: 'malformed',
      row: 11,
      message:
        '/joy: a message was dropped: not of the pad xbox: it has 2 axes and 1 buttons, a pad xbox has 8 and 11 to 12; 1 so far.',
      remedy: 'Check its publisher; the parameter pad is xbox, one of xbox, playstation, logitechD, stick.',
    });
    await joystick.close();
    arrays.length = 0;
    await soon(() => arrays.length > 0, 'the diagnostic');
    expect(partOf(arrays, 'teleop')).toMatchObject({
      level: 1,
      message:
        'No publisher on /joy. 20 messages were dropped: not of the pad xbox: it has 2 axes and 1 buttons, a pad xbox has 8 and 11 to 12 (fault 11).',
    });
  });

  it('marks an episode by topic, which is told once however often it is repeated', async () => {
    await ros.make();
    const success = ros.publisher(Empty, '/rein/success', EVENT_QOS);
    const failure = ros.publisher(Empty, '/rein/failure', EVENT_QOS);
    await ros.activate();
    for (let i = 0; i < 20; i++) success.publish({});
    const reported = (): number => ros.events.filter(({ name }) => name === 'marked').length;
    await soon(() => reported() > 0, 'the mark');
    await delay(50);
    expect(reported()).toBe(1);
    failure.publish({});
    await soon(() => reported() === 2, 'the other mark');
  });
});
