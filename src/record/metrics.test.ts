import { mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type BasePolicyRecord, type LinkRecord, type MetricRecord, parseMetrics } from './metric-records.ts';
import { MetricsWriter } from './metrics-writer.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'rein-metrics-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const link = (envStep: number): LinkRecord => ({
  kind: 'link',
  tS: envStep / 10,
  envStep,
  sent: envStep,
  acked: envStep,
  pending: 0,
  lost: 0,
  duplicated: 0,
});

describe('MetricsWriter', () => {
  it('goes on behind a line that was cut with one of its own', async () => {
    const path = join(folder, 'metrics.jsonl');
    writeFileSync(path, '{"kind":"episode","tS":1}\n{"kind":"epis');
    const writer = new MetricsWriter<object>(path);
    writer.write({ kind: 'setup', tS: 2 });
    writer.write({ kind: 'episode', tS: 3 });
    await writer.close();
    const { records, skipped } = parseMetrics(readFileSync(path, 'utf8'));
    expect([records.map(({ tS }) => tS), skipped]).toEqual([[1, 2, 3], 1]);
  });

  it('writes one JSON object a line, in order, and appends to an existing file', async () => {
    const path = join(folder, 'metrics.jsonl');
    for (const start of [0, 50]) {
      const writer = new MetricsWriter(path);
      for (let i = 0; i < 50; i++) writer.write(link(start + i));
      await writer.close();
    }
    const { records, skipped } = parseMetrics(readFileSync(path, 'utf8'));
    expect(skipped).toBe(0);
    expect(records.map((r) => r.envStep)).toEqual(Array.from({ length: 100 }, (_, i) => i));
  });

  it('reports a full disk once, keeps running and counts what it gives up', async () => {
    const messages: string[] = [];
    const writer = new MetricsWriter('/dev/full', { onDegraded: (message) => messages.push(message), maxWaiting: 3 });
    for (let i = 0; i < 5; i++) {
      writer.write(link(i));
      await writer.flush();
    }
    expect(writer.degraded).toBe(true);
    expect(writer.dropped).toBe(2);
    await writer.close();
    const opened = readdirSync('/proc/self/fd').map((fd) => {
      try {
        return readlinkSync(`/proc/self/fd/${fd}`);
      } catch {
        return '';
      }
    });
    expect(opened).not.toContain('/dev/full');
    expect(messages).toHaveLength(1);
    expect(messages[0]).toMatch(/ENOSPC/);
    expect(writer.dropped).toBe(5);
  });

  it('writes what waited as soon as the folder is there', async () => {
    const path = join(folder, 'later', 'metrics.jsonl');
    const writer = new MetricsWriter(path);
    writer.write(link(1));
    await writer.flush();
    expect(writer.degraded).toBe(true);
    const { mkdirSync } = await import('node:fs');
    mkdirSync(join(folder, 'later'));
    writer.write(link(2));
    await writer.flush();
    expect(writer.degraded).toBe(false);
    await writer.close();
    expect(parseMetrics(readFileSync(path, 'utf8')).records).toEqual([link(1), link(2)]);
  });

  it('counts a record that cannot be JSON instead of throwing', async () => {
    const writer = new MetricsWriter(join(folder, 'metrics.jsonl'));
    const bad = { ...link(1), sent: 1n } as unknown as MetricRecord;
    expect(() => writer.write(bad)).not.toThrow();
    expect(writer.dropped).toBe(1);
    await writer.close();
  });
});

describe('parseMetrics', () => {
  it('skips and counts cut lines, foreign values and unknown kinds', () => {
    const path = join(folder, 'metrics.jsonl');
    writeFileSync(path, `${JSON.stringify(link(1))}\n42\nnull\n{"kind":"dream"}\n\n{"kind":"li`);
    const { records, skipped } = parseMetrics(readFileSync(path, 'utf8'));
    expect(records).toEqual([link(1)]);
    expect(skipped).toBe(4);
  });

  it('knows the steps of a run with a base policy', () => {
    const step: BasePolicyRecord = { kind: 'basePolicy', tS: 1, envStep: 2, episode: 3, step: 4, chunk: 5, index: 6 };
    expect(parseMetrics(`${JSON.stringify(step)}\n`)).toEqual({ records: [step], skipped: 0 });
  });
});
