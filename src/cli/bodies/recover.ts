/** Body of `rein recover`. */
import { existsSync } from 'node:fs';
import { explainJournal, type JournalExplanation, journalFolderIn, mendJournal } from '../../link/index.ts';
import { counted, ReinError } from '../../model/index.ts';
import type { RecoverOptions } from '../recover.ts';

export async function recoverBody({ path, mend, json }: RecoverOptions): Promise<number> {
  const dir = journalFolderIn(path);
  if (dir === undefined) {
    throw new ReinError(
      'storage',
      existsSync(path) ? `There is no journal in ${path}.` : `There is no folder ${path}.`,
      {
        remedy: 'Give the folder of a run of rein run or rein sim, or the journal folder in it.',
      },
    );
  }
  const before = explainJournal(dir);
  const done = mend ? mendJournal(dir) : [];
  const explained = mend ? explainJournal(dir) : before;
  if (json) process.stdout.write(`${JSON.stringify({ ...explained, mended: done })}\n`);
  else process.stdout.write(`${textOf(explained, done, mend).join('\n')}\n`);
  return 0;
}

function textOf(journal: JournalExplanation, done: readonly string[], wasMended: boolean): string[] {
  const { dir, runId, journalId, epochs, files, findings, deliverable, lost } = journal;
  const rows = files.map(({ file, intact, damaged, firstSeq, lastSeq, begunAt, endedAt, bytes }) => {
    const numbers = firstSeq === undefined ? 'none' : `${firstSeq} to ${lastSeq}`;
    const harm = damaged === 0 ? '' : `, ${damaged} damaged`;
    const times = `${begunAt === undefined ? '' : `${begunAt} to `}${endedAt}`;
    return `  ${file}  ${counted(intact, 'record')}${harm} (numbers ${numbers}), ${(bytes / 2 ** 20).toFixed(1)} MiB, ${times}`;
  });
  const wrong = findings.map(({ message }) => `  ${message}`);
  const advice = findings.some(({ kind }) => kind === 'header' || kind === 'torn' || kind === 'foreign');
  return [
    `journal ${journalId ?? '(not readable)'} of run ${runId ?? '(not known)'} in ${dir}: starts of the robot: ${epochs}, files: ${files.length}`,
    ...rows,
    ...(wrong.length === 0 ? intactText(journal) : ['problems found:', ...wrong]),
    ...done.map((message) => `mended: ${message}`),
    `a learner would get ${counted(deliverable, 'record')}; lost on disk: ${lost}; ${notRecordedText(journal)}`,
    ...(advice && !wasMended ? ['rein recover --mend puts headers, ends and foreign files in order'] : []),
  ];
}

function intactText({ notRecorded, cutStarts }: JournalExplanation): string[] {
  return notRecorded === 0 && cutStarts.length === 0 ? ['no problems found'] : ['its files are whole'];
}

function notRecordedText({ notRecorded, cutStarts }: JournalExplanation): string {
  const text = `steps that were never recorded: ${notRecorded}`;
  if (cutStarts.length === 0) return text;
  const which = cutStarts.length > 1 ? `starts ${cutStarts.join(', ')} were` : `start ${cutStarts[0]} was`;
  const why = `${which} not closed: killed, disk full, or files.jsonl lost`;
  return notRecorded === 0 ? `steps that were never recorded: not known (${why})` : `${text} or more (${why})`;
}
