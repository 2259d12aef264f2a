import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { JointState, Odometry } from '../../../../src/ros/messages/definitions.ts';
import type { MessageType } from '../../../../src/ros/messages/message-type.ts';
import { EVENT_QOS } from '../../../../src/ros/port/qos.ts';
import { MemoryGraph } from '../../../../tests/support/ros-memory/memory-graph.ts';
import { memoryPorts } from '../../../../tests/support/ros-memory/memory-port.ts';
import { SIM_PARAMETERS } from './parameters.ts';
import { runSim } from './run-sim.ts';

async function run(
  argv: readonly string[],
  graph = new MemoryGraph(),
  signal = AbortSignal.timeout(0),
  discoveryMs = 0,
) {
  let text = '';
  const write = (more: string): void => {
    text += more;
  };
  const code = await runSim({ argv, ports: memoryPorts(graph), out: write, error: write, signal, discoveryMs });
  return { code, text };
}

describe('the program of the simulator', () => {
  it('explains itself and every parameter', async () => {
    const { code, text } = await run(['--help']);
    expect(code).toBe(0);
    for (const { name } of SIM_PARAMETERS) expect(text).toContain(`  ${name} (`);
    for (const line of text.split('\n')) expect(line.length).toBeLessThanOrEqual(120);
  });

  it('publishes at its rate in real time until it is asked to end', async () => {
    const graph = new MemoryGraph();
    const port = await memoryPorts(graph)({ nodeName: 'client', onFault: () => undefined });
    let count = 0;
    port.subscribe(JointState, 'joint_states', EVENT_QOS, () => count++);
    port.start();
    const end = new AbortController();
    const running = run(['--ros-args', '-p', 'rate:=250.0'], graph, end.signal);
    while (count === 0) await delay(5);
    // Never faster; measured again if the machine was held up meanwhile.
    let share = 0;
    for (let tries = 0; tries < 40 && share < 0.9; tries++) {
      const begin = count;
      const startMs = performance.now();
      await delay(400);
      const periods = (performance.now() - startMs) / 4;
      expect(count - begin).toBeLessThan(1.15 * periods + 10);
      share = (count - begin) / periods;
    }
    expect(share).toBeGreaterThan(0.9);
    end.abort();
    const { code, text } = await running;
    expect(code).toBe(0);
    expect(text).toContain('arm6 behind forward_position_controller, 250 Hz, as /rein_sim');
    await port.close();
  });

  it.each([
    ['an arm', 'position', JointState, 'joint_states', { name: ['elbow', 'finger'] }],
    ['a base', 'differential', Odometry, 'odom', {}],
  ])(
    'does not begin beside %s that publishes the same, and names it',
    async (_what, controller, type, topic, fields) => {
      const graph = new MemoryGraph();
      const robot = await memoryPorts(graph)({ nodeName: 'robot', onFault: () => undefined });
      const publisher = robot.advertise<JointState | Odometry>(
        type as MessageType<JointState | Odometry>,
        topic,
        EVENT_QOS,
      );
      robot.start();
      const both = setInterval(() => publisher.publish(Object.assign(type.create(), fields)), 5);
      const { code, text } = await run(
        ['--ros-args', '-p', `controller:=${controller}`],
        graph,
        AbortSignal.timeout(5000),
        100,
      );
      clearInterval(both);
      expect(code).toBe(1);
      expect(text).toContain('rein sim: /robot publishes');
      expect(text).toContain('namespace:=sim');
      await robot.close();
    },
  );

  it("says in a sentence that it has no model of an arm that is not the scene's", async () => {
    const folder = mkdtempSync(join(tmpdir(), 'rein-sim-'));
    const path = join(folder, 'other.yaml');
    const arm6 = readFileSync(join(import.meta.dirname, '../../../../config/robots/arm6-ros.yaml'), 'utf8');
    writeFileSync(
      path,
      arm6.replace(/(tool:\n.*\n) .*/, '$1  originRpyRad: [0, 0.8, 0]').replace(/^ {2}scene: .*$/m, ''),
    );
    const { code, text } = await run(['--ros-args', '-p', `robot:=${path}`]);
    rmSync(folder, { recursive: true });
    expect(code).toBe(1);
    expect(text).toMatch(/cannot be simulated: its file names no model.*\n.*`model` under `driver`/);
    expect(text.trim().split('\n')).toHaveLength(2);
  });

  it.each([
    [['arm7'], 2, '"arm7" is not understood'],
    [['--ros-args', '-p', 'controller:=magic'], 1, 'controller'],
    [['--ros-args', '-p', 'rate:=fast'], 1, 'rate'],
    [['--ros-args', '-p', 'colour:=red'], 1, 'colour'],
    [['--ros-args', '-x'], 1, '"-x"'],
  ])('says what is wrong with %j in one sentence', async (argv, expected, words) => {
    const { code, text } = await run(argv);
    expect(code).toBe(expected);
    expect(text).toContain(words);
    expect(text.trim().split('\n').length).toBeLessThanOrEqual(2);
    expect(text).not.toContain('mistake in Rein');
  });
});
