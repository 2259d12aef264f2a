/** From a robot's file to a stop: what `rein safety identify` answers, and what a file with its piece does in `rein sim`. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { arm6Without, without } from '../support/identify-folder.ts';
import { IS_LONG } from '../support/long.ts';
import { type Ended, endLeftovers, rein, TINY } from '../support/rein.ts';
import { reinHere } from '../support/rein-here.ts';

const PATIENCE_MS = 240_000;
const shipped = new URL('../../config/robots/arm6.yaml', import.meta.url);
let dir: string;

/** The shipped arm, identified once for all that need its piece. */
let identified: Ended;
beforeAll(async () => {
  dir = mkdtempSync(join(tmpdir(), 'rein-torques-'));
  const args = ['safety', 'identify', 'arm6', '--duration', '8', '--out', 'piece.yaml', '--json', 'found.json'];
  identified = await rein(args, dir);
}, PATIENCE_MS);
afterAll(() => {
  endLeftovers();
  rmSync(dir, { recursive: true, force: true });
});

describe('rein safety identify', () => {
  it(
    'judges the shipped arm to be its file, exits with 0 and writes a piece that the file takes',
    async () => {
      const { code, stdout } = identified;
      expect(stdout).toMatch(/elbow +stiffness +1200 +1[12]\d\d ± .* ok\n/);
      expect(stdout).toContain('The file is right within its margins.');
      expect(code).toBe(0);
      const piece = readFileSync(join(dir, 'piece.yaml'), 'utf8');
      expect(piece).toContain('#   rein safety identify arm6 --duration 8');
      const { notices } = JSON.parse(readFileSync(join(dir, 'found.json'), 'utf8'));
      expect(stdout).toMatch(/\nshoulder_pan +none *\n/);
      expect(notices.links[0].forceN).toBeUndefined();
      for (const { link, forceN, joint } of notices.links.slice(1)) {
        expect(forceN).toBeGreaterThan(0);
        expect(stdout).toContain(`${Number(forceN.toPrecision(3))} N`);
        expect(stdout).toMatch(new RegExp(`\\n${link} .* by ${joint} *\\n`));
      }
      expect(stdout).toContain(`${Number(notices.payloadKg.toPrecision(3))} kg`);
      const bare = arm6Without('torqueObserver');
      writeFileSync(join(dir, 'taken.yaml'), `${bare}\n${piece}`);
      const again = await reinHere(['safety', 'identify', './taken.yaml', '--duration', '8', '--out', 'p2.yaml'], dir);
      expect(again.code).toBe(0);
    },
    PATIENCE_MS,
  );

  it.runIf(IS_LONG).each([
    ['of another arm', 'servoMaxNm: [4.869, ', 'servoMaxNm: ['],
    ['of other servos', 'delayTicks: 0', 'delayTicks: 2'],
  ])(
    'accepts the remedy for an observer %s, done to the letter',
    async (_, key, spoilt) => {
      const file = join(dir, 'spoilt.yaml');
      writeFileSync(file, readFileSync(shipped, 'utf8').replace(key, spoilt));
      rmSync(join(dir, 'torque-observer.yaml'), { force: true });
      const { code, stderr } = await reinHere(['safety', 'identify', './spoilt.yaml'], dir);
      expect(code).toBe(2);
      const [, part, command] = /take (\w+) out of the robot's file, then run `rein (.+)`/.exec(stderr)!;
      writeFileSync(file, without(readFileSync(file, 'utf8'), part!));
      const args = command!.replace('ROBOT', './spoilt.yaml').split(' ');
      writeFileSync(join(dir, 'torque-observer.yaml'), 'of before');
      expect((await reinHere([...args, '--duration', '8'], dir)).code).toBe(0);
      expect(readFileSync(join(dir, 'torque-observer.yaml'), 'utf8')).toContain('torqueObserver:');
    },
    PATIENCE_MS,
  );

  it.runIf(IS_LONG)(
    'refuses a tank whose file promises more damping than there is, with exit code 1 and what to write',
    async () => {
      const wrong = readFileSync(shipped, 'utf8').replaceAll('dampingNmSPerRad: 120', 'dampingNmSPerRad: 150');
      writeFileSync(join(dir, 'wrong.yaml'), wrong);
      const args = ['safety', 'identify', './wrong.yaml', '--duration', '8', '--out', 'none.yaml', '--quiet'];
      const { code, stdout } = await reinHere(args, dir);
      expect(code).toBe(1);
      expect(stdout).toMatch(/^off: the tank credits .* of the damping of shoulder_pan.*write/);
      expect(stdout).toMatch(/REFUSED: \d of 26 numbers .*none\.yaml is not written\.\n$/);
      expect(() => readFileSync(join(dir, 'none.yaml'))).toThrow('ENOENT');
    },
    PATIENCE_MS,
  );
});

it.runIf(IS_LONG)(
  'stops rein sim with row 54, and says which joint and how much, where the limits are less than the arm needs',
  async () => {
    const piece = readFileSync(join(dir, 'piece.yaml'), 'utf8')
      .replace(/externalMaxNm: .*/, 'externalMaxNm: [0.001, 0.001, 0.001, 0.001, 0.001, 0.001]')
      .replace(/^/gm, '  ');
    const narrow = `${TINY}\nrobot:\n${piece}\n`;
    writeFileSync(join(dir, 'narrow.yaml'), narrow);
    const { code, stderr } = await rein(['sim', '--config', 'narrow.yaml', '--out', 'run', '--quiet'], dir);
    expect(code).toBe(1);
    expect(stderr).toMatch(/A force or load acts on the arm .* \((?:shoulder|elbow|wrist)\w*: -?\d+\.\d N·m\)/);
  },
  PATIENCE_MS,
);
