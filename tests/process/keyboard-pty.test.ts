import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { runInTerminal, whyNoTerminal } from '../support/pty.ts';

const harness = fileURLToPath(new URL('../support/keyboard-harness.js', import.meta.url));
const command = (...args: string[]): string[] => [process.execPath, harness, ...args];
const why = whyNoTerminal();
if (why !== undefined) console.log(`skipped: keyboard at a terminal: ${why}`);

describe.skipIf(why !== undefined)('a person at a terminal', () => {
  it('takes over, moves, stops, gives back, and quits with Ctrl+C; the terminal is as before', async () => {
    const result = await runInTerminal(command(), [
      { expect: 'ready' },
      { expect: '[policy 0.0 0.0 0.0 0.0]' },
      { send: 'w' },
      { send: 't' },
      { expect: '[correct 0.0 0.0 0.0 0.0]' },
      { send: 'w' },
      { expect: '[correct 0.5 0.0 0.0 0.0]' },
      { hold: '+', until: '[correct 0.0 0.0 0.0 0.0]' },
      { send: '\x1b[6;2~' },
      { expect: '[recover 0.0 0.0 -0.5 0.0]' },
      { send: ' ' },
      { expect: '[stop 0.0 0.0 0.0 0.0]' },
      { send: 'g' },
      { expect: '[policy 0.0 0.0 0.0 0.0]' },
      { send: 'm' },
      { expect: 'marked success' },
      { send: '?' },
      { expect: 't take over' },
      { send: '\x03' },
      { expect: 'interrupted' },
    ]);
    expect(result).toMatchObject({ missing: null, exitCode: 0, timedOut: false, echo: { before: true, after: true } });
    expect(result.output).not.toContain('^C');
  });

  it('moves for as long as a key is held, without a gap', async () => {
    const result = await runInTerminal(command(), [
      { expect: 'ready' },
      { send: 't' },
      { expect: '[correct 0.0 0.0 0.0 0.0]' },
      { send: `d++++${'d+'.repeat(30)}` },
      { hold: '+', until: '[correct 0.0 0.0 0.0 0.0]' },
      { send: '\x03' },
    ]);
    expect(result).toMatchObject({ missing: null, exitCode: 0, echo: { before: true, after: true } });
    expect(result.output.split('[correct 0.0 -0.5 0.0 0.0]').length - 1).toBe(1);
  });

  it('has raw mode while it runs, and the old mode again when the program crashes', async () => {
    const result = await runInTerminal(command('throw'), [{ expect: 'ready' }]);
    expect(result.echo).toEqual({ before: true, during: false, after: true });
    expect(result.output).toContain('as intended');
    expect(result.exitCode).toBe(1);
  });

  it('ends by the signal and puts the mode back where the program has no handler', async () => {
    const result = await runInTerminal(command('no-handler'), [{ expect: 'ready' }, { send: '\x03' }]);
    expect(result).toMatchObject({ signal: 'SIGINT', echo: { before: true, after: true } });
  });

  it('survives garbage and a paste without moving', async () => {
    const garbage = 'été 漢字 \x1b[999;999;999q \x1b]0;title\x07 \x1bP \x7f'.repeat(20);
    const result = await runInTerminal(command(), [
      { expect: 'ready' },
      { send: 't' },
      { expect: '[correct 0.0 0.0 0.0 0.0]' },
      { send: garbage },
      { expect: '[stop 0.0 0.0 0.0 0.0]' },
      // An escape that never ends is given up with time.
      { hold: '+g', until: '[policy 0.0 0.0 0.0 0.0]' },
      { send: '\x03' },
    ]);
    expect(result).toMatchObject({ missing: null, exitCode: 0 });
    expect(result.output).not.toMatch(/\[(correct|recover) [^\]]*0\.[1-9]/);
  });
});
