import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { endLeftovers, rein } from '../support/rein.ts';

/** A Vulkan driver that computes on the CPU and comes with Debian's chromium; for machines without a graphics card. */
const SOFTWARE_DRIVER = '/usr/lib/chromium/vk_swiftshader_icd.json';

const RUN = ['train', '--env', 'point', '--steps', '18', '--eval-every', '18', '--eval-episodes', '1'];
const SMALL = ['actorHidden=[16]', 'criticHidden=[16]', 'batchSize=16', 'warmupSteps=16', 'utd=2', 'layerNorm=true'];

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'rein-webgpu-'));
  if (existsSync(SOFTWARE_DRIVER)) vi.stubEnv('VK_DRIVER_FILES', SOFTWARE_DRIVER);
});
afterEach(() => {
  endLeftovers();
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true, force: true });
});

interface Metrics {
  readonly [name: string]: number;
}

/** Trains in a few updates on `provider`: what it reported, and what it said. */
async function train(provider: string): Promise<{ metrics: Metrics; stderr: string }> {
  const settings = [...SMALL, `provider=${provider}`].flatMap((one) => ['--set', one]);
  const run = await rein([...RUN, ...settings, '--out', provider], folder);
  expect(run.code, run.stderr).toBe(0);
  const last = readFileSync(join(folder, provider, 'curve.jsonl'), 'utf8')
    .trim()
    .split('\n')
    .at(-1)!;
  return { metrics: (JSON.parse(last) as { metrics: Metrics }).metrics, stderr: run.stderr };
}

describe('training on WebGPU', { timeout: 120_000 }, () => {
  it('comes to the numbers of the CPU, or says that it uses the CPU', async (context) => {
    const cpu = await train('cpu');
    const gpu = await train('webgpu');
    if (/uses the CPU/.test(gpu.stderr)) {
      expect(gpu.stderr).toMatch(/compute with "webgpu", which cannot be used here .*Vulkan/);
      expect(gpu.metrics).toEqual(cpu.metrics);
      return context.skip('no driver for WebGPU on this machine: the CPU was used, and said so');
    }
    expect(Object.keys(gpu.metrics)).toEqual(Object.keys(cpu.metrics));
    expect(gpu.metrics['criticLoss']).toBeGreaterThan(0);
    for (const [name, value] of Object.entries(cpu.metrics)) {
      expect(Math.abs(gpu.metrics[name]! - value), name).toBeLessThanOrEqual(1e-3 * Math.max(1, Math.abs(value)));
    }
  });
});
