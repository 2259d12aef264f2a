/** Tells people when recording stops for want of a disk, and when it goes on (row 27 of the fault table). */
import type { JournalStatus } from '../../link/index.ts';
import { OTHER_FAULTS } from '../../safety/index.ts';
import type { SessionEvent } from '../session-types.ts';

const STOPPED = OTHER_FAULTS.find(({ name }) => name === 'recordingStopped')!;

/** What is to be told each time that the journal's state changes. */
export function watchRecording(emit: (event: SessionEvent) => void): (status: JournalStatus) => void {
  let isStopped = false;
  return (status) => {
    const { row, name, sentence, remedy } = STOPPED;
    if (status.isStopped) {
      if (isStopped) return;
      isStopped = true;
      emit({ level: 'warn', name, row, message: `${sentence} Why: ${status.reason}.`, remedy });
      return;
    }
    if (isStopped) {
      isStopped = false;
      emit({ level: 'info', name: 'recordingBack', row, message: `Recording goes on. ${lostOf(status)}`, remedy: '' });
    }
    if (status.reason !== undefined) {
      emit({ level: 'warn', name: 'recording', row: 0, message: status.reason, remedy: '' });
    }
  };
}

function lostOf({ dropped }: JournalStatus): string {
  return dropped === 0 ? 'Nothing is lost.' : `Steps that found no room in memory: ${dropped}.`;
}
