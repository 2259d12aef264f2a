import { describe, expect, it } from 'vitest';
import { err, ok, packError, ReinError, type Result, unpackError } from './result.ts';

describe('Result', () => {
  it('tells value and error apart by `ok`', () => {
    const parse = (text: string): Result<number, string> =>
      Number.isNaN(Number(text)) ? err(`not a number: ${text}`) : ok(Number(text));
    const good = parse('3');
    const bad = parse('x');
    expect(good.ok && good.value).toBe(3);
    expect(!bad.ok && bad.error).toBe('not a number: x');
  });
});

describe('ReinError', () => {
  it('carries its kind, sentence, remedy and cause', () => {
    const cause = new Error('EACCES');
    const error = new ReinError('storage', 'The run folder cannot be written.', { remedy: 'Free some space.', cause });
    expect(error).toBeInstanceOf(Error);
    expect(error).toMatchObject({ name: 'ReinError', kind: 'storage', remedy: 'Free some space.', cause });
    expect(error.message).toBe('The run folder cannot be written.');
  });

  it('has no cause or remedy where none was given', () => {
    const error = new ReinError('config', 'Unknown key.');
    expect(error.remedy).toBeUndefined();
    expect('cause' in error).toBe(false);
  });
});

describe('errors between threads', () => {
  const sent = (error: unknown): Error => unpackError(structuredClone(packError(error)));

  it('keep class, kind and remedy where people will read them', () => {
    const error = sent(new ReinError('policy', 'Full of NaN.', { remedy: 'Train again.', cause: () => undefined }));
    expect(error).toBeInstanceOf(ReinError);
    expect(error).toMatchObject({ kind: 'policy', message: 'Full of NaN.', remedy: 'Train again.' });
    expect(sent(new ReinError('link', 'Gone.'))).toMatchObject({ kind: 'link', remedy: undefined });
  });

  it('keep class, message and stack where they are mistakes of ours', () => {
    const mistake = new RangeError('no rows of 3 and 2');
    const error = sent(mistake);
    expect(error).toBeInstanceOf(RangeError);
    expect(error).toMatchObject({ message: mistake.message, stack: mistake.stack });
    expect(sent('a word').message).toBe('a word');
  });
});
