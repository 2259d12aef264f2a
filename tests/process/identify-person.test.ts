/** A person and a real arm that is identified: nothing moves before they have read what will, and pressed `c`. */
import { writeFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { IdentifyFolder, identify, realArm } from '../support/identify-folder.ts';
import { IS_LONG } from '../support/long.ts';
import { runInTerminal, type TerminalResult, type TerminalStep, whyNoTerminal } from '../support/pty.ts';
import { REIN } from '../support/rein.ts';

const PATIENCE_MS = 120_000;
const TORQUES_NM = [0.1, 20, 8, 2, 0.2, 0.1];
const ANNOUNCED = 'c lets it move';
let folder: IdentifyFolder;

beforeEach(() => {
  folder = new IdentifyFolder();
});
afterEach(() => folder.clear());

function atTerminal(steps: readonly TerminalStep[], ...args: string[]): Promise<TerminalResult> {
  const inFolder = ['/bin/sh', '-c', 'cd "$0" && exec "$@"', folder.path, process.execPath, REIN];
  return runInTerminal([...inFolder, ...identify('./real.yaml', ...args)], steps, 60);
}

describe.skipIf(whyNoTerminal() !== undefined)('a real arm', { timeout: PATIENCE_MS }, () => {
  it.runIf(IS_LONG)(
    'stands until a person has read what it will do and pressed c after it; Ctrl+C there moves nothing',
    async () => {
      writeFileSync(folder.at('real.yaml'), realArm(TORQUES_NM));
      // As a held key does, from the start until it was announced: no leave, since it came before.
      const early: TerminalStep = { hold: 'c', times: 300, delayS: 0, periodS: 0.01 };
      const result = await atTerminal([early, { expect: ANNOUNCED }, { sleepS: 1.5 }, { send: '\x03' }]);
      expect(result).toMatchObject({
        missing: null,
        exitCode: 130,
        timedOut: false,
        echo: { before: true, after: true },
      });
      expect(folder.motion().map(({ state }) => state)).toEqual(['standby']);
      folder.expectNothingWritten();
    },
  );

  it('moves once a person lets it, and stops at the space key with nothing written', async () => {
    writeFileSync(folder.at('real.yaml'), realArm(TORQUES_NM));
    const keys: TerminalStep[] = [{ sleepS: 1.5 }, { send: 'c' }, { sleepS: 4.5 }, { send: ' ' }];
    const result = await atTerminal([{ expect: ANNOUNCED }, ...keys], '--duration', '30');
    expect(result).toMatchObject({ missing: null, exitCode: 1, timedOut: false });
    expect(result.output).toContain('The arm was stopped while it was identified');
    const entries = folder.motion();
    expect(entries.map(({ state }) => state).slice(0, 4)).toEqual(['standby', 'ready', 'active.policy', 'stopping']);
    folder.expectStanding();
    folder.expectNothingWritten();
  });

  it.runIf(IS_LONG)('is not announced where its driver measures no torque', async () => {
    writeFileSync(folder.at('real.yaml'), realArm());
    const result = await atTerminal([]);
    expect(result).toMatchObject({ exitCode: 1, timedOut: false });
    expect(result.output).toContain('The driver measures no torque of shoulder_pan');
    expect(result.output).not.toContain(ANNOUNCED);
    expect(folder.hasMoved()).toBe(false);
  });
});
