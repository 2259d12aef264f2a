import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { main } from '../main.ts';

const dir = mkdtempSync(join(tmpdir(), 'rein-kept-'));
afterAll(() => rmSync(dir, { recursive: true }));

/** Standard error of `rein ARGS`. */
async function refused(...args: string[]): Promise<string> {
  let said = '';
  const error = (text: string): void => {
    said += text;
  };
  expect(await main(args, undefined, { out: () => {}, error })).not.toBe(0);
  return said;
}

describe('a file that is there', () => {
  it.each([
    ['policy.onnx', ['export', 'policy', 'nowhere'], 'nowhere'],
    ['encoder.onnx', ['export', 'encoder', 'nowhere'], 'nowhere'],
    ['reward.onnx', ['reward', 'train', 'nowhere.jsonl'], 'nowhere.jsonl'],
    ['observer.yaml', ['safety', 'identify', 'arm6', '--json', '/nowhere/x.json'], '/nowhere'],
  ])('%s is written over with --force only, and nothing is read before that is said', async (name, args, next) => {
    const path = join(dir, name);
    writeFileSync(path, 'precious');
    expect(await refused(...args, '--out', path)).toMatch(
      /is there already\n {2}→ give --out another name, or --force to write over it\n/,
    );
    const forced = await refused(...args, '--out', path, '--force');
    expect(forced).not.toContain('is there');
    expect(forced).toContain(next);
    expect(readFileSync(path, 'utf8')).toBe('precious');
  });

  it.each([
    ['policy.onnx', ['export', 'policy', 'nowhere']],
    ['reward.onnx', ['reward', 'train', 'nowhere.jsonl']],
  ])('the manifest beside %s is not either', async (name, args) => {
    const folder = mkdtempSync(join(dir, 'beside-'));
    writeFileSync(join(folder, name.replace('onnx', 'json')), 'precious');
    expect(await refused(...args, '--out', join(folder, name))).toMatch(/json is there already/);
  });

  it.each([
    ['empty', ''],
    ['zeros after a power cut', '\0'.repeat(512)],
    ['cut off early', '{\n  "kind": "rein-ca'],
    ['cut off later', '{\n  "kind": "rein-calibration",\n  "ver'],
    ['cut off, and zeros', '{\n  "kind"\0\0\0'],
  ])('is made anew where it is a damaged calibration: %s', async (_, text) => {
    const path = join(dir, 'so101.json');
    writeFileSync(path, text);
    expect(await refused('calibrate', '--robot', 'so101', '--out', path, '--port', '/dev/nosuch')).toContain(
      '/dev/nosuch',
    );
  });

  it('that is not a calibration is not made one', async () => {
    const robot = join(dir, 'robot.yaml');
    writeFileSync(robot, 'precious');
    expect(await refused('calibrate', '--robot', 'so101', '--out', robot)).toMatch(
      /robot\.yaml is not a calibration file\n {2}→ move it away, or give --out another name\n/,
    );
    expect(readFileSync(robot, 'utf8')).toBe('precious');
  });
});
