/** How a base policy that does not fit is refused. */
import { ReinError } from '../../core/index.ts';

/** The first line of what onnxruntime said, without the path of the file. */
export function firstLine(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  const line = (text.split('\n')[0] ?? '').replace(/^Load model from .* failed:/, '');
  return line.trim().replace(/\.+$/, '');
}

/** `sentence` begins with the file's name and has no full stop. */
export function unfit(sentence: string, remedy: string): ReinError {
  return new ReinError('config', `The base policy ${sentence}.`, { remedy });
}
