import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { ReinError } from '../model/index.ts';
import { checkModel, explainRejection } from './model-check.ts';
import { readModelInfo } from './model-info.ts';

/** An encoder that PyTorch exported: tests/python/make_onnx_golden.py. */
const encoder = readFileSync('tests/golden/onnx/encoder.onnx');

/** A protobuf field with bytes or a text (shorter than 128), or with a number below 128. */
function field(number: number, content: readonly number[] | string | number): number[] {
  const key = (type: number) => (number < 16 ? [number * 8 + type] : [((number * 8 + type) & 127) | 128, number >> 4]);
  if (typeof content === 'number') return [...key(0), content];
  const bytes = typeof content === 'string' ? [...Buffer.from(content)] : content;
  return [...key(2), bytes.length, ...bytes];
}

const model = (...graph: number[][]) => Uint8Array.from(field(7, graph.flat()));
const node = (op: string, domain: string, ...attributes: number[][]) =>
  field(1, [field(4, op), field(7, domain), ...attributes].flat());
const refusal = (build: () => unknown) => {
  try {
    build();
  } catch (error) {
    if (error instanceof ReinError) return `${error.kind}: ${error.message} | ${error.remedy}`;
  }
  return 'nothing wrong';
};

describe('an ONNX file of others', () => {
  it('says what it takes, gives and uses', () => {
    expect(readModelInfo(encoder)).toEqual({
      producer: 'pytorch 1.13.0',
      opsets: new Map([['', 17]]),
      inputs: [{ name: 'pixels', type: 'float32', shape: ['batch', 3, 8, 8] }],
      outputs: [{ name: 'features', type: 'float32', shape: ['batch', 5, 2, 2] }],
      ops: expect.arrayContaining([
        { domain: '', op: 'Conv' },
        { domain: '', op: 'InstanceNormalization' },
        { domain: '', op: 'Erf' },
      ]),
      ownDomains: new Set(),
      external: undefined,
      metadata: new Map(),
    });
  });

  it('says what else its writer noted', () => {
    const noted = [...field(14, [...field(1, 'noise'), ...field(2, 'always')]), ...field(14, field(1, 'empty'))];
    const info = readModelInfo(Uint8Array.of(...model(), ...noted));
    expect(info?.metadata).toEqual(
      new Map([
        ['noise', 'always'],
        ['empty', ''],
      ]),
    );
  });

  it('does not count constants as inputs, as old files list them', () => {
    const value = (name: string) => field(11, field(1, name));
    const info = readModelInfo(model(value('x'), value('w'), field(5, field(8, 'w'))));
    expect(info?.inputs).toEqual([{ name: 'x', type: 'something else', shape: undefined }]);
  });

  it('is not read beyond its end, wherever it is cut', () => {
    for (let length = 0; length < encoder.length; length += 7) {
      expect(() => readModelInfo(encoder.subarray(0, length))).not.toThrow();
    }
    expect(refusal(() => checkModel('e.onnx', encoder.subarray(0, 2000)))).toContain(
      'config: e.onnx is not a whole ONNX model. | Export it again',
    );
  });

  it('is refused where its weights lie elsewhere, also those of a branch', () => {
    const tensor = [...field(8, 'fc.weight'), ...field(14, 1)];
    const message = "config: e.onnx keeps its weights ('fc.weight') in another file. | Save it as one file";
    expect(refusal(() => checkModel('e.onnx', model(field(5, tensor))))).toContain(message);
    expect(refusal(() => checkModel('e.onnx', model(field(5, tensor)), 'anywhere'))).toBe('nothing wrong');
    const branch = field(5, field(6, node('Constant', '', field(5, field(5, tensor)))));
    expect(refusal(() => checkModel('e.onnx', model(node('If', '', branch))))).toContain(message);
  });

  it('is refused where it uses operations of the program that wrote it, unless it brings them along', () => {
    const foreign = model(node('Roll', 'acme.vision'));
    const message = 'e.onnx uses the operation acme.vision.Roll, which the runtime here, onnxruntime, does not have.';
    expect(refusal(() => checkModel('e.onnx', foreign))).toContain(message);
    const brought = [...foreign, ...field(25, [...field(10, 'acme.vision'), ...field(7, field(4, 'Add'))])];
    expect(refusal(() => checkModel('e.onnx', Uint8Array.from(brought)))).toBe('nothing wrong');
  });

  it.each([
    [
      'This is an invalid model. In Node, ("/y", Gelu, "", -1) : … , Error No Op registered for Gelu with domain_version of 18',
      'e.onnx uses the operation Gelu (opset 17), which the runtime here, onnxruntime, does not have. It was written by pytorch 1.13.0.',
    ],
    [
      "Could not find an implementation for Conv(11) node with name '/y'",
      'e.onnx uses the operation Conv (opset 17), which',
    ],
    [
      'Fatal error: acme:Roll(-1) is not a registered function/op',
      'e.onnx uses the operation acme:Roll (opset 17), which',
    ],
    [
      'ONNX Runtime only *guarantees* support … Opset 99 is under development and … Current official support for domain ai.onnx is till opset 26.\n',
      'e.onnx is written in opset 99, where the runtime here, onnxruntime, knows 26 at most. | Export it with opset 17.',
    ],
    [
      '/model.cc:202 Unsupported model IR version: 77, max supported IR version: 13',
      'e.onnx is written in IR version 77, where the runtime here, onnxruntime, knows 13 at most. | Export it with an older version of onnx.',
    ],
    [
      'Node (/y) Op (Add) [ShapeInferenceError] Incompatible dimensions\nmore',
      'e.onnx cannot be run by onnxruntime, which says: Node (/y) Op (Add) [ShapeInferenceError] Incompatible dimensions | Check',
    ],
  ])('is explained where the runtime says: %s', (said, message) => {
    const rejection = () => {
      throw explainRejection('e.onnx', new Error(said), readModelInfo(encoder));
    };
    expect(refusal(rejection)).toContain(`config: ${message}`);
  });
});
