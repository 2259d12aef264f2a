import { describe, expect, it } from 'vitest';
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
    const end = performance.now() + 200;
    while (performance.now() < end);
    const shares = Object.values(cpuPercent(before, processTree(process.pid), 0.2));
    expect(before[0]!.pid).toBe(process.pid);
    expect(before[0]!.rssMb).toBeGreaterThan(20);
    expect(Math.max(...shares)).toBeGreaterThan(10);
  });
});

describe('the two ends of a measurement', () => {
  async function pair(active: PeerTask, passive: PeerTask): Promise<[PeerReport, PeerReport]> {
    const ports = memoryPorts(new MemoryGraph());
    let stop = (): void => undefined;
    const end = new Promise<void>((resolve) => {
      stop = resolve;
    });
    const listening = runPeer(passive, ports, end);
    const sent = await runPeer(active, ports, end);
    stop();
    return [sent, await listening];
  }
  const task = { rateHz: 100, imageHz: 20, seconds: 0.5 };

  it('count every round trip', async () => {
    const [ping] = await pair({ ...task, role: 'ping' }, { ...task, role: 'echo' });
    expect(ping.sent).toBeGreaterThan(30);
    expect(ping.received).toBe(ping.sent);
    expect(ping.jointsMs.count).toBe(ping.sent);
    expect(ping.jointsMs.p50).toBeGreaterThan(0);
  });

  it('count what arrives of what was sent', async () => {
    const [sent, received] = await pair({ ...task, role: 'send' }, { ...task, role: 'receive' });
    expect(sent.sent).toBeGreaterThan(30);
    expect(sent.images).toBeGreaterThan(5);
    expect(received.received).toBeLessThanOrEqual(sent.sent);
    expect(received.received).toBeGreaterThan(0.8 * sent.sent);
    expect(received.receivedImages).toBeGreaterThan(0.8 * sent.images);
  });
});
