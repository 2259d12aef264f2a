import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { loadLearnerFile } from './learner-file.ts';

const folder = mkdtempSync(join(tmpdir(), 'rein-encoder-file-'));
afterAll(() => rmSync(folder, { recursive: true }));

describe("a learner's frozen encoder", () => {
  const path = join(folder, 'eyes.yaml');
  writeFileSync(path, 'encoder:\n  frozen: { file: nets/e.onnx, variants: 2 }\n');

  it('is relative to the file that names it, on the command line to where that is', () => {
    const { frozen } = loadLearnerFile(path).encoder;
    expect(frozen).toEqual({ file: join(folder, 'nets/e.onnx'), variants: 2, padding: 4 });
    const set = { place: { file: '--set', line: 0, column: 0 }, values: { 'encoder.frozen.file': 'mine.onnx' } };
    expect(loadLearnerFile(path, [set]).encoder.frozen?.file).toBe(resolve('mine.onnx'));
    expect(loadLearnerFile('rlpd', [set]).encoder.frozen?.file).toBe(resolve('mine.onnx'));
  });

  it('needs a file, and at least the frame itself', () => {
    const set = { place: { file: '--set', line: 0, column: 0 }, values: { 'encoder.frozen.variants': 0 } };
    expect(() => loadLearnerFile(path, [set])).toThrow(/variants/);
    expect(() => loadLearnerFile('rlpd', [{ ...set, values: { 'encoder.frozen.padding': 1 } }])).toThrow(/file/);
  });
});
