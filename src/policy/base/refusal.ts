/** How a base policy that does not fit is refused. */
import { firstLineOf, ReinError } from '../../core/index.ts';

/** What onnxruntime said, as the end of a sentence: without a full stop. */
export function clauseOf(error: unknown): string {
  return firstLineOf(error).replace(/\.+$/, '');
}

/** `sentence` begins with the file's name and has no full stop. */
export function unfit(sentence: string, remedy: string): ReinError {
  return new ReinError('config', `The base policy ${sentence}.`, { remedy });
}
