import { PassThrough } from 'node:stream';
import { expect, it } from 'vitest';
import { TerminalGuide } from './guide.ts';

it('gives the input back to who reads it next, and takes it again with the next question', async () => {
  const input = new PassThrough();
  const output = new PassThrough();
  const guide = new TerminalGuide({ input, output, isTerminal: false, signal: new AbortController().signal });
  const first = guide.ask('First?');
  input.write('one\n');
  expect(await first).toBe('one');
  guide.close();
  const second = guide.ask('Second?');
  input.write('two\n');
  expect(await second).toBe('two');
  guide.close();
  input.end();
  input.resume();
  await new Promise((ended) => input.once('end', ended));
  await expect(guide.ask('Third?')).rejects.toThrow(/ended before it was answered: Third\?/);
});

it('hears a signal although answers stand ready for ever', async () => {
  const input = new PassThrough();
  const abort = new AbortController();
  const guide = new TerminalGuide({ input, output: new PassThrough(), isTerminal: false, signal: abort.signal });
  input.write('no\n'.repeat(1000));
  setImmediate(() => setImmediate(() => abort.abort(new Error('Ctrl+C'))));
  let asked = 0;
  const until = async (): Promise<void> => {
    while (asked < 1000) {
      await guide.ask('Yes?');
      asked += 1;
    }
  };
  await expect(until()).rejects.toThrow('Ctrl+C');
  expect(asked).toBeLessThan(100);
});
