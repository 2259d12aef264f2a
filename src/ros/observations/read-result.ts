/** What became of a message: taken, not meant for us, or a sentence (without its full stop) that says what is wrong with it. */
export type ReadResult = 'taken' | 'ignored' | { readonly malformed: string };
