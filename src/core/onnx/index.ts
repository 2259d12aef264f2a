export { bakeModel, type NamedTensor } from './bake-model.ts';
export { ENCODER_PLACE, type InnerModel, inlineModel } from './inline-model.ts';
export { checkModel, explainRejection, firstLineOf } from './model-check.ts';
export { type ModelInfo, type ModelOp, readModelInfo } from './model-info.ts';
export { type Dimension, type ModelValue, showDimensions } from './model-value.ts';
