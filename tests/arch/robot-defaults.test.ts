/** What an absent key of a robot's file means is written once: two rooms that read one key with two defaults simulate another robot than they guard. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { PACKAGE_SOURCES } from '../support/package-sources.ts';

const root = join(import.meta.dirname, '..', '..');
const READER = 'src/model/robot-defaults.ts';
/** Optional keys of a robot's file whose absence means something; the required ones of `tank` cannot be absent. */
const KEYS = [
  'gravityCompensated',
  'holdsWithoutTorque',
  'exitRampS',
  'encoderNoiseRad',
  'velocityFeedForward',
  'delayTicks',
  'topUpW',
  'limitMarginRad',
];
/** Keys whose names other things have too: only as members of what they belong to. */
const MEMBERS = ['tool\\.link', 'joints?(\\[[^\\]]*\\]!?)?\\.parent', 'point\\.workspace'];
/** Not a robot's file: options of a simulated plant, and of a noisy sensor; the observer's buffer, which is none where there is no observer. */
const EXEMPT = [
  'options.delayTicks ?? 0',
  'options?.delayTicks ?? 0',
  'options.velocityFeedForward ?? servosLead(model)',
  'options.gravityCompensated ?? isGravityCompensated(options.model)',
];

const keys = `(?:${KEYS.map((key) => `\\b${key}`).join('|')}|${MEMBERS.join('|')})`;
/** A default of its own: `x.key ?? 0`, `{ key = 0 }`, `key: own = 0`, and what only a present value passes: `key === false`, `!robot.key`. */
const OWN_DEFAULT = [
  new RegExp(`${keys}\\s*\\?\\?`),
  new RegExp(`[{,]\\s*(?:${KEYS.join('|')})(?::\\s*\\w+)?\\s*=[^=>]`),
  new RegExp(`${keys}\\s*[!=]==\\s*(?:true|false)`),
  /(?:!|&&|\|\||\()\s*(?:\w+[.?]+)*(?:gravityCompensated|holdsWithoutTorque)\s*(?:\?|&&|\|\||\))/,
];

function filesOf(folder: string): string[] {
  const below = readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' });
  return below.filter((path) => /(?<!\.test)\.(ts|js)$/.test(path)).map((path) => `${folder}/${path}`);
}

/** Lines of `text` that give one of the keys a default. */
function defaultsIn(text: string): string[] {
  return text.split('\n').filter((line) => !/^\s*(\*|\/\/)/.test(line) && OWN_DEFAULT.some((own) => own.test(line)));
}

describe('what an absent key of a robot means', () => {
  it('is written in one file', () => {
    const files = ['src', ...PACKAGE_SOURCES, 'bench', 'scripts'].flatMap(filesOf);
    const found = files
      .filter((path) => path !== READER)
      .flatMap((path) => defaultsIn(readFileSync(join(root, path), 'utf8')).map((line) => `${path}: ${line.trim()}`))
      .filter((line) => !EXEMPT.some((part) => line.includes(part)));
    expect(found).toEqual([]);
  });

  it('includes the margin that a joint has of its own, wherever a robot’s is reckoned with', () => {
    // What describes, merges, prints or suggests the key; all else asks `limitMarginOf`.
    const describing =
      /^src\/(schema|config\/(schema|setup)|robot-import\/(merge-joints|model-subject|robot-text)|safety-check\/(limits|arm-summary|result)|model\/(base|robot)-model)/;
    const found = ['src', ...PACKAGE_SOURCES]
      .flatMap(filesOf)
      .filter((path) => path !== READER && !describing.test(path));
    const readers = found.filter((path) => /\blimitMarginRad\b(?!')/.test(readFileSync(join(root, path), 'utf8')));
    // A message that names the key to people.
    expect(readers).toEqual(['src/config/robot-checks.ts']);
  });

  it.each([
    'velocityFeedForward: this.#model.tank?.velocityFeedForward ?? true,',
    'const { velocityFeedForward = false, delayTicks = 0 } = model.tank ?? {};',
    'this.#isUsed = model.gravityCompensated === false;',
    "const down = (arm.robot.holdsWithoutTorque ? '' : ' its torque goes off slowly');",
    'if (!model.holdsWithoutTorque && fell) return;',
    'const link = model.tool.link ?? model.joints.at(-1)!.name;',
    "const parent = joints[i]!.parent ?? 'base';",
  ])('would be found in %s', (line) => {
    expect(defaultsIn(line)).toHaveLength(1);
  });
});
