/** Checks that onnxruntime will run a third-party ONNX file, with errors for the user who chose it. */
import { messageOf, ReinError } from '../model/index.ts';
import { type ModelInfo, readModelInfo } from './model-info.ts';

/** Operation domains that onnxruntime implements: ONNX's own, its machine learning part, and its contributed ones. */
const DOMAINS = new Set(['', 'ai.onnx.ml', 'com.microsoft', 'com.microsoft.nchwc']);

/**
 * Reads the ONNX file called `file`. Throws `ReinError` ('config') if it is no ONNX model, keeps its weights in another file
 * although they have to be `inside`, or uses operations that exist only in the program that wrote it.
 */
export function checkModel(file: string, model: Uint8Array, weights: 'inside' | 'anywhere' = 'inside'): ModelInfo {
  const info = readModelInfo(model);
  if (info === undefined) {
    throw new ReinError('config', `${file} is not a whole ONNX model.`, {
      remedy: 'Export it again, and compare the size of the copy with that of the original.',
    });
  }
  if (info.external !== undefined && weights === 'inside') {
    throw new ReinError('config', `${file} keeps its weights ('${info.external}') in another file.`, {
      remedy: 'Save it as one file: in Python, onnx.save(onnx.load(FILE), FILE, save_as_external_data=False).',
    });
  }
  const strange = info.ops.find(({ domain }) => !DOMAINS.has(domain) && !info.ownDomains.has(domain));
  if (strange !== undefined) throw unsupported(file, `${strange.domain}.${strange.op}`, info);
  return info;
}

/** Converts an error of onnxruntime about the ONNX file called `file` into a `ReinError` ('config'). */
export function explainRejection(file: string, error: unknown, info?: ModelInfo): ReinError {
  const said = messageOf(error);
  const op =
    /implementation for (\w+)\(/.exec(said)?.[1] ??
    /No Op registered for (\w+) /.exec(said)?.[1] ??
    /([\w.:]+)\(-?\d+\) is not a registered/.exec(said)?.[1];
  if (op !== undefined) return unsupported(file, op, info, error);
  const late =
    /Opset (?<has>\d+) is under .* till opset (?<knows>\d+)/s.exec(said) ??
    /model IR version: (?<has>\d+), max supported IR version: (?<knows>\d+)/.exec(said);
  if (late !== null) {
    const what = said.includes('IR version') ? 'IR version' : 'opset';
    const { has, knows } = late.groups as { has: string; knows: string };
    return new ReinError(
      'config',
      `${file} is written in ${what} ${has}, where the runtime here, onnxruntime, knows ${knows} at most.`,
      {
        remedy: what === 'opset' ? 'Export it with opset 17.' : 'Export it with an older version of onnx.',
        cause: error,
      },
    );
  }
  return new ReinError(
    'config',
    `${file} cannot be run by onnxruntime, which says: ${firstLineOf(error).slice(0, 300)}`,
    {
      remedy: 'Check the file where it was exported, with onnx.checker.check_model in Python.',
      cause: error,
    },
  );
}

/** First line of onnxruntime's message, without the path of the file. */
export function firstLineOf(error: unknown): string {
  const line = (messageOf(error).split('\n')[0] ?? '').replace(/^Load model from .* failed:/, '');
  return line.trim();
}

function unsupported(file: string, op: string, info: ModelInfo | undefined, cause?: unknown): ReinError {
  const opset = info?.opsets.get('');
  const writer = info === undefined || info.producer === '' ? '' : ` It was written by ${info.producer}.`;
  return new ReinError(
    'config',
    `${file} uses the operation ${op}${opset === undefined ? '' : ` (opset ${opset})`}, which the runtime here, onnxruntime, does not have.${writer}`,
    { remedy: 'Export it with opset 17, float32 weights and standard operations only.', cause },
  );
}
