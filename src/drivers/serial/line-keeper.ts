/** Serial line of a driver: opened, lost, opened again, with notices for the operator. Not for the tick. */
import { ReinError, withoutFullStop } from '../../model/index.ts';
import type { GuardNotice } from '../../rows/index.ts';
import type { ServiceAnswer } from '../driver.ts';
import { checkPath, type LineSettings, type OpenLine, type SerialLine } from './line.ts';

/** Recovery that the operator has requested. */
export interface Recovery {
  /** Throws `ReinError` if the fault persists. */
  readonly act: () => void;
  /** Row of the fault table for the error that `act` throws. */
  readonly rowOf: (refusal: ReinError) => number;
  /** Message if it succeeded; absent: none. */
  readonly isBack?: string | undefined;
}

export class LineKeeper {
  readonly #openLine: OpenLine;
  readonly #notices: GuardNotice[] = [];
  #path = '';

  constructor(openLine: OpenLine) {
    this.#openLine = openLine;
  }

  /** Path of the port as opened last; empty before. */
  get path(): string {
    return this.#path;
  }

  /** Opens the line of `settings` and calls `takeOver` to set up its devices. Rethrows the errors of that, with the line closed. */
  open(settings: LineSettings, takeOver: (line: SerialLine) => void): void {
    const line = this.#openLine(settings);
    try {
      takeOver(line);
    } catch (error) {
      line.close();
      throw error;
    }
    this.#path = line.path;
    if (line.warning !== undefined) this.tell({ level: 'warn', row: 0, ...line.warning });
  }

  /** Throws `ReinError('driver')` if `line`, which was lost, has come back at another path. */
  checkPath({ path }: SerialLine): void {
    if (this.#path !== '') checkPath(path, this.#path);
  }

  /** Answers `prepare`: an error of `act` is the refusal. */
  prepare(act: () => void): ServiceAnswer {
    const refusal = refusalOf(act);
    if (refusal === undefined) return 'done';
    const { message, remedy = '' } = refusal;
    return { refusal: withoutFullStop(`${message} ${remedy}`.trim()) };
  }

  /** Answers `recover`: an error of `act` becomes a notice. */
  recover({ act, rowOf, isBack }: Recovery): 'done' {
    const refusal = refusalOf(act);
    if (refusal !== undefined) {
      const { message, remedy = '' } = refusal;
      this.tell({ level: 'error', row: rowOf(refusal), message, remedy });
    } else if (isBack !== undefined) this.tell({ level: 'warn', isOver: true, row: 10, message: isBack, remedy: '' });
    return 'done';
  }

  tell(notice: GuardNotice): void {
    this.#notices.push(notice);
  }

  /** See `Driver`. */
  takeNotice(): GuardNotice | undefined {
    return this.#notices.shift();
  }
}

/** Returns the `ReinError` that `act` throws; other errors are rethrown. */
function refusalOf(act: () => void): ReinError | undefined {
  try {
    act();
    return undefined;
  } catch (error) {
    if (error instanceof ReinError) return error;
    throw error;
  }
}
