/** The line that a driver hangs on: opened, lost, opened again, and what people should know of that. Nothing here is for the tick. */
import { type GuardNotice, ReinError, withoutFullStop } from '../../core/index.ts';
import type { ServiceAnswer } from '../driver.ts';
import { checkPath, type LineSettings, type OpenLine, type SerialLine } from './line.ts';

/** What somebody who has seen that something is wrong asks for. */
export interface Recovery {
  /** Throws `ReinError` where it is wrong still. */
  readonly act: () => void;
  /** Row of the fault table that what `act` throws belongs to. */
  readonly rowOf: (refusal: ReinError) => number;
  /** Said where it is well; absent: nothing. */
  readonly isBack?: string | undefined;
}

export class LineKeeper {
  readonly #openLine: OpenLine;
  readonly #notices: GuardNotice[] = [];
  #path = '';

  constructor(openLine: OpenLine) {
    this.#openLine = openLine;
  }

  /** Of the port as it was opened last; empty before. */
  get path(): string {
    return this.#path;
  }

  /** Opens what `settings` say, and has `takeOver` set up what hangs on it. Throws what that throws, with the line closed. */
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

  /** Throws `ReinError('driver')` where `line`, which was lost, has come back elsewhere. */
  checkPath({ path }: SerialLine): void {
    if (this.#path !== '') checkPath(path, this.#path);
  }

  /** Answers `prepare`: what `act` throws is why not. */
  prepare(act: () => void): ServiceAnswer {
    const refusal = refusalOf(act);
    if (refusal === undefined) return 'done';
    const { message, remedy = '' } = refusal;
    return { refusal: withoutFullStop(`${message} ${remedy}`.trim()) };
  }

  /** Answers `recover`: what `act` throws is news. */
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

/** The `ReinError` that `act` throws; all else goes on. */
function refusalOf(act: () => void): ReinError | undefined {
  try {
    act();
    return undefined;
  } catch (error) {
    if (error instanceof ReinError) return error;
    throw error;
  }
}
