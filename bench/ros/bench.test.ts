import { describe, expect, it } from 'vitest';
import { keepPace } from '../../packages/emulate/src/ros/sim-time.ts';
import { SystemClock } from '../../src/model/index.ts';
import { JointState } from '../../src/ros/messages/definitions.ts';
import { EVENT_QOS } from '../../src/ros/port/qos.ts';
import { MemoryGraph } from '../../tests/support/ros-memory/memory-graph.ts';
import { memoryPorts } from '../../tests/support/ros-memory/memory-port.ts';
import { type PeerReport, type PeerTask, runPeer } from './peer.ts';
import { cpuPercent, processTree } from './processes.ts';
import { quantilesOf, slopeOf } from './samples.ts';

describe('figures', () => {
  it('are exact quantiles', () => {
    const values = Array.from({ length: 100 }, (_, i) => 100 - i);
    expect(quantilesOf(values)).toEqual({ count: 100, p50: 50, p99: 99, max: 100 });
    expect(quantilesOf([]).p50).toBeNaN();
  });

  it('are least-squares slopes', () => {
    expect(slopeOf([0, 1, 2, 3], [5, 7, 9, 11])).toBeCloseTo(2, 12);
    expect(slopeOf([1, 1], [5, 7])).toBeNaN();
  });

  it('say what processes cost', () => {
    const before = processTree(process.pid);
    const spent = process.cpuUsage();
    while (process.cpuUsage(spent).user < 200_000);
    const shares = Object.values(cpuPercent(before, processTree(process.pid), 0.2));
    expect(before[0]!.pid).toBe(process.pid);
    expect(before[0]!.rssMb).toBeGreaterThan(20);
    expect(Math.max(...shares)).toBeGreaterThan(10);
  });
});

describe('the two ends of a measurement', () => {
  const task = { rateHz: 100, imageHz: 20, seconds: 0.5 };

  /**
   * Reports of both ends, and number of periods that a pace of the task's rate made in this process from the first message of `topic` that
   * counts to the last: a busy machine holds up both.
   */
  async function pair(active: PeerTask, passive: PeerTask, topic: string): Promise<[PeerReport, PeerReport, number]> {
    const ports = memoryPorts(new MemoryGraph());
    let stop = (): void => undefined;
    const end = new Promise<void>((resolve) => {
      stop = resolve;
    });
    let passed = 0;
    const beside = keepPace(1 / task.rateHz, new SystemClock(), () => passed++);
    const passedAt: number[] = [];
    const looking = await ports({ nodeName: 'looking', onFault: () => undefined });
    looking.subscribe(JointState, topic, EVENT_QOS, ({ position, velocity }) => {
      if (position[0]! >= velocity[0]!) passedAt.push(passed);
    });
    looking.start();
    const listening = runPeer(passive, ports, end);
    const sent = await runPeer(active, ports, end);
    stop();
    beside.stop();
    await looking.close();
    return [sent, await listening, passedAt.at(-1)! - passedAt[0]!];
  }

  it('count every round trip', async () => {
    const [ping, , passed] = await pair({ ...task, role: 'ping' }, { ...task, role: 'echo' }, 'bench/ping');
    expect(ping.sent).toBeGreaterThan(0.5 * passed);
    expect(ping.received).toBe(ping.sent);
    expect(ping.jointsMs.count).toBe(ping.sent);
    expect(ping.jointsMs.p50).toBeGreaterThan(0);
  });

  it('count what arrives of what was sent', async () => {
    const tasks = [{ ...task, role: 'send' } as const, { ...task, role: 'receive' } as const] as const;
    const [sent, received, passed] = await pair(...tasks, 'bench/joint_states');
    expect(sent.sent).toBeGreaterThan(0.5 * passed);
    expect(sent.images).toBeGreaterThan((0.5 * passed * task.imageHz) / task.rateHz);
    expect(received.received).toBeLessThanOrEqual(sent.sent);
    expect(received.received).toBeGreaterThan(0.8 * sent.sent);
    expect(received.receivedImages).toBeGreaterThan(0.8 * sent.images);
  });
});
