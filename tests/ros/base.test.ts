/** A mobile base behind `cmd_vel` and `odom`, driven by a joystick, in a task that people judge: with independent clients. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { describeRos, ROOT, RosProcess, ros2 } from '../support/ros.ts';

/** Machines that are busy with other things are slow to start three processes. */
const START_MS = 60_000;
const PLAY_MS = 150_000;

/** Odometry instead of a laser scan, which the simulated base does not have. */
const OVERLAY = `task:
  observation:
    topics:
      - { name: heading, topic: odom, type: nav_msgs/msg/Odometry, fields: [position, orientation], freshnessMs: 500 }
robot:
  driver: { freshnessMs: 200 }
`;

interface Line {
  readonly what?: string;
  readonly command?: number;
  readonly odom?: number;
  readonly x?: number;
  readonly event?: string;
  readonly row?: number;
  readonly marked?: boolean;
  readonly fastest?: number;
}

/** Asks until the node is there and has taken it. */
async function transition(name: string): Promise<void> {
  const endMs = performance.now() + START_MS;
  for (;;) {
    const { stdout, stderr } = await ros2(['lifecycle', 'set', '/rein', name], { timeoutMs: 30_000 });
    if (stdout.includes('successful')) return;
    if (performance.now() > endMs) throw new Error(`/rein does not ${name}: ${stdout}${stderr}`);
    await delay(300);
  }
}

describeRos('a mobile base and a joystick', () => {
  let folder: string;
  const programs: RosProcess[] = [];
  let lines: Line[] = [];

  const shown = (what: string): Required<Line> => {
    const line = lines.find((each) => each.what === what);
    if (line === undefined) throw new Error(`the hand never got to "${what}"`);
    return line as Required<Line>;
  };

  beforeAll(
    async () => {
      folder = mkdtempSync(join(tmpdir(), 'rein-base-'));
      const overlay = join(folder, 'overlay.yaml');
      writeFileSync(overlay, OVERLAY);
      const start = (program: string, ...parameters: readonly string[]): RosProcess => {
        const args = parameters.flatMap((each) => ['-p', each]);
        const made = new RosProcess(process.execPath, [join(ROOT, program), '--ros-args', ...args]);
        programs.push(made);
        return made;
      };
      const sim = start('packages/emulate/dist/ros/sim-main.js', 'controller:=differential', 'task:=drive-judged');
      await sim.printed(/a base, differential/, START_MS);
      const node = start(
        'dist/ros/node-main.js',
        'task:=drive-judged',
        `config:=${overlay}`,
        'operator:=joy',
        `out:=${join(folder, 'run')}`,
      );
      await node.printed(/base-diff-ros is ready for drive-judged/, START_MS);
      await transition('configure');
      await transition('activate');
      const hand = new RosProcess(process.env['REIN_PYTHON'] || 'python3', [
        join(ROOT, 'tests', 'support', 'ros_hand.py'),
      ]);
      programs.push(hand);
      const timer = setTimeout(() => void hand.kill('SIGKILL'), PLAY_MS);
      const { code, stdout, stderr } = await hand.ended;
      clearTimeout(timer);
      expect({ code, stderr }, node.output).toEqual({ code: 0, stderr: expect.any(String) });
      lines = stdout
        .split('\n')
        .filter((line) => line.startsWith('{'))
        .map((line) => JSON.parse(line) as Line);
      await node.kill('SIGINT');
    },
    2 * START_MS + PLAY_MS,
  );

  afterAll(async () => {
    await Promise.all(programs.map((program) => program.kill('SIGKILL')));
    rmSync(folder, { recursive: true, force: true });
  });

  it('does not move for a stick that is pushed without the enabling button', () => {
    expect(shown('pushed without the button').command).toBe(0);
  });

  it('drives at the half of full speed that the pad begins with, within the limits of its file', () => {
    expect(shown('pushed').command).toBeGreaterThan(0.2);
    expect(shown('pushed').odom).toBeGreaterThan(0.2);
    const fastest = lines.at(-1)?.fastest;
    expect(fastest).toBeGreaterThan(0.2);
    expect(fastest).toBeLessThanOrEqual(0.5);
  });

  it('holds when the button is released, although the stick is pushed', () => {
    expect(shown('let go of the button').command).toBe(0);
  });

  it('ends the episode by the mark of a person', () => {
    expect(lines.some(({ marked }) => marked === true)).toBe(true);
    const metrics = readFileSync(join(folder, 'run', 'metrics.jsonl'), 'utf8')
      .trim()
      .split('\n');
    const episodes = metrics.map((line) => JSON.parse(line)).filter(({ kind }) => kind === 'episode');
    expect(episodes[0]).toMatchObject({ success: true, returnSum: 1 });
  });

  it('row 18: stops when the joystick is gone, and stays when it comes back', () => {
    expect(shown('pushed again').command).toBeGreaterThan(0.1);
    expect(lines.some(({ event, row }) => event === 'teleopLost' && row === 18)).toBe(true);
    expect(shown('gone').command).toBe(0);
    expect(shown('back and pushing').command).toBe(0);
    expect(shown('back and pushing').x).toBeCloseTo(shown('gone').x, 2);
  });

  it('drives again after a reset and a resume', () => {
    expect(shown('after reset and resume').command).toBeGreaterThan(0.1);
  });
});
