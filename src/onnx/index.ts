/** ONNX models as files: their inputs and outputs, checks before use, weights written in, dense networks read. */

export { bakeModel } from './bake-model.ts';
export { type DenseModel, readDenseModel } from './dense-model.ts';
export { ENCODER_PLACE, type InnerModel, inlineModel } from './inline-model.ts';
export { checkModel, explainRejection, firstLineOf } from './model-check.ts';
export { type ModelInfo, readModelInfo } from './model-info.ts';
export { type ModelValue, showDimensions } from './model-value.ts';
